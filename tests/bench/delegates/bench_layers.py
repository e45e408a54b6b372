#!/usr/bin/env python3
"""Each op beside upstream's: both runtimes write an ETDump of the same program in turn, et-inspect's own diff joins the two, and
every op that takes longer than upstream's is printed.

usage: bench_layers.py [--build DIR] [--threads 1,2] [--rounds N] [--again N] [--seconds S] [--only WORD...] [--every N]
                       [--json FILE] [--check] FOLDER_OR_PROGRAM...

A folder with cases.json (make_xnnpack_cases.py --generated) is a set: one geometric mean for all of it, and programs of open
length run at each of their lengths. Every program of another folder (make_delegated.py), and every .pte named, has its own.
Inputs are NAME.inputs beside the program, else zeros.

An op is a row of the diff: a kernel, or a node inside XNNPACK. Upstream states the latter in whole microseconds and cuts off the
rest, so half a microsecond is added to each. What neither runtime attributes to an op, and rows that stand for different numbers
of ops on both sides, count in the time of the whole program only. The program's
time is that of untraced runs, of one thread its CPU time. An op's is the least of several traces (ours, theirs, theirs, ours;
warm executions, by the wall clock; one thread pinned to one core); traces that took much longer than the program does were
interrupted and are taken again. What is above 1.1 is measured again, up to --again times, before it counts. A ratio is our time by theirs: below 1 the product is faster.
--check: exit code 1 when an op takes more than 1.2 of upstream's time and more than 3 us, or when a geometric mean of the ops'
ratios or of the programs' is above 0.9.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SIDES = {"ours": "et_bench_runtime", "upstream": "et_bench_upstream"}
TOLD, MOST, MEAN, SMALL = 1.1, 1.2, 0.9, 3000  # ratios; ns
TRIES, DISTURBED = 5, 1.3
HALF = 500  # ns: what XNNPACK's whole microseconds lose in the mean
WHOLE = ("", "the program", "", 0)


class Failure(Exception):
    pass


class Bench:
    def __init__(self, options, folder):
        self.build, self.seconds, self.folder = Path(options.build), options.seconds, Path(folder)
        self.cores = sorted(os.sched_getaffinity(0))

    def run(self, threads, *words):
        cores = self.cores[-1:] if threads == 1 else self.cores
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True,
                              env={**os.environ, "OMP_NUM_THREADS": str(threads)},
                              preexec_fn=lambda: os.sched_setaffinity(0, cores))
        if done.returncode != 0:
            raise Failure(f"{Path(words[0]).name}: {(done.stderr or done.stdout).strip() or f'exit code {done.returncode}'}")
        return done.stdout

    def bench(self, side, program, sizes, threads, *more):
        inputs = program.with_suffix(".inputs")
        given = ("--inputs", inputs) if inputs.exists() else ()
        given += ("--sizes", sizes) if sizes else ()
        return self.run(threads, self.build / "tests/bench/tools" / SIDES[side], program, *given, "--threads", threads,
                        "--seconds", self.seconds, *more)

    def whole(self, side, program, sizes, threads):
        """The median of the whole program, untraced: of one thread by its CPU time."""
        return json.loads(self.bench(side, program, sizes, threads, "--warm", 8).strip().splitlines()[-1])["median"]

    def trace(self, side, program, sizes, threads):
        """Where the ETDump of one run is."""
        etdump = self.folder / f"{side}.etdp"
        self.bench(side, program, sizes, threads, "--etdump", etdump)
        return etdump

    def joined(self, program, before, after):
        """The rows of et-inspect's diff, {(method, op, line, which of these): {side: ns}}, and the traced executions."""
        text = self.run(1, self.build / "bin/et-inspect", "diff", before, after, "--pte", program, "--no-neighbours", "--quiet",
                        "--basis", "warm", "--json")
        diff, found, seen = json.loads(text)["diff"], {}, {}
        for group in diff["groups"]:
            name = (group["method"], group["op"], group["line"])
            seen[name] = seen.get(name, 0) + 1
            is_op = not group["op"].startswith("(") and group["op"] != "framework"
            if is_op and 0 < group["ops_before"] == group["ops_after"]:
                lost = HALF * group["ops_before"] if group["delegate_before"] else 0
                found[(*name, seen[name])] = {"upstream": group["before"] + lost, "ours": group["after"]}
        return found, {"upstream": diff["before"], "ours": diff["after"]}

    def round(self, program, sizes, threads):
        """A trace that took much longer than the program does was interrupted, and is taken again."""
        times = {side: min(self.whole(side, program, sizes, threads) for _ in range(2)) for side in SIDES}
        found = {}
        for turn in range(TRIES):
            sides = list(SIDES) if turn % 2 == 0 else list(SIDES)[::-1]
            traces = {side: self.trace(side, program, sizes, threads) for side in sides}
            rows, executed = self.joined(program, traces["upstream"], traces["ours"])
            found = least(found, rows)
            if turn > 0 and all(executed[side] <= DISTURBED * times[side] + SMALL for side in SIDES):
                break
        return {**found, WHOLE: times}


def least(a, b):
    return {op: {side: min(t.get(op, {}).get(side, math.inf) for t in (a, b)) for side in SIDES} for op in {**a, **b}}


def ratio(times):
    return times["ours"] / times["upstream"] if times["upstream"] > 0 else 1.0


def slow(times, most):
    return ratio(times) > most and times["ours"] > SMALL


def measure(bench, program, sizes, threads, options):
    found = {}
    for turn in range(options.rounds + options.again):
        if turn >= options.rounds and not any(slow(t, TOLD) for t in found.values()):
            break
        found = least(found, bench.round(program, sizes, threads))
    return found


def mean(times):
    """Geometric, of what takes a microsecond on either side."""
    ratios = [ratio(t) for t in times if max(t["ours"], t["upstream"]) >= 1000]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 0.0


def name_of(program):
    return program.stem if program.stem != "program" else program.parent.name


def programs_of(path):
    """(group that has one mean, program, sizes) of an argument."""
    if path.is_file():
        return [(name_of(path), path, "")]
    listed = path / "cases.json"
    if not listed.exists():
        return [(program.stem, program, "") for program in sorted(path.glob("*.pte"))]
    return [(path.name, path / f"{case['name']}.pte", sizes)
            for case in json.loads(listed.read_text()) for sizes in case.get("sizes") or [""]]


def tell(row):
    label = row["program"] + (f" [{row['sizes']}]" if row["sizes"] else "") + f": {row['op']} {row['line']}".rstrip()
    print(f"  {ratio(row):5.2f} × {row['ours'] / 1e3:9.2f} µs, upstream {row['upstream'] / 1e3:9.2f}  {label}", flush=True)


def run_group(bench, group, programs, threads, options):
    """Rows of all ops and programs of a group; what is slow is printed when it is found."""
    rows, failed = [], 0
    for program, sizes in programs:
        try:
            found = measure(bench, program, sizes, threads, options)
        except Failure as failure:
            print(f"  {program.name} {sizes}: {failure}", flush=True)
            failed += 1
            continue
        for (method, op, line, _), times in found.items():
            row = {"program": name_of(program), "sizes": sizes, "op": op, "line": line, "method": method, "threads": threads, **times}
            rows.append({**row, "group": group})
            if slow(times, TOLD):
                tell(row)
    ops = [r for r in rows if r["op"] != WHOLE[1]]
    whole = mean([r for r in rows if r["op"] == WHOLE[1]])
    over = sum(slow(r, MOST) for r in ops)
    print(f"{group}, {threads} thread{'s' * (threads > 1)}: geometric mean of {len(ops)} ops {mean(ops):.3f}, of {len(programs)} "
          f"programs' times {whole:.3f}; ops above {TOLD}: {sum(slow(r, TOLD) for r in ops)}, above {MOST}: {over}"
          + (f"; {failed} failed" if failed else ""), flush=True)
    return rows, not over and not failed and bool(rows) and max(mean(ops), whole) <= MEAN


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--build", default=os.environ.get("ET_BUILD", ROOT / "build/bench"))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--again", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--only", nargs="*", default=[], help="programs with one of these words in their names")
    parser.add_argument("--every", type=int, default=1, help="every Nth run of a set, for a look at it")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    groups = {}
    for path in options.paths:
        runs = programs_of(path)
        if not runs:
            sys.exit(f"bench_layers: {path}: no program there")
        for group, program, sizes in runs[:: options.every]:
            if not options.only or any(word in program.stem for word in options.only):
                groups.setdefault(group, []).append((program, sizes))
    good, rows = bool(groups), []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        for threads in map(int, options.threads.split(",")):
            for group, programs in groups.items():
                found, met = run_group(bench, group, programs, threads, options)
                rows, good = rows + found, good and met
    if options.json:
        options.json.write_text(json.dumps({"load": os.getloadavg()[0], "rows": rows}, indent=1) + "\n")
    sys.exit(1 if options.check and not good else 0)


if __name__ == "__main__":
    main()
