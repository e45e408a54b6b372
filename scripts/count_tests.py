#!/usr/bin/env python3
"""Sums up what scripts/run_tests.sh left in a folder and prints `N passed, N failed` as its last line.

Reads, for each build, ctest's JUnit file (`<build>.ctest.xml`) and the XML files of googletest (`<build>/<test>.xml`),
and `extra.tsv` (name, then passed, failed or skipped) for what is not a ctest entry. An entry with a googletest file
counts by its cases; one without counts as one test; one that failed although all of its cases passed (a leak report at
its end, a crash) is one failure more. Exit code 1 when anything failed or nothing ran.
"""
import pathlib
import sys
import xml.etree.ElementTree as xml


class Count:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = 0


def parse(path):
    try:
        return xml.parse(path).getroot()
    except (OSError, xml.ParseError):
        return None


def count_gtest(root, entry, count):
    """Adds the cases of one googletest file; returns how many of them failed."""
    failures = 0
    for case in root.iter("testcase"):
        name = f"{entry}: {case.get('classname')}.{case.get('name')}"
        if case.find("failure") is not None:
            failures += 1
            count.failed.append(name)
        elif case.get("status") == "notrun" or case.get("result") == "suppressed":
            continue  # disabled or filtered away
        elif case.get("result") == "skipped" or case.find("skipped") is not None:
            count.skipped += 1
        else:
            count.passed += 1
    return failures


def count_build(junit, count):
    build = junit.name.removesuffix(".ctest.xml")
    root = parse(junit)
    if root is None:
        count.failed.append(f"{build}: unreadable {junit.name}")
        return
    for case in root.iter("testcase"):
        name = case.get("name")
        entry = f"{build}/{name}"
        status = case.get("status")
        cases = parse(junit.parent / build / f"{name}.xml")
        failures = count_gtest(cases, entry, count) if cases is not None else 0
        if status == "fail":
            if failures == 0:
                count.failed.append(entry)
        elif status in ("notrun", "disabled"):
            count.skipped += 1
        elif cases is None:
            count.passed += 1


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    count = Count()
    for junit in sorted(folder.glob("*.ctest.xml")):
        count_build(junit, count)
    extra = folder / "extra.tsv"
    if extra.is_file():
        for line in extra.read_text().splitlines():
            name, _, result = line.partition("\t")
            if result == "passed":
                count.passed += 1
            elif result == "skipped":
                count.skipped += 1
                print(f"skipped: {name}")
            else:
                count.failed.append(name)
    for name in count.failed:
        print(f"failed: {name}")
    if count.skipped:
        print(f"{count.skipped} skipped (they say why in build/results/*.log)")
    print(f"{count.passed} passed, {len(count.failed)} failed", flush=True)
    sys.exit(1 if count.failed or count.passed == 0 else 0)


if __name__ == "__main__":
    main()
