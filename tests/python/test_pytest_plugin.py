"""pytest --et-check."""

import os
import subprocess
import sys
import xml.etree.ElementTree

import numpy as np

import et_inspect
from conftest import ARTIFACTS


def run(folder, *options):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    words = [sys.executable, "-m", "pytest", "-p", "et_inspect.pytest_plugin", "-p", "no:cacheprovider", "-q", *options, str(folder)]
    return subprocess.run(words, capture_output=True, text=True, env=environment, cwd=folder)


def test_a_bundle_is_a_test(tmp_path):
    program = ARTIFACTS / "add_mul" / "program.pte"
    inputs = [np.ones((2, 3), np.float32)] * 2
    et_inspect.bundle(program, [(inputs, None)], tmp_path / "good.bpte")
    et_inspect.bundle(program, [(inputs, [np.zeros((2, 3), np.float32)])], tmp_path / "bad.bpte")
    done = run(tmp_path, "--et-check", "--junitxml", "out.xml")
    assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "bad.bpte" in done.stdout and "forward" in done.stdout and "Traceback" not in done.stdout
    cases = xml.etree.ElementTree.parse(tmp_path / "out.xml").findall(".//testcase")
    assert sorted(len(c.findall("failure")) for c in cases) == [0, 1]
    assert run(tmp_path).returncode == 5  # without the option nothing is collected
    good = run(tmp_path, "--et-check", "-k", "good")
    assert good.returncode == 0
