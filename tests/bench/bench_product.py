#!/usr/bin/env python3
"""The product's speed as a user meets it, in one table: import, start, queries; each beside a reference that is measured
in the same run (plain SQLite, upstream's Inspector), so that the ratios hold on any machine.

usage: bench_product.py [--build DIR] [--only start,import,large] [--quick] [--check]

Makes its own traces in a folder that it removes. Upstream is found through ET_UPSTREAM_PYTHON (a Python that has
executorch), else python3 is tried; without it those rows are left out. Every command runs on one core. Throughput is
counted in CPU seconds (user + system, the best of some runs), latency as the median of the wall clock; on a machine
that others keep busy the wall clock says little, so latency is then judged by CPU time, and the table says so.
Exit code with --check: 1 when a goal is missed.
"""
import argparse
import json
import os
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests/fixtures/artifacts"
JOINED = "partial_delegation"  # its record and program are joined with the big trace made of its dump
SMALL = ("partial_delegation", "mobilenet_v2_035_xnnpack_int8", "nanogpt_xnnpack_qd4")


class Run:
    """One run of a command, on one core unless told otherwise: seconds of the wall clock, of the CPU (of all threads),
    and the largest resident size in MB."""

    def __init__(self, command, env=None, all_cores=False):
        cores = os.sched_getaffinity(0) if all_cores else {max(os.sched_getaffinity(0))}
        start = time.perf_counter()
        child = subprocess.Popen(
            [str(c) for c in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
        self.output = child.stdout.read().decode()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.wall = time.perf_counter() - start
        self.cpu = usage.ru_utime + usage.ru_stime
        self.rss = usage.ru_maxrss / 1024
        if child.returncode != 0:
            sys.exit(f"bench_product: exit code {child.returncode}: {' '.join(map(str, command))}")


class Table:
    def __init__(self, busy):
        self.busy = busy
        self.rows = []
        self.missed = 0

    def add(self, what, figure, note="", goal="", met=None):
        verdict = "" if met is None else "met" if met else "MISSED"
        self.missed += met is False
        self.rows.append((what, figure, note, goal, verdict))
        print(".", end="", file=sys.stderr, flush=True)

    def throughput(self, what, runs, events, note, goal):
        """`goal`: millions of events a second of the wall clock; on a busy machine of CPU time, both threads added."""
        cpu, wall = (events / min(getattr(r, clock) for r in runs) / 1e6 for clock in ("cpu", "wall"))
        text = f"{cpu:.2f} M events/s CPU, {wall:.2f} M wall, {max(r.rss for r in runs):.0f} MB"
        self.add(what, text, note(cpu), f"≥ {goal} M/s", (cpu if self.busy else wall) >= goal)

    def latency(self, what, runs, limit_ms=None, note=""):
        wall = 1e3 * statistics.median(r.wall for r in runs)
        cpu = 1e3 * statistics.median(r.cpu for r in runs)
        text = f"{wall:.1f} ms wall, {cpu:.1f} ms CPU"
        judged = cpu if self.busy else wall
        if limit_ms is None:
            self.add(what, text, note)
        else:
            self.add(what, text, note, f"< {limit_ms} ms", judged < limit_ms)

    def print(self):
        print(file=sys.stderr)
        head = ("measured", "figure", "beside", "goal", "")
        widths = [max(len(r[c]) for r in [head, *self.rows]) for c in range(5)]
        for row in [head, tuple("─" * w for w in widths), *self.rows]:
            print("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip())


def find_upstream():
    """(python, version), or None."""
    python = os.environ.get("ET_UPSTREAM_PYTHON", sys.executable)
    probe = subprocess.run(
        [python, Path(__file__).with_name("upstream_inspector.py"), "--probe"], capture_output=True, text=True
    )
    return (python, probe.stdout.strip()) if probe.returncode == 0 else None


class Bench:
    def __init__(self, build, work, quick, table):
        self.command = build / "bin/et-inspect"
        self.maker = build / "tests/support/et_make_trace"
        self.sqlite = build / "tests/bench/tools/et_bench_sqlite"
        for tool in (self.command, self.maker, self.sqlite):
            if not tool.exists():
                sys.exit(f"bench_product: {tool} is not built (scripts/run_bench.sh builds it)")
        self.work, self.table = work, table
        self.executions = 2_000 if quick else 20_000
        self.large = 40_000 if quick else 400_000
        self.runs = 3 if quick else 7

    def make(self, name, *options):
        """A trace and the number of its events."""
        path = self.work / name
        out = Run([self.maker, path, *options]).output
        return path, int(out.rsplit(": ", 1)[1].split(" ")[0])

    def ingest(self, dump, *options):
        store = self.work / "store.db"
        store.unlink(missing_ok=True)
        run = Run([self.command, dump, "--store", store, "--top", 1, *options], all_cores=True)
        rows = sqlite3.connect(store).execute("SELECT count(*) FROM raw_sample").fetchone()[0]
        return run, rows

    def throughput(self):
        """Import of some 500,000 events, plain and joined, interleaved with plain SQLite's insertion."""
        case = FIXTURES / JOINED
        plain, events = self.make("big.etdp", "--executions", self.executions)
        # As many events: the fixture's execution has 15.
        joined, joined_events = self.make(
            "joined.etdp", "--repeat-of", case / "etdump.etdp", "--executions", self.executions * 25 // 15
        )
        belongs = ("--etrecord", case / "etrecord.bin", "--pte", case / "program.pte")
        variants = {"plain": [], "joined": [], "alone": [], "insert": []}
        for _ in range(self.runs):
            for key, dump, count, options in (
                ("plain", plain, events, ()),
                ("joined", joined, joined_events, belongs),
                ("alone", joined, joined_events, ()),
            ):
                run, rows = self.ingest(dump, *options)
                if rows != count:
                    sys.exit(f"bench_product: {dump.name}: {rows} samples in the store, expected {count}")
                variants[key].append(run)
            variants["insert"].append(Run([self.sqlite, "insert", self.work / "plain.db", events]))
        sql_cpu = min(r.cpu for r in variants["insert"])
        sql_rate = events / sql_cpu
        self.table.add("SQLite alone: rows of four integers", f"{sql_rate / 1e6:.2f} M rows/s CPU")
        beside = lambda rate: f"{rate / (sql_rate / 1e6):.2f} × SQLite alone"
        self.table.throughput(f"import of {events:,} events into a store on disk", variants["plain"], events, beside, 2.5)
        alone = min(r.cpu for r in variants["alone"])
        share = min(r.cpu for r in variants["joined"]) / alone - 1
        self.table.throughput(
            "  the same with record and program joined", variants["joined"], joined_events,
            lambda rate: f"{beside(rate)}; join {share:+.0%}", 2,
        )
        rss = max(r.rss for r in variants["plain"] + variants["joined"])
        self.table.add("  largest resident size", f"{rss:.0f} MB", "", "≤ 200 MB", rss <= 200)
        ours = {key: min(r.cpu for r in variants[key]) for key in ("plain", "joined")}
        self.upstream("  upstream's Inspector, same file", ours["plain"], rss, plain)
        self.upstream("  upstream's Inspector, with the record", ours["joined"], rss, joined, case / "etrecord.bin")
        plain.unlink()
        joined.unlink()

    def upstream(self, what, our_cpu, our_rss, dump, *record):
        upstream = find_upstream()
        if upstream is None:
            self.table.add(what, "not installed", "set ET_UPSTREAM_PYTHON")
            return
        python, version = upstream
        script = Path(__file__).with_name("upstream_inspector.py")
        run = Run([python, script, dump, *record], env={**os.environ, "OMP_NUM_THREADS": "1"})
        took = json.loads(run.output.splitlines()[-1])
        ratio = took["cpu"] / our_cpu
        self.table.add(
            what, f"{took['cpu']:.1f} s CPU ({took['wall']:.1f} s wall), {took['rss_kb'] / 1024:.0f} MB",
            f"{version}: {ratio:.0f} × our time, {took['rss_kb'] / 1024 / our_rss:.0f} × our memory",
            "≥ 50 ×", ratio >= 50,
        )

    def start_to_exit(self):
        times = 30
        self.table.latency("start to exit: --version", [Run([self.command, "--version"]) for _ in range(times)])
        one, _ = self.make("one.etdp", "--executions", 1)
        runs = [Run([self.command, one, "--no-neighbours"]) for _ in range(times)]
        self.table.latency("first table of 25 events, start to exit", runs, 5)
        for name in SMALL:
            case = FIXTURES / name
            runs = [Run([self.command, case / "etdump.etdp", "--etrecord", case / "etrecord.bin"]) for _ in range(times)]
            self.table.latency(f"start to exit: {name} with its record", runs, 50)

    def large_store(self):
        dump, events = self.make("large.etdp", "--executions", self.large)
        run, rows = self.ingest(dump)
        if rows != events:
            sys.exit(f"bench_product: {rows} samples in the store, expected {events}")
        dump.unlink()
        store = self.work / "store.db"
        bytes_a_sample = f"store of {store.stat().st_size / events:.1f} bytes a sample"
        self.table.throughput(f"import of {events:,} events", [run], events, lambda _: bytes_a_sample, 1.5)
        in_process = lambda sql: [
            [float(x) for x in line.split()]
            for line in Run([self.sqlite, "query", store, 15, sql]).output.splitlines()
        ]
        ops = in_process("SELECT * FROM ops ORDER BY self_ns DESC")
        opened = statistics.median(r[0] for r in ops)
        asked = statistics.median(r[1] for r in ops)
        self.table.add("  opening that store", f"{opened:.2f} ms", "", "< 100 ms", opened < 100)
        self.table.add("  SELECT * FROM ops", f"{asked:.2f} ms", f"{ops[0][2]:.0f} rows", "< 50 ms", asked < 50)
        self.table.latency("  main report of it, start to exit", [Run([self.command, store]) for _ in range(15)], 30)
        # Anybody's SQLite reads it: the view, in Python.
        took = []
        for _ in range(5):
            start = time.process_time()
            db = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
            op = db.execute("SELECT op_id FROM ops WHERE count > 1 ORDER BY sum_ns DESC").fetchone()[0]
            read = db.execute("SELECT run_id, start_ns, duration_ns FROM samples WHERE op_id = ?", (op,)).fetchall()
            took.append(time.process_time() - start)
        took = min(took)
        self.table.add("  samples of one op by plain sqlite3", f"{1e3 * took:.0f} ms CPU", f"{len(read):,} samples in Python")


def main():
    parser = argparse.ArgumentParser(description="Measures et-inspect beside plain SQLite and upstream's Inspector.")
    parser.add_argument("--build", type=Path, default=Path(os.environ.get("ET_BUILD", ROOT / "build/bench")))
    parser.add_argument("--quick", action="store_true", help="a tenth of the events: for trying the script")
    parser.add_argument("--only", default="start,import,large", help="parts to measure: start, import, large")
    parser.add_argument("--check", action="store_true", help="exit code 1 when a goal is missed")
    args = parser.parse_args()
    parts = {"start": Bench.start_to_exit, "import": Bench.throughput, "large": Bench.large_store}
    if unknown := set(args.only.split(",")) - set(parts):
        parser.error(f"--only: no part '{min(unknown)}' (start, import, large)")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the traces are removed
    build = args.build.resolve()
    busy = os.getloadavg()[0] > 0.75 * os.cpu_count()
    table = Table(busy)
    work = Path(tempfile.mkdtemp(prefix="bench-data-", dir=build))  # on disk, where a user's store would be
    try:
        bench = Bench(build, work, args.quick, table)
        for part in args.only.split(","):
            parts[part](bench)
    finally:
        shutil.rmtree(work)
    table.print()
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    if busy:
        print(f"The machine is busy ({load}): start-to-exit goals are judged by CPU time.")
    return 1 if args.check and table.missed else 0


if __name__ == "__main__":
    sys.exit(main())
