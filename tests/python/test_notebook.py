"""samples/notebook: each notebook runs from top to bottom, and what is kept of its outputs is what it gives.

ET_UPDATE_GOLDEN=1 writes the outputs of this run into the notebooks, without what libraries say on stderr."""

import os
import pathlib
import re
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "samples" / "notebook"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
# A folder of a machine; texts of programs have slashes, too.
MACHINE_PATH = re.compile(r"(?<![\w.:])/(?:tmp|home|root|work|usr|opt|var|Users|mnt)/")


def kinds(outputs):
    """What of an output does not depend on times: its kind and the forms that it comes in."""
    kept = [o for o in outputs if not (o.output_type == "stream" and o.name == "stderr")]
    return [(o.output_type, sorted(o.get("data", {})) or o.get("name")) for o in kept]


@pytest.fixture(scope="module")
def tools():
    for name in ("nbformat", "nbclient", "ipykernel", "pandas", "torch", "executorch.exir"):
        pytest.importorskip(name)
    import nbclient
    import nbformat

    return nbformat, nbclient


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_kept_outputs_are_complete_and_of_no_machine(path):
    import json

    text = path.read_text()
    assert not MACHINE_PATH.findall(text)
    cells = [c for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
    assert [c["execution_count"] for c in cells] == list(range(1, len(cells) + 1))
    assert not [o for c in cells for o in c["outputs"] if o["output_type"] == "error" or o.get("name") == "stderr"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_runs_and_gives_what_is_kept(path, tools, tmp_path, monkeypatch):
    nbformat, nbclient = tools
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(p for p in sys.path if p))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    kept = nbformat.read(path, as_version=4)
    nbformat.validate(kept)
    ran = nbformat.from_dict(kept)
    nbclient.NotebookClient(ran, timeout=600, kernel_name="python3", record_timing=False,
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    if os.environ.get("ET_UPDATE_GOLDEN"):
        for cell in ran.cells:
            if cell.cell_type == "code":
                cell.outputs = [o for o in cell.outputs if not (o.output_type == "stream" and o.name == "stderr")]
        ran.metadata = {"kernelspec": ran.metadata.kernelspec, "language_info": {"name": "python"}}
        nbformat.write(ran, path)
        return
    for old, new in zip(kept.cells, ran.cells):
        if old.cell_type == "code":
            assert kinds(old.outputs) == kinds(new.outputs), old.id
