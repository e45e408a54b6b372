#!/usr/bin/env python3
"""Decoding of a llama-like network (llama_weights.py) here beside upstream, llama.cpp and ONNX Runtime, in one run.

usage: bench_decoding.py --cases FOLDER [--peers PYTHON] [--upstream PYTHON] [--build DIR] [--threads 1,2] [--rounds N]
                         [--tokens N] [--prompt N] [--only SIDE...] [--weights '4 bits'] [--json FILE] [--check]

FOLDER comes from make_llama.py and make_llama_peers.py; PYTHON is one that has the peers (ET_PEERS_PYTHON), one that has
executorch (ET_UPSTREAM_PYTHON). Sides without Python or model are left out. Each run is a process of its own; the sides
take turns, forwards and backwards. Tokens a second are those of the median step, of the best run: of CPU time with one
thread (on one core), by the wall with more. Before that the logits behind the prompt are compared with ours: all compute
the same network, up to the rounding of their quantisations. --check: exit code 1 when a side at equal bits is faster.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import llama_weights as sizes

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
KINDS = {"4 bits": {"ours": "llama_q4.pte", "upstream": "llama_q4.pte", "llama.cpp": "llama_q4.gguf",
                    "onnxruntime": "llama_q4.onnx"},
         "8 bits": {"ours": "llama_q8.pte", "upstream": "llama_q8.pte", "llama.cpp": "llama_q8.gguf",
                    "onnxruntime": "llama_q8.onnx", "onnxruntime, MatMulNBits": "llama_q8_nbits.onnx"}}
# Least cosine of the logits. Random weights keep each rounding of four bits; another network's is about 0.
ALIKE = {"4 bits": 0.6, "8 bits": 0.98}


class Bench:
    def __init__(self, options):
        self.options, self.folder = options, Path(options.cases)
        self.program = Path(options.build) / "tests/bench/tools/et_bench_decode"
        self.core = max(os.sched_getaffinity(0))

    def command(self, side, model):
        if side == "ours":
            return [self.program, self.folder / model]
        kind = side.split(",")[0]
        python = self.options.upstream if kind == "upstream" else self.options.peers
        return [python, HERE / "decode_side.py", kind, self.folder / model] if python else None

    def run(self, side, model, threads, *arguments):
        command = [*self.command(side, model), "--threads", threads, "--prompt", self.prompt, *arguments]
        cores = {self.core} if threads == 1 else os.sched_getaffinity(0)
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              env={**os.environ, "OMP_NUM_THREADS": str(threads)},
                              preexec_fn=lambda: os.sched_setaffinity(0, cores))
        if done.returncode != 0:
            lines = (done.stderr or done.stdout).strip().splitlines()
            return lines[-1] if lines else f"exit code {done.returncode}"
        return json.loads(done.stdout.strip().splitlines()[-1])

    def sides(self, kind, models):
        """Those that run, with the cosine of their logits and ours."""
        found, logits = {}, {}
        for side, model in models.items():
            if not self.command(side, model) or not (self.folder / model).exists():
                print(f"{side}: no Python or no {model}, left out", file=sys.stderr)
                continue
            path = Path(self.scratch) / "logits"
            done = self.run(side, model, 1, "--tokens", 1, "--logits", path)
            if isinstance(done, str):
                print(f"{side}, {model}: {done}, left out", file=sys.stderr)
                continue
            logits[side] = np.fromfile(path, np.float32)
            ours = logits["ours"]
            norm = np.linalg.norm(ours) * np.linalg.norm(logits[side])
            found[side] = float(ours @ logits[side] / norm)
            if not found[side] > ALIKE[kind]:
                sys.exit(f"{side}, {model}: another network; the cosine of its logits and ours is {found[side]:.3f}")
        return found

    def measure(self, models, threads):
        sides, best = list(models), {}
        for _ in range(self.options.rounds):
            for side in sides + sides[::-1]:
                done = self.run(side, models[side], threads, "--tokens", self.options.tokens)
                if isinstance(done, str):
                    sys.exit(f"{side}: {done}")
                clock = "cpu" if threads == 1 else "wall"
                took = {"step": statistics.median(done[clock]), "prompt": done["prompt"][clock]}
                best[side] = {k: min(v, best.get(side, took)[k]) for k, v in took.items()}
        return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", required=True)
    parser.add_argument("--peers", default=os.environ.get("ET_PEERS_PYTHON"))
    parser.add_argument("--upstream", default=os.environ.get("ET_UPSTREAM_PYTHON"))
    parser.add_argument("--build", default=os.environ.get("ET_BUILD", ROOT / "build/bench"))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--prompt", type=int, default=128)
    parser.add_argument("--only", nargs="*", default=[], help="sides beside ours")
    parser.add_argument("--weights", choices=KINDS, help="of one kind only")
    parser.add_argument("--json")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.prompt + options.tokens > sizes.CONTEXT - 1:
        parser.error(f"prompt and tokens: at most {sizes.CONTEXT - 1} together")
    bench, rows, behind = Bench(options), [], []
    print("| weights | threads | side | tokens/s | of ours | prompt, tokens/s | of ours | weights read, GB/s | cosine of logits |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        bench.scratch, bench.prompt = scratch, Path(scratch) / "prompt"
        sizes.prompt(options.prompt).tofile(bench.prompt)
        for kind, models in KINDS.items():
            if options.weights not in (None, kind):
                continue
            alike = bench.sides(kind, {s: m for s, m in models.items() if s == "ours" or not options.only or s in options.only})
            for threads in (int(t) for t in options.threads.split(",")):
                best = bench.measure({side: models[side] for side in alike}, threads)
                for side, took in best.items():
                    speed = {"step": 1 / took["step"], "prompt": options.prompt / took["prompt"]}
                    part = {k: best["ours"][k] / took[k] for k in took}
                    # Q4_0 and its like: half a byte and a scale of 16 bits for each 32.
                    read = sizes.linear_weights() * (4.5 if kind == "4 bits" else 8) / 8 * speed["step"] * 1e-9
                    print(f"| {kind} | {threads} | {side} | {speed['step']:.1f} | {part['step']:.2f} | {speed['prompt']:.0f} | "
                          f"{part['prompt']:.2f} | {read:.1f} | {alike[side]:.4f} |", flush=True)
                    rows.append({"kind": kind, "threads": threads, "side": side, **took, "cosine": alike[side]})
                    if part["step"] > 1:
                        behind.append(f"{side} ({kind}, {threads} threads)")
    print(f"\nload {os.getloadavg()[0]:.1f}; faster than ours in decoding: {', '.join(behind) or 'none'}")
    if options.json:
        Path(options.json).write_text(json.dumps({"load": os.getloadavg()[0], "rows": rows}, indent=1) + "\n")
    if options.check and behind:
        sys.exit(1)


if __name__ == "__main__":
    main()
