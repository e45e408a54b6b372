"""pytest --et-check."""

import os
import subprocess
import sys
import xml.etree.ElementTree

import numpy as np
import pytest

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


def test_a_baseline_recorded_by_relative_paths_is_found(tmp_path):
    program = ARTIFACTS / "add_mul" / "program.pte"
    (tmp_path / "models").mkdir()
    et_inspect.bundle(program, [([np.ones((2, 3), np.float32)] * 2, None)], tmp_path / "models" / "good.bpte")
    from et_inspect.commands import find

    subprocess.run([find("et-check"), "models/good.bpte", "--record-baseline", "base.json"], cwd=tmp_path, check=True, capture_output=True)
    done = run(tmp_path, "--et-check", "--et-baseline", "base.json")
    assert "no entry for it" not in done.stdout, done.stdout
    done = run(tmp_path, "--et-check", "--et-baseline", "none.json")
    assert done.returncode == 4 and "none.json: no such file" in done.stdout + done.stderr


def test_workers_of_xdist_share_the_bundles(tmp_path):
    pytest.importorskip("xdist")
    inputs = [np.ones((2, 3), np.float32)] * 2
    for n in range(4):
        expected = None if n else [np.zeros((2, 3), np.float32)]
        et_inspect.bundle(ARTIFACTS / "add_mul" / "program.pte", [(inputs, expected)], tmp_path / f"case{n}.bpte")
    done = run(tmp_path, "-p", "xdist.plugin", "--et-check", "-n", "2", "--junitxml", "out.xml", "-vv")
    assert done.returncode == 1 and "1 failed, 3 passed" in done.stdout, done.stdout + done.stderr
    assert "[gw0]" in done.stdout and "[gw1]" in done.stdout
    suite = xml.etree.ElementTree.parse(tmp_path / "out.xml").getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "1", "0")
    (failure,) = suite.iter("failure")
    assert "case0.bpte" in failure.text and "forward" in failure.text


def test_a_damaged_bundle_fails_alone(tmp_path):
    inputs = [np.ones((2, 3), np.float32)] * 2
    good = et_inspect.bundle(ARTIFACTS / "add_mul" / "program.pte", [(inputs, None)], tmp_path / "good.bpte")
    with open(good, "rb") as file:
        (tmp_path / "cut.bpte").write_bytes(file.read()[:100])
    (tmp_path / "empty.bpte").write_bytes(b"")
    done = run(tmp_path, "--et-check", "--junitxml", "out.xml")
    assert done.returncode == 1 and "2 failed, 1 passed" in done.stdout, done.stdout + done.stderr
