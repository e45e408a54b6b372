"""The package's annotations and the stubs of its extension module, for those who check types: mypy and pyright."""

import ast
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import et_inspect


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy, so that the checkers look at nothing else; links of a build tree become files."""
    folder = tmp_path_factory.mktemp("types")
    shutil.copytree(pathlib.Path(et_inspect.__file__).parent, folder / "et_inspect", ignore=shutil.ignore_patterns("__pycache__"))
    # What is optional need not be installed.
    (folder / "pyrightconfig.json").write_text('{"include": ["et_inspect"], "reportMissingImports": "none", "reportMissingModuleSource": "none"}')
    return folder


def run(folder, *words):
    return subprocess.run([sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, timeout=300)


def test_names_for_type_checkers_are_those_there_are():
    assert set(et_inspect.__all__) == {*et_inspect._HOME, "compat", "errors", "__version__"}
    assert all(getattr(et_inspect, name) is not None for name in et_inspect.__all__)


def test_the_stub_has_what_the_extension_has(package):
    """No more and no less: nothing else would notice."""
    from et_inspect import _core

    stub = ast.parse((package / "et_inspect" / "_core.pyi").read_text())
    functions = (ast.FunctionDef, ast.ClassDef)
    told = {n.name: n for n in stub.body if isinstance(n, functions)}
    there = {n for n in vars(_core) if not n.startswith("_") and n != "version"}
    assert set(told) == there
    for name, node in told.items():
        if isinstance(node, ast.ClassDef):
            members = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            assert {m for m in vars(getattr(_core, name)) if not m.startswith("_")} == {m for m in members if not m.startswith("_")}


def test_mypy_is_content(package):
    pytest.importorskip("mypy")
    done = run(package, "mypy", "--no-error-summary", "--ignore-missing-imports", "-p", "et_inspect")
    assert done.returncode == 0, done.stdout + done.stderr


def test_pyright_is_content(package):
    pytest.importorskip("pyright")
    if run(package, "pyright", "--version").returncode != 0:
        pytest.skip("pyright cannot get its node program here")
    done = run(package, "pyright", "--outputjson", "--pythonpath", sys.executable)
    found = json.loads(done.stdout)
    assert found["summary"]["filesAnalyzed"] > 10
    told = [f"{os.path.basename(d['file'])}:{d['range']['start']['line'] + 1}: {d['message']}" for d in found["generalDiagnostics"]]
    assert told == []
