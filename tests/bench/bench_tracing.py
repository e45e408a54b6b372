#!/usr/bin/env python3
"""What tracing costs a user: et-run with and without --etdump, in turn, and the overhead that the ETDump itself states.

    bench_tracing.py [PROGRAM.pte ...] [--rounds 7] [--check]      et-run and et-inspect from ET_BUILD or build/release

A figure is the least of the rounds' medians of latency. --check: exit code 1 where a goal is missed. Goals are those of the
LSTM; others are measured without one.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests/fixtures/artifacts"
PROGRAMS = ("lstm", "add_mul", "control_flow_scan", "lstm_xnnpack")
GOAL_RATIO = 1.15
GOAL_STATED = 0.2  # of what is measured outside


def output(*command):
    return json.loads(subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True).stdout)


def median_us(bin_folder, program, iterations, *more):
    run = output(bin_folder / "et-run", program, "-n", iterations, "-w", 200, "--threads", 1, "--json", "--quiet", *more)
    return run["p50_us"]


def measure(bin_folder, program, rounds, iterations, folder):
    dump = pathlib.Path(folder) / "t.etdp"
    plain, traced = [], []
    for _ in range(rounds):
        plain.append(median_us(bin_folder, program, iterations))
        traced.append(median_us(bin_folder, program, iterations, "--etdump", dump))
    trace = output(bin_folder / "et-inspect", dump, "--json", "--no-neighbours")["trace"]
    events = trace["events"] / trace["executions"]
    return min(plain), min(traced), events, trace["event_overhead_ns"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--iterations", type=int, default=3000)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    bin_folder = pathlib.Path(os.environ.get("ET_BUILD", ROOT / "build/release")) / "bin"
    programs = arguments.programs or [FIXTURES / name / "program.pte" for name in PROGRAMS]
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            name = program.parent.name if program.name == "program.pte" else program.stem
            plain, traced, events, stated = measure(bin_folder, program, arguments.rounds, arguments.iterations, folder)
            outside = (traced - plain) * 1000 / events
            print(
                f"{name:20} {events:5.0f} events  untraced {plain:8.3f} µs  traced {traced:8.3f} µs  {traced / plain:5.3f} ×  "
                f"an event {outside:5.1f} ns, stated {stated:5.1f} ns",
                flush=True,
            )
            if program.parent == FIXTURES / "lstm":
                if traced > GOAL_RATIO * plain:
                    missed.append(f"{name}: {traced / plain:.3f} × of the untraced time, goal {GOAL_RATIO}")
                if abs(stated - outside) > GOAL_STATED * outside:
                    missed.append(f"{name}: stated {stated:.1f} ns an event, measured {outside:.1f}, goal within {GOAL_STATED:.0%}")
    for line in missed:
        print("missed:", line)
    return 1 if missed and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
