#!/usr/bin/env python3
"""XNNPACK programs here beside upstream's XNNPACK, in one run: latency with one and two threads, load time, peak memory.

usage: bench_delegates.py --cases FOLDER [--build DIR] [--rounds N] [--seconds S] [--threads 1,2] [--only NAME...] [--json FILE]
                          [--against upstream|onednn] [--check]

FOLDER comes from make_delegated.py. Both programs (et_bench_runtime, et_bench_upstream) run in turns (ours, theirs,
theirs, ours); a time is the least of all rounds' medians. A ratio is our time by theirs: below 1 the product is faster.
Outputs are compared first. --check: exit code 1 when a program takes more than 1.1 times upstream's time, or fewer than
two are faster. --against onednn: our backend with oneDNN as provider of float products (et_bench_onednn) is the other side.
"""
import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
MOST = 1.1


class Bench:
    def __init__(self, options):
        tools = Path(options.build) / "tests/bench/tools"
        self.sides = ("ours", options.against)
        self.programs = {"ours": tools / "et_bench_runtime", options.against: tools / f"et_bench_{options.against}"}
        self.folder, self.rounds, self.seconds = Path(options.cases), options.rounds, options.seconds

    def run(self, side, name, *arguments):
        inputs = () if "--load-only" in arguments else ("--inputs", self.folder / f"{name}.inputs")
        threads = arguments[arguments.index("--threads") + 1] if "--threads" in arguments else 1
        done = subprocess.run([str(w) for w in (self.programs[side], self.folder / f"{name}.pte", *inputs, *arguments)],
                              capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": str(threads)})
        if done.returncode != 0:
            sys.exit(f"{name}: {side}: {(done.stderr or done.stdout).strip()}")
        return json.loads(done.stdout.strip().splitlines()[-1])

    def rounds_of(self, name, *arguments):
        found = {side: [] for side in self.sides}
        for _ in range(self.rounds):
            for side in self.sides + self.sides[::-1]:
                found[side].append(self.run(side, name, *arguments))
        return found

    def distance(self, name):
        """Largest difference of all outputs as float32, by the largest value."""
        values = {}
        with tempfile.TemporaryDirectory() as folder:
            for side in self.sides:
                path = Path(folder) / side
                self.run(side, name, "--output", path, "--iters", 1)
                data = path.read_bytes()
                values[side] = struct.unpack(f"<{len(data) // 4}f", data)
        theirs = values[self.sides[1]]
        if len(values["ours"]) != len(theirs):
            return float("inf")
        largest = max(map(abs, theirs), default=0) or 1
        return max((abs(a - b) for a, b in zip(values["ours"], theirs)), default=0) / largest


def least(runs, key):
    return {side: min(r[key] for r in found) for side, found in runs.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", required=True)
    parser.add_argument("--build", default=ROOT / "build/bench")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--against", choices=("upstream", "onednn"), default="upstream")
    parser.add_argument("--json")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    bench = Bench(options)
    threads = [int(t) for t in options.threads.split(",")]
    names = [p.stem for p in sorted(bench.folder.glob("*.pte")) if not options.only or p.stem in options.only]
    rows = []
    heads = [f"{t} thread{'s' * (t > 1)}: ours, {bench.sides[1]}, ratio" for t in threads]
    print("| program | " + " | ".join(heads) + f" | load: ours, {bench.sides[1]} | peak memory: ours, {bench.sides[1]} | outputs apart |")
    print("|" + "---|" * (len(threads) + 4))
    for name in names:
        row = {"name": name, "apart": bench.distance(name), "threads": {}}
        cells = []
        for t in threads:
            runs = bench.rounds_of(name, "--threads", t, "--seconds", bench.seconds)
            times, row["peak_kb"] = least(runs, "median"), least(runs, "peak_kb")
            row["threads"][t] = {**times, "ratio": times["ours"] / times[options.against]}
            cells.append(f"{times['ours'] / 1e6:.2f} ms, {times[options.against] / 1e6:.2f} ms, "
                         f"{row['threads'][t]['ratio']:.2f}")
        row["load_ns"] = least(bench.rounds_of(name, "--load-only"), "ns")
        cells.append(", ".join(f"{row['load_ns'][s] / 1e6:.1f} ms" for s in bench.sides))
        cells.append(", ".join(f"{row['peak_kb'][s] / 1024:.1f} MB" for s in bench.sides))
        cells.append(f"{row['apart']:.1e}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
        rows.append(row)
    if options.json:
        Path(options.json).write_text(json.dumps({"load": os.getloadavg()[0], "rows": rows}, indent=1) + "\n")
    ratios = [[r["threads"][t]["ratio"] for t in threads] for r in rows]
    slow = [r["name"] for r, q in zip(rows, ratios) if max(q) > MOST]
    faster = sum(max(q) < 1 for q in ratios)
    print(f"\nfaster with any number of threads: {faster} of {len(rows)}; above {MOST} of {options.against}'s time: {', '.join(slow) or 'none'}")
    if options.check and (slow or faster < 2):
        sys.exit(1)


if __name__ == "__main__":
    main()
