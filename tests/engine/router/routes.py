"""Two playbooks as people ask for them, and a context to route in."""

from datetime import date

from cards.model import Principal
from engine.router.model import Route, RouteContext
from engine.tools.registry import TOOLS

VISITS = Route(
    playbook="clinical_qc",
    names=("访视录入", "Visit entry"),
    examples=(
        "录入今天的访视数据",
        "帮我录入 P003 的访视",
        "登记一次新的访视",
        "把昨天的访视数据录入系统",
        "补录 P004 11月20日的访视",
        "请录入访视:体重 70kg,血压 120/80",
        "record today's visit",
        "enter the visit data of P003",
        "log a new visit for P005",
        "please record a visit",
    ),
    cues=("录入", "登记", "补录", "record", "enter", "log"),
)
CLAIMS = Route(
    playbook="litigation_civil_prosecution",
    names=("民事起诉", "Civil claim"),
    examples=(
        "起草一份民事起诉状",
        "帮我写起诉状",
        "准备立案材料",
        "draft a complaint",
        "prepare the filing package",
    ),
    cues=("起草", "立案", "起诉状", "draft", "prepare"),
)


CONTEXT = RouteContext(
    routes=(VISITS, CLAIMS),
    tools=TOOLS,
    open_cards=(),
    principal=Principal(id="li", name="Li"),
    today=date(2026, 11, 23),
    recent=(),
    lang="zh",
)
