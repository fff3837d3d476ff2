"""The example of docs/jobs.md is sound, and does what the page says."""

import re
from pathlib import Path

from engine.playbooks.load import load
from tests.fakes.job_playbook import TeamModel, job, plan, says
from tests.fakes.run_tree import RunTree
from tests.fakes.walk import new_run

PAGE = (Path(__file__).parents[3] / "docs" / "jobs.md").read_text("utf-8")


async def test_the_documented_example_drafts_a_letter() -> None:
    files = dict(re.findall(r"```yaml\n# (\S+)\n(.*?)```", PAGE, re.S))
    book = load(files, roles=(), held=())
    asked = "draft a reply to the ethics board"
    model = TeamModel(
        {
            "leader": [plan(job("passages", "reader"), job("letter", "writer", "passages"))],
            "passages": [says("SUCCESS", "section 4")],
            "letter": [says("SUCCESS", "Dear board, see section 4.")],
        }
    )
    walk = await RunTree(book, new_run(book, message=asked), model).start()
    assert walk.root.status == "completed"
    assert walk.root.state.data["letter"] == "Dear board, see section 4."
    assert walk.root.state.profile["letter_status"] == "drafted"
    assert f"The task: <data>{asked}</data>" in model.told("leader")
    assert "section 4" in model.told("letter")
