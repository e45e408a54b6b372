#!/usr/bin/env python3
"""The window at scale: frames, opening and memory of a tour over all panels, and what it takes when nothing happens.

usage: bench_gui.py [--build DIR] [--only many,ops,gpt,lstm,wide,idle] [--window] [--stores DIR] [--runs N] [--check]

Makes its stores with et_make_trace (3 GB for some minutes, 1 GB with the stores that stay in --stores). Frames are
counted in CPU time of the UI thread, so that a busy machine does not count; each tour is run several times and the best
of each figure stands. --window draws with OpenGL in Xvfb as well (in software). Exit code with --check: 1 when a goal is
missed.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "tests/fixtures/artifacts"
TICKS = os.sysconf("SC_CLK_TCK")

# name: what it is, options of et_make_trace, artefact whose record and program belong to it, goals: ms to open, MB
STORES = {
    "many": ("27 ops, 400,000 executions", ["--executions", 400000], None, (1000, 300)),
    "ops": ("2,000 ops, 5,000 executions", ["--ops", 1000, "--delegates", 0, "--executions", 5000], None, (1000, 300)),
    "gpt": ("a GPT's 290 ops with its record, 34,500 executions", ["--executions", 34500], "nanogpt_xnnpack_qd4",
            (1000, 300)),
    "lstm": ("an LSTM's 131 ops with record and program, 76,500 executions", ["--executions", 76500], "lstm",
             (1000, 300)),
    "wide": ("500,000 ops in one execution", ["--ops", 250000, "--delegates", 0, "--executions", 1], None,
             (3000, 400)),
}
FRAME_MS = 16
IDLE_PERCENT = 1


def run(command, **more):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"bench_gui: exit code {done.returncode}: {' '.join(map(str, command))}")
    return done.stdout


class Display:
    """An X server of its own."""

    def __enter__(self):
        out, into = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(into), "-screen", "0", "1440x900x24"], pass_fds=[into],
                                       stderr=subprocess.DEVNULL)
        os.close(into)
        with os.fdopen(out) as pipe:
            self.env = dict(os.environ, DISPLAY=":" + pipe.readline().strip())
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Bench:
    def __init__(self, args):
        self.build = args.build.resolve()
        self.args = args
        self.missed = 0
        self.make_trace = self.build / "tests/support/et_make_trace"
        self.inspect = self.build / "bin/et-inspect"

    def store(self, name):
        path = self.args.stores / f"{name}.db"
        if path.exists():
            return path
        _, options, artefact, _ = STORES[name]
        dump = self.args.stores / f"{name}.etdp"
        more = []
        if artefact:
            options = [*options, "--repeat-of", FIXTURES / artefact / "etdump.etdp"]
            more = ["--etrecord", FIXTURES / artefact / "etrecord.bin"]
            program = FIXTURES / artefact / "program.pte"
            more += ["--pte", program] if program.exists() else []
        run([self.make_trace, dump, *options])
        run([self.inspect, dump, *more, "--store", path])
        dump.unlink()
        return path

    def judge(self, value, goal):
        self.missed += value >= goal
        return "" if value < goal else " MISSED"

    def tour(self, name, display=None):
        what, _, _, (open_ms, megabytes) = STORES[name]
        command = [self.build / "bin/et_bench_gui", self.store(name), "--json", *(["--window"] if display else [])]
        env = display.env if display else None
        runs = [json.loads(run(command, env=env).splitlines()[-1]) for _ in range(self.args.runs)]
        best = {key: min(r[key] for r in runs) for key in runs[0]}
        print(f"{what}{', drawn by OpenGL' if display else ''}:\n"
              f"  frames: p50 {best['p50_ms']:.2f} ms, p99 {best['p99_ms']:.2f} ms, worst {best['worst_ms']:.2f} ms of "
              f"{best['frames']}{self.judge(best['worst_ms'], FRAME_MS)}\n"
              f"  open {best['open_ms']:.0f} ms{self.judge(best['open_ms'], open_ms)}, "
              f"peak {best['peak_mb']:.0f} MB{self.judge(best['peak_mb'], megabytes)}", flush=True)

    def idle(self):
        """CPU of the program while nothing happens, and while another program imports into its store."""
        with Display() as display, tempfile.TemporaryDirectory(dir=self.args.stores) as folder:
            store = Path(folder) / "live.db"
            dump = Path(folder) / "one.etdp"
            run([self.make_trace, dump, "--executions", 40000])
            run([self.inspect, dump, "--store", store])
            gui = subprocess.Popen([self.build / "bin/et-inspect-gui", "--no-settings", store], env=display.env)
            try:
                self.settle(gui.pid)
                percent = self.percent(gui.pid, 10)
                print(f"idle with a trace open: {percent:.2f} % of a core over 10 s{self.judge(percent, IDLE_PERCENT)}")
                before, begin = cpu_seconds(gui.pid), time.monotonic()
                for _ in range(3):
                    run([self.inspect, dump, "--store", store])
                self.settle(gui.pid)
                seconds = time.monotonic() - begin
                used = cpu_seconds(gui.pid) - before
                print(f"three imports of a million events into its store, followed: {used:.2f} s of CPU in {seconds:.1f} s")
                percent = self.percent(gui.pid, 10)
                print(f"idle afterwards: {percent:.2f} % of a core over 10 s{self.judge(percent, IDLE_PERCENT)}", flush=True)
            finally:
                gui.terminate()
                gui.wait()

    @staticmethod
    def percent(pid, seconds):
        before, begin = cpu_seconds(pid), time.monotonic()
        time.sleep(seconds)
        return 100 * (cpu_seconds(pid) - before) / (time.monotonic() - begin)

    @staticmethod
    def settle(pid, most=60):
        """Until two seconds pass with next to nothing done."""
        time.sleep(2)
        until = time.monotonic() + most
        while time.monotonic() < until and Bench.percent(pid, 2) > 3:
            pass


def main():
    parser = argparse.ArgumentParser(description="Measures et-inspect-gui over large stores.")
    parser.add_argument("--build", type=Path, default=Path(os.environ.get("ET_BUILD", ROOT / "build/bench")))
    parser.add_argument("--only", default=",".join([*STORES, "idle"]), help="parts to measure")
    parser.add_argument("--window", action="store_true", help="tours with OpenGL as well")
    parser.add_argument("--stores", type=Path, help="folder to keep the stores in")
    parser.add_argument("--runs", type=int, default=3, help="tours of each store; the best of each figure stands")
    parser.add_argument("--check", action="store_true", help="exit code 1 when a goal is missed")
    args = parser.parse_args()
    parts = args.only.split(",")
    if unknown := set(parts) - {*STORES, "idle"}:
        parser.error(f"--only: no part '{min(unknown)}' ({', '.join(STORES)}, idle)")
    if not (args.build / "bin/et_bench_gui").exists():
        print("bench_gui: skipped, the window was not built (make gui says what is missing)")
        return 0
    kept = args.stores is not None
    args.stores = args.stores or Path(tempfile.mkdtemp(prefix="bench-gui-", dir=args.build))
    args.stores.mkdir(parents=True, exist_ok=True)
    xvfb = shutil.which("Xvfb")
    try:
        bench = Bench(args)
        for name in parts:
            if name == "idle":
                bench.idle() if xvfb else print("idle: skipped, no Xvfb")
                continue
            bench.tour(name)
            if args.window and xvfb:
                with Display() as display:
                    bench.tour(name, display)
    finally:
        if not kept:
            shutil.rmtree(args.stores)
    return 1 if args.check and bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
