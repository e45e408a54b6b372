"""What the tests of the Python package share."""

import pathlib

import pytest

ARTIFACTS = pathlib.Path(__file__).parents[1] / "fixtures" / "artifacts"
HOSTILE = pathlib.Path(__file__).parents[1] / "fixtures" / "hostile"


class Case:
    """An artifact: its files as strings, None where there is none."""

    def __init__(self, name):
        self.folder = ARTIFACTS / name
        assert self.folder.is_dir(), name
        self.etdump = self._path("etdump.etdp")
        self.debug = self._path("debug.etdp")
        self.debug_buffer = self._path("debug.bin")
        self.etrecord = self._path("etrecord.bin")
        self.pte = self._path("program.pte")

    def _path(self, name):
        path = self.folder / name
        return str(path) if path.exists() else None


@pytest.fixture
def case():
    return Case


def all_cases():
    return sorted(p.name for p in ARTIFACTS.iterdir() if (p / "etdump.etdp").exists())
