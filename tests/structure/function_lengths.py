#!/usr/bin/env python3
"""Lists the longest functions and fails when one passes the limit of lines.

    function_lengths.py [--limit 80] [--top 20] [ROOT]

Lines are counted from a definition's first line to its closing brace, as Universal Ctags sees them. Tests and generated
tables (*.def, *.inc) do not count. Exit code 77 (skipped) without Universal Ctags.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

FOLDERS = ["base", "runtime", "etdump", "etrecord", "bundled_program", "inspector", "cli", "gui", "capi", "include",
           "tools", "samples", "python"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).parents[2], type=pathlib.Path)
    parser.add_argument("--limit", type=int, default=80)
    parser.add_argument("--top", type=int, default=20)
    options = parser.parse_args()
    ctags = shutil.which("ctags-universal") or shutil.which("ctags")
    if not ctags or "Universal" not in subprocess.run([ctags, "--version"], capture_output=True, text=True).stdout:
        print("skipped: no Universal Ctags (Debian: universal-ctags)")
        sys.exit(77)
    files = [str(p.relative_to(options.root)) for f in FOLDERS for p in sorted((options.root / f).rglob("*"))
             if p.suffix in (".h", ".cpp", ".c")]
    out = subprocess.run(
        [ctags, "-L", "-", "--languages=C,C++", "--map-C++=+.h", "--c++-kinds=f", "--c-kinds=f", "--fields=+ne", "-o",
         "-", "--sort=no"], input="\n".join(files), capture_output=True, text=True, cwd=options.root, check=True).stdout
    found = []
    for line in out.splitlines():
        cells = line.split("\t")
        fields = dict(c.split(":", 1) for c in cells[3:] if ":" in c)
        if "line" in fields and "end" in fields:
            found.append((int(fields["end"]) - int(fields["line"]) + 1, f"{cells[1]}:{fields['line']}", cells[0]))
    found.sort(reverse=True)
    for length, place, name in found[:options.top]:
        print(f"{length:5}  {place}  {name}")
    over = [f for f in found if f[0] > options.limit]
    print(f"{len(found)} functions, {len(over)} over {options.limit} lines")
    sys.exit(1 if over or not found else 0)


if __name__ == "__main__":
    main()
