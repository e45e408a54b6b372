"""The configuration of cibuildwheel: read by cibuildwheel itself, which names what it would build."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("platform,ends", [("linux", ["manylinux_x86_64", "manylinux_aarch64"]), ("macos", ["macosx_arm64"])])
def test_a_wheel_for_each_python_and_processor(platform, ends):
    pytest.importorskip("cibuildwheel")
    words = [sys.executable, "-m", "cibuildwheel", "--platform", platform, "--print-build-identifiers", str(ROOT)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(done.stdout.split()) == {f"{python}-{end}" for python in ("cp310", "cp311", "cp312") for end in ends}


def test_scripts_and_files_that_it_names_are_there():
    section = (ROOT / "pyproject.toml").read_text().partition("[tool.cibuildwheel]")[2]
    named = set(re.findall(r"\{project\}/([\w./-]+)", section))
    assert "scripts/repair_wheel.py" in named and [n for n in named if not (ROOT / n).exists()] == []
