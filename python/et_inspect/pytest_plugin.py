"""pytest --et-check models/: each bundled program (.bpte) is a test.

    pytest --et-check models/ --et-baseline main.json --et-reference good.pte

A failed case shows what et-check says of it: how far the outputs are off, and with --et-reference or --et-explain the
first operator that diverges. Items are chosen, distributed (xdist) and reported (JUnit) as all others.
"""

from __future__ import annotations

import os
from typing import Any, Iterator, List

import pytest


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("et-inspect", "ExecuTorch programs as tests")
    group.addoption("--et-check", action="store_true", help="collect bundled programs (.bpte) as tests")
    group.addoption("--et-baseline", metavar="FILE", help="also compare times with this baseline of et-check")
    group.addoption("--et-policy", metavar="FILE", help="tolerances and limits (.toml)")
    group.addoption("--et-explain", action="store_true", help="name the first operator that diverges")
    group.addoption("--et-reference", metavar="FILE", action="append", default=[], help="a good run to explain by")
    group.addoption("--et-etrecord", metavar="FILE", help="ETRecord of the export, to explain by")


def pytest_configure(config: Any) -> None:
    if not config.getoption("--et-check"):
        return
    files = [config.getoption(f"--et-{option}") for option in ("baseline", "policy", "etrecord")]
    for file in [*files, *config.getoption("--et-reference")]:
        if file and not os.path.exists(file):
            raise pytest.UsageError(f"et-inspect: {file}: no such file")


def pytest_collect_file(file_path: Any, parent: Any) -> Any:
    if parent.config.getoption("--et-check") and file_path.suffix == ".bpte":
        return BundleFile.from_parent(parent, path=file_path)
    return None


class BundleFile(pytest.File):
    def collect(self) -> Iterator[Any]:
        yield BundleItem.from_parent(self, name="et-check")


class CheckFailed(Exception):
    """Text of et-check for a person."""


class BundleItem(pytest.Item):
    def runtest(self) -> None:
        """Once, in its own process: what is shown is what failed."""
        import subprocess

        from .bundling import failure
        from .commands import find

        done = subprocess.run([find("et-check"), os.fspath(self.path), *_words(self.config)], capture_output=True, text=True)
        if done.returncode == 1:
            raise CheckFailed((done.stdout + done.stderr).strip())
        if done.returncode != 0:
            raise failure(done)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if excinfo.errisinstance(CheckFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> Any:
        return self.path, None, f"et-check {self.path.name}"


def _words(config: Any) -> List[str]:
    words: List[str] = []
    for option in ("baseline", "policy", "etrecord"):
        if value := config.getoption(f"--et-{option}"):
            words += [f"--{option}", value]
    for file in config.getoption("--et-reference"):
        words += ["--reference", file]
    if config.getoption("--et-explain") or config.getoption("--et-reference"):
        words.append("--explain")
    return words
