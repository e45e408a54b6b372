"""The source distribution: what is in it is what CMake needs, and nothing of this machine."""

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BUILD = "from scikit_build_core.build import build_sdist; import sys; build_sdist(sys.argv[1])"


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The unpacked archive."""
    pytest.importorskip("scikit_build_core")
    if not (ROOT / "pyproject.toml").exists():
        pytest.skip("not in the source tree")
    folder = tmp_path_factory.mktemp("sdist")
    done = subprocess.run([sys.executable, "-c", BUILD, str(folder)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (archive,) = folder.glob("*.tar.gz")
    assert archive.stat().st_size < 8e6
    with tarfile.open(archive) as tar:
        assert not [m.name for m in tar if m.name.startswith(("/", "..")) or "/../" in m.name]
        tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder)
    (unpacked,) = (p for p in folder.iterdir() if p.is_dir())
    return unpacked


def files_of(folder):
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file() or p.is_symlink()}


def test_it_has_what_the_repository_has(sdist):
    """But the fixtures of the tests, pictures of documents, and what serves the project's own machines."""
    git = shutil.which("git")
    listed = git and subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if not listed or listed.returncode != 0:
        pytest.skip("no git checkout")
    left_out = ("docs/images/", "tests/fixtures/", ".ci/", ".github/", ".gitlab")
    wanted = {f for f in listed.stdout.split("\0") if f and not f.startswith(left_out) and "/products/" not in f and not (f.startswith("samples/") and f.endswith(".png")) and "/.github/" not in f
                  and (ROOT / f).exists()}
    there = files_of(sdist)
    assert sorted(wanted - there) == []
    new = subprocess.run([git, "ls-files", "-z", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    assert sorted(there - wanted - set(new.stdout.split("\0")) - {"PKG-INFO"}) == []


def test_cmake_finds_each_source_in_it(sdist, tmp_path):
    """Configures as the wheel does, which asks for all sources; schemas and the like are what Ninja would read."""
    cmake, ninja = shutil.which("cmake"), shutil.which("ninja")
    if not cmake or not ninja:
        pytest.skip("no cmake or ninja")
    if subprocess.run([sys.executable, "-m", "nanobind", "--cmake_dir"], capture_output=True).returncode != 0:
        pytest.skip("no nanobind")
    words = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DET_BUILD_PYTHON=ON", "-DET_BUILD_TESTS=OFF", "-DET_WERROR=OFF"]
    words.append(f"-DPython_EXECUTABLE={sys.executable}")
    archive = next((ROOT / "build" / "downloads").glob("imgui_bundle-*.tar.gz"), None)
    words += [f"-DET_IMGUI_ARCHIVE={archive}"] if archive else []
    done = subprocess.run([cmake, "-S", sdist, "-B", tmp_path, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    plan = subprocess.run([ninja, "-C", tmp_path, "-t", "inputs", "_core", "et-inspect", "et-run", "et-check"], capture_output=True, text=True)
    assert plan.returncode == 0, plan.stderr
    sources = [line for line in plan.stdout.splitlines() if line.startswith(str(sdist))]
    assert len(sources) > 20 and [s for s in sources if not os.path.exists(s)] == []
    # Generated code comes from schemas, which are files of the archive, too; nothing refers to where the archive is from.
    assert str(ROOT) + os.sep not in (tmp_path / "build.ninja").read_text().replace(str(archive), "").replace(sys.prefix, "")
