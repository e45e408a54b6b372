#!/usr/bin/env python3
"""What-if beside what it was: bounds from the trace of a portable program, and the time of its delegated twin.

    what_if_twins.py [--inspect PATH] NAME=PORTABLE,DELEGATED ...      ETDumps or folders of the same model

Prints a Markdown table. Roofs need `et-run --calibrate` on the machine of the traces. Exit code 1 when a twin was faster
than a bound: then the bound is wrong.
"""
import argparse
import json
import subprocess
import sys


def what_if(inspect, trace):
    run = subprocess.run([inspect, "what-if", trace, "--json", "--quiet"], capture_output=True, text=True)
    if run.returncode not in (0, 4):
        sys.exit(f"{trace}: {run.stderr.strip()}")
    return json.loads(run.stdout)["what_if"]


def text(ns):
    return f"{ns / 1e6:.2f} ms" if ns >= 1e6 else f"{ns / 1e3:.0f} µs"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inspect", default="build/release/bin/et-inspect")
    parser.add_argument("pairs", nargs="+", metavar="NAME=PORTABLE,DELEGATED")
    options = parser.parse_args()
    wrong = 0
    print("| model | portable | bound: a delegate takes no time | bound: a delegate at the roof | delegated, measured | "
          "of the bound |\n|---|---|---|---|---|---|")
    for pair in options.pairs:
        name, _, files = pair.partition("=")
        portable, _, delegated = files.partition(",")
        if not delegated:
            parser.error(f"expected NAME=PORTABLE,DELEGATED, got '{pair}'")
        before, after = what_if(options.inspect, portable), what_if(options.inspect, delegated)
        least = {s["id"]: s["at_least"] for s in before["scenarios"]}
        roof = least.get("delegated-at-roof")
        truth = after["total"]
        wrong += truth < least.get("delegated", 0) or (roof is not None and truth < roof)
        print(f"| {name} | {text(before['total'])} | {text(least.get('delegated', before['usual']))} | "
              f"{text(roof) if roof is not None else '–'} | {text(truth)} | "
              f"{f'{truth / roof:.2f} ×' if roof else '–'} |")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
