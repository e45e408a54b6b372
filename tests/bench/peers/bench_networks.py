#!/usr/bin/env python3
"""Networks here beside upstream's ExecuTorch, ONNX Runtime and LiteRT, in one run.

usage: bench_networks.py --cases FOLDER [--peers PYTHON] [--build DIR] [--threads 1,2] [--rounds N] [--seconds S]
                         [--only NAME...] [--json FILE]

FOLDER comes from make_networks.py; PYTHON has onnxruntime and ai-edge-litert (ET_PEERS_PYTHON). The sides take turns,
forwards and backwards, each run a process of its own; a time is the least median of all rounds: CPU time with one thread
(on one core), the wall with more. A ratio is our time by theirs: below 1 this project is faster. Outputs are compared with
ours first: the largest difference by the largest value.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SIDES = {"ours": ".pte", "upstream": ".pte", "onnxruntime": ".onnx", "litert": ".tflite"}


class Bench:
    def __init__(self, options):
        self.options, self.folder = options, Path(options.cases)
        self.tools = Path(options.build) / "tests/bench/tools"
        self.core = max(os.sched_getaffinity(0))

    def command(self, side, name):
        model = self.folder / (name + SIDES[side])
        program = self.tools / {"ours": "et_bench_runtime", "upstream": "et_bench_upstream"}.get(side, "-")
        if side in ("ours", "upstream"):
            return [program, model] if program.exists() and model.exists() else None
        return [self.options.peers, HERE / "network_side.py", side, model] if self.options.peers and model.exists() else None

    def run(self, side, name, threads, *arguments):
        command = [*self.command(side, name), "--inputs", self.folder / f"{name}.inputs", "--threads", threads, *arguments]
        cores = {self.core} if threads == 1 else os.sched_getaffinity(0)
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              preexec_fn=lambda: os.sched_setaffinity(0, cores))
        if done.returncode != 0:
            sys.exit(f"{name}: {side}: {(done.stderr or done.stdout).strip()[-500:]}")
        return json.loads(done.stdout.strip().splitlines()[-1])

    def outputs(self, name, sides):
        found = {}
        with tempfile.TemporaryDirectory() as scratch:
            for side in sides:
                self.run(side, name, 1, "--seconds", 0, "--output", Path(scratch) / side)
                found[side] = np.fromfile(Path(scratch) / side, np.float32)
        ours = found["ours"]
        return {side: float(np.abs(out - ours).max() / np.abs(ours).max()) if out.size == ours.size else float("inf")
                for side, out in found.items()}

    def measure(self, name, sides, threads):
        best = {side: float("inf") for side in sides}
        for _ in range(self.options.rounds):
            for side in sides + sides[::-1]:
                done = self.run(side, name, threads, "--seconds", self.options.seconds)
                best[side] = min(best[side], done["median"])
        return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", required=True)
    parser.add_argument("--peers", default=os.environ.get("ET_PEERS_PYTHON"))
    parser.add_argument("--upstream", help="for bench_decoding.py; et_bench_upstream is what runs here")
    parser.add_argument("--build", default=os.environ.get("ET_BUILD", ROOT / "build/bench"))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--json")
    options = parser.parse_args()
    bench, rows = Bench(options), []
    names = sorted(p.stem for p in bench.folder.glob("*.pte"))
    print("| network | threads | ours | upstream, ratio | ONNX Runtime, ratio | LiteRT, ratio | outputs apart |")
    print("|---|---|---|---|---|---|---|")
    for name in names:
        if options.only and name not in options.only:
            continue
        sides = [side for side in SIDES if bench.command(side, name)]
        if "ours" not in sides:
            sys.exit(f"{bench.tools}: no et_bench_runtime")
        apart = bench.outputs(name, sides)
        for threads in (int(t) for t in options.threads.split(",")):
            times = bench.measure(name, sides, threads)
            cells = [f"{times[s] / 1e6:.2f} ms, {times['ours'] / times[s]:.2f}" if s in times else "" for s in list(SIDES)[1:]]
            differences = ", ".join(f"{apart[s]:.0e}" if s in apart else "–" for s in list(SIDES)[1:])
            print(f"| {name} | {threads} | {times['ours'] / 1e6:.2f} ms | " + " | ".join(cells) + f" | {differences} |", flush=True)
            rows.append({"name": name, "threads": threads, "times": times, "apart": apart})
    print(f"\nload {os.getloadavg()[0]:.1f}")
    if options.json:
        Path(options.json).write_text(json.dumps({"load": os.getloadavg()[0], "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
