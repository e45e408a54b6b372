#!/usr/bin/env python3
"""What the core of the runtime takes in a program, object by object.

    size_report.py [--target x86-64|aarch64|cortex-m55]... [--goal KB]   build the core at -Os and report
    size_report.py --binary FILE [--against FILE]                       sizes of linked programs, compared

The core is what a program that loads and runs a method needs: reading and verifying the program file, values, memory,
loading, execution, the tracing interface. No kernels, no C library. Two figures for each object: all of its code, and
what is left of it when tests/device/size_main.cpp, which loads and runs a method, is linked with --gc-sections (from
the linker's map): that is what an application pays. Unwind tables are left out of the build, as devices do.
Exit code 1: the linked code on x86-64 is above the goal (60 KB), or a build failed.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGETS = {
    "x86-64": ("", []),
    "aarch64": ("aarch64-linux-gnu-", []),
    "cortex-m55": ("arm-none-eabi-", ["-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard", "-specs=nosys.specs",
                                      "-fno-threadsafe-statics"]),
}
SOURCES = (
    [f"runtime/format/{n}.cpp" for n in ("program", "program_verify", "method", "value")]
    + ["runtime/backends/*.cpp", "runtime/core/*.cpp", "runtime/executor/*.cpp"]
    + [f"runtime/platform/{n}.cpp" for n in ("log", "parallel", "platform", "minimal")]
)
FLAGS = ["-std=c++20", "-Os", "-DNDEBUG", "-fno-exceptions", "-fno-rtti", "-ffunction-sections", "-fdata-sections",
         "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-Wno-psabi"]


def run(command):
    done = subprocess.run([str(c) for c in command], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"size_report: {' '.join(str(c) for c in command)}\n{done.stderr}")
    return done.stdout


def generated(folder):
    """The reader of program.fbs, and the flatbuffers headers without the rest of /usr/include."""
    out = folder / "generated"
    out.mkdir(parents=True, exist_ok=True)
    run(["flatc", "--cpp", "--scoped-enums", "--no-prefix", "-o", out, "runtime/format/schema/program.fbs"])
    run(["flatc", "--cpp", "--scoped-enums", "--no-prefix", "-o", out, "runtime/format/schema/flat_tensor.fbs"])
    link = out / "flatbuffers"
    for place in ("/usr/include/flatbuffers", "/usr/local/include/flatbuffers"):
        if os.path.isdir(place) and not link.exists():
            link.symlink_to(place)
    return out


def section_sizes(size_tool, path):
    """(.text, .rodata, .data + .bss) of one file."""
    text = rodata = data = 0
    for line in run([size_tool, "-A", "-d", path]).splitlines():
        fields = line.split()
        if len(fields) < 2 or not fields[1].isdigit():
            continue
        name, size = fields[0], int(fields[1])
        if name.startswith((".text", ".init", ".fini", ".plt")):
            text += size
        elif name.startswith((".rodata", ".ARM.ex", ".eh_frame", ".gcc_except")):
            rodata += size
        elif name.startswith((".data", ".bss", ".tdata", ".tbss", ".init_array")):
            data += size
    return text, rodata, data


def linked_sizes(map_file, objects):
    """{object: (.text, .rodata)} from a linker map: sections that were kept."""
    kept = {name: [0, 0] for name in objects}
    text = pathlib.Path(map_file).read_text(errors="replace")
    text = text[text.index("Linker script and memory map"):]
    for name, size, path in re.findall(r"^ (\.(?:text|rodata)\S*)\s+0x[0-9a-f]+\s+(0x[0-9a-f]+)\s+(\S+)$", text, re.M):
        base = os.path.basename(path)
        if base in kept:
            kept[base][0 if name.startswith(".text") else 1] += int(size, 16)
    return kept


def report(target):
    prefix, machine = TARGETS[target]
    compiler = prefix + "g++"
    if shutil.which(compiler) is None:
        print(f"{target}: no {compiler} (packages: group `cross` of scripts/packages.txt)\n")
        return None
    folder = ROOT / "build" / "size" / target
    folder.mkdir(parents=True, exist_ok=True)
    includes = ["-I", ROOT, "-isystem", generated(ROOT / "build" / "size")]
    sources = [p for pattern in SOURCES for p in sorted(ROOT.glob(pattern))]
    objects = []
    launcher = ["ccache"] if shutil.which("ccache") else []
    for source in sources + [ROOT / "tests/device/size_main.cpp"]:
        relative = source.relative_to(ROOT)
        objects.append(folder / (str(relative.with_suffix("")).replace("/", "_") + ".o"))
        run(launcher + [compiler, *machine, *FLAGS, *includes, "-c", relative, "-o", objects[-1]])
    program, map_file = folder / "size_main", folder / "size_main.map"
    run([compiler, *machine, *FLAGS, *objects, "-o", program, "-Wl,--gc-sections", f"-Wl,-Map={map_file}"])
    objects.pop()  # the caller is no part of the core
    linked = linked_sizes(map_file, [o.name for o in objects])
    print(f"{target} ({run([compiler, '-dumpfullversion']).strip()}, -Os), bytes")
    print(f"  {'object':44} {'.text':>8} {'linked':>8} {'.rodata':>8} {'linked':>8}")
    total = [0, 0, 0, 0]
    for source, o in zip(sources, objects):
        text, rodata, _ = section_sizes(prefix + "size", o)
        row = [text, linked[o.name][0], rodata, linked[o.name][1]]
        total = [a + b for a, b in zip(total, row)]
        print(f"  {str(source.relative_to(ROOT)):44} {row[0]:8} {row[1]:8} {row[2]:8} {row[3]:8}")
    print(f"  {'core':44} {total[0]:8} {total[1]:8} {total[2]:8} {total[3]:8}\n")
    return total[1]


def binary(path, against):
    rows = [(p, section_sizes("size", p)) for p in filter(None, (path, against))]
    print(f"{'program':48} {'.text':>10} {'.rodata':>10} {'data+bss':>10} {'file':>10}")
    for p, (text, rodata, data) in rows:
        print(f"{os.path.basename(p):48} {text:10} {rodata:10} {data:10} {os.path.getsize(p):10}")
    if against:
        small, large = sum(rows[0][1][:2]), sum(rows[1][1][:2])
        print(f"{os.path.basename(path)} has {100 * small / large:.1f} % of the code and constants of "
              f"{os.path.basename(against)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", action="append", choices=TARGETS)
    parser.add_argument("--goal", type=float, default=60, metavar="KB", help="for .text on x86-64, 1 KB = 1024 bytes")
    parser.add_argument("--binary", metavar="FILE")
    parser.add_argument("--against", metavar="FILE")
    options = parser.parse_args()
    if options.binary:
        binary(os.path.abspath(options.binary), options.against and os.path.abspath(options.against))
        return 0
    code = 0
    for target in options.target or TARGETS:
        text = report(target)
        if target == "x86-64":
            met = text is not None and text <= options.goal * 1024
            print(f"goal: at most {options.goal:g} KB of .text on x86-64: {'met' if met else 'NOT met'} "
                  f"({(text or 0) / 1024:.1f} KB)\n")
            code = 0 if met else 1
    return code


if __name__ == "__main__":
    sys.exit(main())
