#!/usr/bin/env python3
"""Runs ExecuTorch's own tests of the Inspector against et_inspect.compat.

    ET_EXECUTORCH_SOURCE=<checkout of ExecuTorch> upstream_inspector.py [pytest's options]

The tests are read from devtools/inspector/tests of the checkout; ExecuTorch itself is the installed package. Names that
they import from executorch.devtools.inspector are those of et_inspect.compat, internals that it does not have are
upstream's. Each test passes or stands in upstream_inspector.tsv with the reason; one that stands there and passes is an
error, too. Exit code 77: the checkout or the package is missing.
"""
import importlib
import importlib.util
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
NEEDED = "inspector_test.py"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def known():
    rows = [line.split("\t") for line in (HERE / "upstream_inspector.tsv").read_text().splitlines() if line and line[0] != "#"]
    return {name: reason for name, reason in rows}


def replace_upstream():
    """et_inspect.compat in the place of executorch.devtools.inspector."""
    from et_inspect import compat
    from et_inspect.compat import inspector as ours

    upstream = importlib.import_module("executorch.devtools.inspector._inspector")
    package = importlib.import_module("executorch.devtools.inspector")
    ours._upstream_class()  # before its name leads back to ours
    for name in ("Event", "EventBlock", "Inspector", "PerfData"):
        setattr(ours, name, getattr(compat, name))
        setattr(package, name, getattr(compat, name))
        setattr(sys.modules["executorch.devtools"], name, getattr(compat, name))
    ours.TimeScale = upstream.TimeScale
    ours.__getattr__ = lambda name: getattr(upstream, name)
    package._inspector = ours
    sys.modules["executorch.devtools.inspector._inspector"] = ours


class Expectations:
    """What is known to fail, and that nothing else does."""

    def __init__(self):
        self.reasons = known()
        self.seen = set()
        self.failed = []

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and report.passed:
            return
        name = report.nodeid.rpartition("::")[2]
        self.seen.add(name)
        if report.failed and name not in self.reasons:
            self.failed.append(name)
        elif report.when == "call" and report.passed and name in self.reasons:
            self.failed.append(f"{name} (listed, but it passes)")


def main():
    source = os.environ.get("ET_EXECUTORCH_SOURCE")
    if not source:
        skip("ET_EXECUTORCH_SOURCE names no checkout of ExecuTorch")
    folder = pathlib.Path(source) / "devtools" / "inspector" / "tests"
    if not (folder / NEEDED).is_file():
        skip(f"{folder}: no {NEEDED}")
    for name in ("pytest", "executorch", "et_inspect"):
        if importlib.util.find_spec(name) is None:
            skip(f"no {name}")
    import pytest

    replace_upstream()
    expectations = Expectations()
    pytest.main(["-q", "-p", "no:cacheprovider", "--import-mode=importlib", "-W", "ignore", "--tb=short", "--rootdir", str(folder),
                 *map(str, sorted(folder.glob("*_test.py"))), *sys.argv[1:]], plugins=[expectations])
    print(f"{len(expectations.seen)} tests, {len(expectations.seen & set(expectations.reasons))} of them listed with a reason")
    for name in expectations.failed:
        print(f"unexpected: {name}")
    sys.exit(1 if expectations.failed or not expectations.seen else 0)


if __name__ == "__main__":
    main()
