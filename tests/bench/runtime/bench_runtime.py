#!/usr/bin/env python3
"""The runtime beside upstream's: operators one by one, dispatch, tracing. One thread, one core, the two programs in turn
(ours, theirs, theirs, ours), so that a busy spell of the machine meets both.

usage: bench_runtime.py --cases FOLDER [--build DIR] [--only kernels,tracing,load,providers] [--case NAME...]
                        [--rounds N] [--seconds S] [--json FILE] [--check]

FOLDER comes from make_cases.py; the part load takes FOLDER/large.pte from make_large.py, when it is there. The part
providers measures our own products and convolutions beside oneDNN's (et_bench_onednn); the others need upstream's
program (et_bench_upstream). What is missing is left out. A ratio is the other's time by ours: above 1 the product is
faster. Times are the least of all rounds' medians for a case; outputs of both sides are compared first. Exit code with
--check: 1 when a goal is missed.
"""
import argparse
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SIDES = ("ours", "upstream")
MATRIX = ("aten::mm", "aten::bmm", "aten::addmm", "aten::linear", "aten::convolution")  # what providers take


class Bench:
    def __init__(self, tools, arguments):
        self.programs = {"ours": tools / "et_bench_runtime", "upstream": tools / "et_bench_upstream",
                         "onednn": tools / "et_bench_onednn"}
        self.rounds, self.seconds = arguments.rounds, arguments.seconds
        self.core = max(os.sched_getaffinity(0))

    def run(self, side, *arguments):
        """One run's JSON, or the text of its failure."""
        done = subprocess.run(
            [str(self.programs[side]), *map(str, arguments)],
            capture_output=True,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},  # oneDNN's threads; one thread's time is taken
            preexec_fn=lambda: os.sched_setaffinity(0, {self.core}),
        )
        if done.returncode != 0:
            lines = (done.stderr or done.stdout).strip().splitlines()
            return lines[0] if lines else f"exit code {done.returncode}"
        return json.loads(done.stdout.strip().splitlines()[-1])

    def pair(self, *arguments, sides=SIDES):
        """Least median of both sides in ns; a text instead where a side fails."""
        times = {side: [] for side in sides}
        for _ in range(self.rounds):
            for side in sides + sides[::-1]:
                result = self.run(side, *arguments, "--seconds", self.seconds)
                if isinstance(result, str):
                    return {**{s: None for s in sides}, "failure": f"{side}: {result}"}
                times[side].append(result["median"])
        return {side: min(found) for side, found in times.items()}


def differs(a, b):
    """Largest distance of two files as float32; None when they are equal or no such numbers."""
    if a == b:
        return None
    if len(a) != len(b) or len(a) % 4:
        return "sizes differ" if len(a) != len(b) else "bytes differ"
    count = len(a) // 4
    pairs = zip(struct.unpack(f"<{count}f", a), struct.unpack(f"<{count}f", b))
    worst = max((abs(x - y) / (1 + abs(y)) for x, y in pairs if x == x and y == y), default=0)
    return f"{worst:.1e} apart" if worst > 1e-4 else None


def compare(bench, folder, names, sides):
    """One row for each case of cases.json, measured with both sides."""
    cases = json.loads((folder / "cases.json").read_text())
    rows = []
    ours, other = sides
    for case in cases:
        name = case["name"]
        if name == "thousand_adds" or (names and name not in names):
            continue
        if other == "onednn" and case["operator"].rpartition(".")[0] not in MATRIX:
            continue
        program, inputs = folder / f"{name}.pte", folder / f"{name}.inputs"
        row = {"name": name, "operator": case["operator"], "shapes": case["shapes"]}
        outputs = {}
        for side in sides:
            output = folder / f"{name}.{side}"
            result = bench.run(side, program, "--inputs", inputs, "--output", output, "--iters", 1)
            if isinstance(result, str):
                row["failure"] = f"{side}: {result}"
                break
            outputs[side] = output.read_bytes()
            output.unlink()
        if "failure" not in row:
            row["difference"] = differs(outputs[ours], outputs[other])
            row.update(bench.pair(program, "--inputs", inputs, sides=sides))
        if row.get(ours):
            row["ratio"] = row[other] / row[ours]
            note = f"   outputs: {row['difference']}" if row["difference"] else ""
            print(f"{name:24} {row[ours] / 1e3:10.2f} µs  {other} {row[other] / 1e3:10.2f} µs  {row['ratio']:7.2f} ×{note}", flush=True)
        else:
            print(f"{name:24} {row['failure']}", flush=True)
        rows.append(row)
    return rows


def kernels(bench, folder, names):
    rows = compare(bench, folder, names, SIDES)
    measured = [r for r in rows if "ratio" in r]
    ahead = sum(r["ratio"] >= 1 for r in measured)
    slow = [r["name"] for r in measured if r["ratio"] < 1 / 1.2]
    print(f"{ahead} of {len(measured)} cases at least as fast as upstream; slower than 1.2 × its time: {', '.join(slow) or 'none'}")
    return rows, not slow and ahead >= len(measured) - 2


def least(a, b):
    return a if a.get("failure") else b if b.get("failure") else {side: min(a[side], b[side]) for side in SIDES}


def dispatch(bench, folder):
    adds = folder / "thousand_adds.pte"
    plain, traced = bench.pair(adds), bench.pair(adds, "--trace", "etdump")
    for _ in range(2):  # one is subtracted from the other, so both must see the machine in the same states
        plain, traced = least(plain, bench.pair(adds)), least(traced, bench.pair(adds, "--trace", "etdump"))
    good = True
    found = {"plain": plain, "traced": traced}
    for name, row in found.items():
        if row.get("failure"):
            print(f"1000 additions, {name}: {row['failure']}")
            return found, False
        row["ratio"] = row["upstream"] / row["ours"]
        good = good and row["ratio"] >= 1
        print(f"1000 additions, {name:7} {row['ours'] / 1e3:8.2f} µs  upstream {row['upstream'] / 1e3:8.2f} µs  {row['ratio']:6.2f} ×")
    return found, good


EVENTS_OF_ADDS = 2001  # native_call and OPERATOR_CALL for each, Method::execute


def tracing(bench, folder):
    executed, _ = dispatch(bench, folder)
    events = 10000
    alone = bench.pair("--events", events)
    rows = {"loop": {side: alone[side] / events for side in SIDES}}
    if not executed["traced"].get("failure"):
        rows["executed"] = {side: (executed["traced"][side] - executed["plain"][side]) / EVENTS_OF_ADDS for side in SIDES}
    for name, row in rows.items():
        row["ratio"] = row["upstream"] / row["ours"] if row["ours"] > 0 else 0
        print(f"one event, {name:9} {row['ours']:7.1f} ns  upstream {row['upstream']:7.1f} ns  {row['ratio']:6.2f} ×")
    return {"dispatch": executed, **rows}, all(r["ratio"] >= 5 for r in rows.values())


def load(bench, folder):
    """Time and memory of loading without running: weights are mapped, so only what is read takes memory."""
    program = folder / "large.pte"
    if not program.exists():
        print("load: no large.pte, left out")
        return {}, True
    size = program.stat().st_size / 1024
    rows = {side: min((bench.run(side, program, "--load-only") for _ in range(3)), key=lambda r: r["ns"]) for side in SIDES}
    for side, row in rows.items():
        grown = row["rss_kb"] - row["rss_before_kb"]
        print(f"load of {size / 1024:.0f} MB, {side:8} {row['ns'] / 1e6:6.2f} ms CPU, resident {row['rss_before_kb']} to {row['rss_kb']} KB (+{grown})")
    return rows, rows["ours"]["rss_kb"] - rows["ours"]["rss_before_kb"] < size / 100


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", required=True, type=Path)
    parser.add_argument("--build", type=Path, default=Path(os.environ.get("ET_BUILD", ROOT / "build/bench")))
    parser.add_argument("--only", default="kernels,tracing,load,providers")
    parser.add_argument("--case", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    bench = Bench(arguments.build / "tests/bench/tools", arguments)
    result, good = {}, True
    parts = {
        "kernels": lambda: kernels(bench, arguments.cases, arguments.case),
        "tracing": lambda: tracing(bench, arguments.cases),
        "load": lambda: load(bench, arguments.cases),
        "providers": lambda: (compare(bench, arguments.cases, arguments.case, ("ours", "onednn")), True),
    }
    for part, measure in parts.items():
        if part in arguments.only.split(","):
            missing = [p.name for s in ("ours", "onednn" if part == "providers" else "upstream") if not (p := bench.programs[s]).exists()]
            if missing:
                print(f"bench_runtime: no {', '.join(missing)}: {part} left out")
                continue
            result[part], met = measure()
            good = good and met
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    if arguments.check and not good:
        sys.exit(1)


if __name__ == "__main__":
    main()
