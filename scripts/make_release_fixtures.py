#!/usr/bin/env python3
"""Copies small cases made with older releases of ExecuTorch into tests/fixtures/releases.

    make_release_fixtures.py ARTIFACTS [--out tests/fixtures/releases]

ARTIFACTS has a folder per release and in it one per case (docs/releases.md says how they are made). Records are copied
without weights (slim_etrecord.py); what the release's own Inspector says of the case stays with it.
"""
import argparse
import pathlib
import sys

import make_fixtures
import slim_etrecord

# Release and case -> the record that is kept: what only this release writes, see tests/etrecord/releases_test.cpp.
CASES = {
    "0.7.0/conv_portable": "etrecord.bin",
    "0.7.0/conv_xnnpack": "etrecord.bin",
    "1.2.0/conv_int8_xnnpack": "etrecord.bin",
}
FILES = ("etdump.etdp", "program.pte", "reference/inspector.json")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("artifacts", type=pathlib.Path)
    default = pathlib.Path(__file__).resolve().parent.parent / "tests/fixtures/releases"
    parser.add_argument("--out", type=pathlib.Path, default=default)
    args = parser.parse_args()
    for name, record in CASES.items():
        case = args.artifacts / name
        if not case.is_dir():
            sys.exit(f"make_release_fixtures: {case}: no such case")
        out = args.out / name.replace("/", "_")
        for file in FILES:
            make_fixtures.copy(case / file, out / file)
        slim_etrecord.slim(case / record, out / "etrecord.bin", limit=slim_etrecord.DEFAULT_LIMIT)
    make_fixtures.write_sums(args.out)


if __name__ == "__main__":
    main()
