#!/usr/bin/env python3
"""Instructions of one execution on 64-bit ARM, counted in QEMU, beside upstream's wheel for it.

    count_instructions.py [--wheel FILE.whl] [--cpu NAME]... [--json FILE] PROGRAM.pte...
    count_instructions.py --functions 20 PROGRAM.pte        where this runtime's go

Both sides run the same program with zeros as inputs, on one thread, in qemu-aarch64-static of the same processor; the
instructions of 1 and of 2 executions are counted (et_qemu_count), and the difference is one execution without
what loading and a first one take. The wheel is that of executorch for Linux on aarch64:
    pip download executorch==1.5.1 --platform manylinux_2_28_aarch64 --python-version 3.12 --only-binary :all: --no-deps
Build first: `scripts/cross.sh bench-aarch64`. Without --wheel only this runtime is counted.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
SYSROOT = "/usr/aarch64-linux-gnu"
LIBRARIES = ["backend_xnnpack", "kernels_optimized", "kernels_quantized", "etdump", "threadpool"]


def fail(text):
    sys.exit(f"count_instructions: {text}")


def build_upstream(wheel, folder):
    """The benchmark's program for upstream's libraries, linked against those of the wheel: (command, environment)."""
    package = folder / "executorch"
    if not package.exists():
        with zipfile.ZipFile(wheel) as files:
            files.extractall(folder)
    if not (package / "lib" / "libexecutorch.so").exists():
        fail(f"{wheel}: expected a wheel of executorch for aarch64 with lib/libexecutorch.so")
    program = folder / "et_bench_upstream"
    include = package / "include"
    subprocess.run(
        ["aarch64-linux-gnu-g++", "-std=c++17", "-O2", "-w", f"-I{include}", f"-I{ROOT}",
         f"-I{include}/executorch/runtime/core/portable_type/c10", "-DC10_USING_CUSTOM_GENERATED_MACROS",
         str(ROOT / "tests/bench/runtime/upstream_main.cpp"), "-o", str(program), f"-L{package}/lib",
         "-Wl,--no-as-needed", *(f"-lexecutorch_{name}" for name in LIBRARIES), "-lexecutorch"], check=True)
    return program, package / "lib"


class Counter:
    def __init__(self, tool):
        self.tool = tool

    def run(self, cpu, program, libraries, model, executions, top):
        """(instructions, {function: instructions})"""
        qemu = ["qemu-aarch64-static", "-cpu", cpu, "-L", SYSROOT]
        if libraries:
            qemu += ["-E", f"LD_LIBRARY_PATH={libraries}"]
        with tempfile.TemporaryDirectory() as scratch:
            log = os.path.join(scratch, "log")
            os.mkfifo(log)
            counting = subprocess.Popen(f"exec {shlex.quote(str(self.tool))} --top {top} <{shlex.quote(log)}", shell=True,
                                        stdout=subprocess.PIPE, text=True)
            ran = subprocess.run([*qemu, "-d", "in_asm,exec,nochain", "-D", log, str(program), str(model), "--warm", "1",
                                  "--iters", str(executions)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            out, _ = counting.communicate()
        if ran.returncode != 0:
            fail(f"{model}: {program.name} on {cpu} ended with {ran.returncode}: {ran.stderr.strip()[-300:]}")
        lines = [line.split(None, 1) for line in out.splitlines()]
        return int(lines[0][1]), {name: int(count) for count, name in lines[1:]}

    def one_execution(self, cpu, side, model, top=0):
        program, libraries = side
        first, first_by = self.run(cpu, program, libraries, model, 1, 1000000 if top else 0)
        second, second_by = self.run(cpu, program, libraries, model, 2, 1000000 if top else 0)
        functions = {name: (count - first_by.get(name, 0)) for name, count in second_by.items()}
        return second - first, functions


def demangle(names):
    out = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True)
    return out.stdout.splitlines()


def print_functions(counter, cpu, side, model, top):
    total, functions = counter.one_execution(cpu, side, model, top)
    rows = sorted(functions.items(), key=lambda row: -row[1])[:top]
    print(f"{model} on {cpu}: {total:.0f} instructions")
    for (_, count), name in zip(rows, demangle([name for name, _ in rows])):
        print(f"{count:14.0f} {count / total:6.1%}  {name[:150]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    parser.add_argument("--wheel", type=pathlib.Path)
    parser.add_argument("--cpu", action="append")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/aarch64")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--functions", type=int, metavar="N")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--check", type=float, metavar="RATIO", help="end with 1 when a ratio is above it")
    args = parser.parse_args()
    cpus = args.cpu or ["cortex-a53", "cortex-a76", "max"]
    tool = args.build / "et_qemu_count"
    if not tool.exists():
        subprocess.run(["c++", "-std=c++20", "-O2", str(ROOT / "tests/bench/arm/qemu_count.cpp"), "-o", str(tool)], check=True)
    counter = Counter(tool)
    ours = (args.build / "tests/device/et_bench_runtime", None)
    if not ours[0].exists():
        fail(f"{ours[0]} is not built: scripts/cross.sh bench-aarch64")
    if args.functions:
        for cpu in cpus:
            for model in args.programs:
                print_functions(counter, cpu, ours, model, args.functions)
        return
    upstream = None
    if args.wheel:
        folder = args.build / "upstream"
        folder.mkdir(exist_ok=True)
        upstream = build_upstream(args.wheel, folder)

    def row(job):
        cpu, model = job
        mine = counter.one_execution(cpu, ours, model)[0]
        theirs = counter.one_execution(cpu, upstream, model)[0] if upstream else None
        return {"program": model.stem if model.stem != "program" else model.parent.name, "cpu": cpu, "instructions": mine,
                "upstream": theirs, "ratio": mine / theirs if theirs else None}

    rows = []
    print("| program | processor | instructions | upstream's | ratio |\n|---|---|---|---|---|")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for found in pool.map(row, [(cpu, model) for model in args.programs for cpu in cpus]):
            rows.append(found)
            theirs = f"{found['upstream'] / 1e6:.3f} M | {found['ratio']:.2f}" if upstream else "| "
            print(f"| {found['program']} | {found['cpu']} | {found['instructions'] / 1e6:.3f} M | {theirs} |", flush=True)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")
    if args.check is not None:
        if not upstream:
            fail("--check compares with upstream's: --wheel FILE is missing")
        over = [r for r in rows if r["ratio"] > args.check]
        if over:
            sys.exit(f"count_instructions: {len(over)} of {len(rows)} above {args.check}")


if __name__ == "__main__":
    main()
