"""The same messages come to the same intents, for the same reasons, on every processor."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.router.score import HALVES, messages

ROOT = Path(__file__).parents[3]
CORES = {
    "x86_64": {
        "Nehalem": {"sse4_2"},
        "Sandybridge": {"avx"},
        "Haswell": {"avx2", "fma"},
        "SkylakeX": {"avx2", "fma", "avx512f", "avx512bw", "avx512dq", "avx512vl"},
    },
    "aarch64": {"ARMV8": {"asimd"}, "NEOVERSEN1": {"asimd", "asimddp"}, "NEOVERSEV1": {"sve"}},
}
"""Kernels of OpenBLAS that add in different orders, with what a processor needs for them."""


def core_types() -> tuple[str, ...]:
    """Those that this processor has, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    flags = set(info.read_text().split()) if info.exists() else set()
    known = CORES.get(platform.machine(), {})
    return tuple(name for name, needs in known.items() if needs <= flags)


def routed(core: str, folder: Path) -> subprocess.Popen[bytes]:
    """`signoff route` over every message of the bench, in a process that adds as that core does."""
    (folder / "messages").write_text(
        "\n".join(m["text"] for half in HALVES for m in messages(half)) + "\n"
    )
    with (folder / "messages").open("rb") as texts:
        return subprocess.Popen(
            [sys.executable, "-m", "bot", "route", "--json", "-"],
            cwd=ROOT,
            env={"OPENBLAS_CORETYPE": core, "SIGNOFF_DATA_DIR": str(folder / "data")},
            stdin=texts,
            stdout=subprocess.PIPE,
        )


@pytest.mark.skipif(len(core_types()) < 2, reason="the system names one core type or none")
def test_every_core_type_decides_every_message_alike(tmp_path: Path) -> None:
    first, *others = core_types()
    expected, _ = routed(first, tmp_path).communicate()
    assert len(expected.splitlines()) == 600
    for core in others:
        found, _ = routed(core, tmp_path).communicate()
        for one, other in zip(expected.splitlines(), found.splitlines(), strict=True):
            assert other.decode() == one.decode(), core
