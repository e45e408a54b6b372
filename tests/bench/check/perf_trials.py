#!/usr/bin/env python3
"""How often performance checks are wrong: series of comparisons of a program with itself and with 5 % more work.

    tests/bench/check/perf_trials.py build/bench/tests/bench/tools/et_perf_trials PROGRAM.bpte...

Prints the table of docs/performance-checks.md. --keep FOLDER keeps each comparison as a JSON line, and goes on with
series that stand there already. The load of the machine is part of the result: it is printed, too.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

SERIES = [
    ("interleaved", 0.0),
    ("interleaved", 0.05),
    ("baseline", 0.0),
    ("baseline", 0.05),
]


def lines_of(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file if line.endswith("}\n")]


def run(tool, program, against, inject, options, path):
    """Appends what is missing of a series. The seeds go on where it stopped."""
    done = len(lines_of(path))
    if done < options.count:
        with open(path, "a") as out:
            subprocess.run(
                [tool, program, "--against", against, "--inject", str(inject), "--count", str(options.count - done)]
                + ["--seed", str(done + 1), "--budget", str(options.budget), "--record", str(options.budget)],
                stdout=out, stderr=subprocess.DEVNULL, check=True)
    return lines_of(path)


def row(program, against, inject, results):
    verdicts = [r["verdict"] for r in results]
    wrong = sum(v in ("slower", "faster") for v in verdicts) if inject == 0 else verdicts.count("faster")
    found = "–" if inject == 0 else str(verdicts.count("slower"))
    missed = "–" if inject == 0 else str(verdicts.count("no_difference"))
    seconds = sorted(r["seconds"] for r in results)
    width = sorted((r["high"] - r["low"]) / 2 for r in results)
    cells = [program, against, f"{inject:.0%}", len(results), wrong, verdicts.count("too_noisy"), found, missed,
             f"{100 * width[len(width) // 2]:.1f} %", f"{seconds[len(seconds) // 2]:.1f} s"]
    return "| " + " | ".join(str(c) for c in cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--budget", type=float, default=5)
    parser.add_argument("--keep")
    parser.add_argument("--series", choices=["interleaved", "baseline"])
    options = parser.parse_args()
    keep = options.keep or tempfile.mkdtemp()
    os.makedirs(keep, exist_ok=True)
    print("| program | against | injected | comparisons | wrong verdicts | too noisy | found | missed | ± (median) | time |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for program in options.programs:
        name = os.path.basename(program)
        if name.startswith("bundled."):
            name = os.path.basename(os.path.dirname(os.path.abspath(program)))
        for against, inject in SERIES:
            if options.series in (None, against):
                results = run(options.tool, program, against, inject, options, f"{keep}/{name}.{against}.{inject}.jsonl")
                print(row(name, against, inject, results), flush=True)
    print(f"\nload average at the end: {os.getloadavg()[1]:.1f} on {os.cpu_count()} cores", file=sys.stderr)


if __name__ == "__main__":
    main()
