#!/usr/bin/env python3
"""Cycles that LLVM's throughput model (llvm-mca) predicts for the inner loops of the XNNPACK backend on 64-bit ARM.

    inner_loops.py [--build build/aarch64] [--cpu NAME]...

The loops are cut out of the objects as they are linked: of each function below the innermost loop with most
multiplications. The model knows the ports and latencies of a core, and assumes that every load hits the first cache and
that branches are foreseen. Build first: `scripts/cross.sh bench-aarch64`.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
COMPUTE = "runtime/backends/xnnpack/compute/CMakeFiles/et_xnn_compute_{0}.dir/variant_{1}.cpp.o"
# What, variant, file, function (regular expression), its multiplications, products of each.
LOOPS = [
    ("float32 GEMM, 5 × 16", "base", "neon_f32", r"tile_f32<5, 4>", r"fmla", 4),
    ("float32 depthwise 3 × 3, 4 pixels × 4", "base", "depthwise", r"depthwise_row_f32\(", r"fmla", 4),
    ("int8 GEMM, widening multiply, 2 × 8", "base", "neon_mull", r"tiles_int8<2, 2, et::xnn::BlockQs8>", r"sm(ull|lal)2?", 8),
    ("int8 GEMM, sdot, 5 × 16", "dot", "neon_dot", r"tiles_int8<5, 4, et::xnn::BlockQs8>", r"sdot", 16),
    ("int8 GEMM, smmla, 6 × 16", "mmla", "neon_mmla", r"tiles_int8<6, 4, et::xnn::BlockQs8>", r"smmla", 32),
    ("4-bit GEMM, sdot, 4 × 16", "dot", "neon_dot", r"tile_channel<4, 4>", r"sdot", 16),
    ("4-bit GEMM, smmla, 6 × 16", "mmla", "neon_mmla", r"tile_channel<6, 4>", r"smmla", 32),
    ("int8 depthwise 3 × 3, 16 channels", "base", "neon_depthwise", r"row_3x3<2, true>", r"sm(ull|lal)2?", 8),
]
FEATURES = {"base": "", "dot": "+dotprod", "mmla": "+dotprod,+i8mm"}
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")


def functions_of(path):
    out = subprocess.run(["aarch64-linux-gnu-objdump", "-dC", "--no-show-raw-insn", path], capture_output=True, text=True,
                         check=True).stdout
    for part in re.split(r"\n(?=[0-9a-f]+ <)", out):
        head, *lines = part.splitlines()
        found = [INSTRUCTION.match(line.split("//")[0]) for line in lines]
        yield head, [(int(m[1], 16), m[2], m[3].strip()) for m in found if m]


def inner_loop(instructions, multiplication):
    """The innermost loop with most multiplications: from the target of a backward branch to that branch."""
    place = {address: i for i, (address, _, _) in enumerate(instructions)}
    loops = []
    for i, (address, name, operands) in enumerate(instructions):
        target = re.search(r"\b([0-9a-f]+) <", operands) if name[0] in "bct" else None
        if target and int(target[1], 16) in place and int(target[1], 16) <= address and name != "bl":
            loops.append(instructions[place[int(target[1], 16)]:i + 1])
    def count(body):
        return sum(re.fullmatch(multiplication, name) is not None for _, name, _ in body)
    inner = [a for a in loops if not any(b is not a and a[0][0] <= b[0][0] and b[-1][0] <= a[-1][0] for b in loops)]
    best = max(inner, key=count, default=[])
    return best, count(best) if best else 0


def cycles(mca, body, cpu, features):
    text = "\n".join(f"{name} {re.sub(r'<.*>', '', operands)}" if name[0] != "b" or name == "bit" else "nop"
                     for _, name, operands in body)
    command = [mca, "-mtriple=aarch64", f"-mcpu={cpu}", "-iterations=200"]
    if features:
        command.append(f"-mattr={features}")
    out = subprocess.run(command, input=text, capture_output=True, text=True)
    if out.returncode != 0:
        return None
    return float(re.search(r"Total Cycles:\s+(\d+)", out.stdout)[1]) / 200


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/aarch64")
    parser.add_argument("--cpu", action="append")
    args = parser.parse_args()
    mca = next((path for path in map(shutil.which, ["llvm-mca-19", "llvm-mca"]) if path), None)
    if mca is None:
        sys.exit("inner_loops: llvm-mca is missing (scripts/install_deps.sh arm-bench)")
    cpus = args.cpu or ["cortex-a55", "cortex-a57", "cortex-a510", "neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2"]
    print("| loop | instructions | products | products an instruction | " + " | ".join(cpus) + " |")
    print("|---|---:|---:|---:|" + "---:|" * len(cpus))
    for what, variant, file, function, multiplication, each in LOOPS:
        path = args.build / COMPUTE.format(variant, file)
        if not path.exists():
            sys.exit(f"inner_loops: {path} is not built: scripts/cross.sh bench-aarch64")
        bodies = [inner_loop(code, multiplication) for head, code in functions_of(path) if re.search(function, head)]
        body, count = max(bodies, key=lambda found: found[1], default=([], 0))
        if count == 0:
            sys.exit(f"inner_loops: {path}: found no loop with {multiplication} in {function}")
        cells = []
        for cpu in cpus:
            time = cycles(mca, body, cpu, FEATURES[variant])
            cells.append("" if time is None else f"{count * each / time:.1f}")
        print(f"| {what} | {len(body)} | {count * each} | {count * each / len(body):.1f} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
