#!/usr/bin/env python3
"""The facade's headers are C++17, as the toolchains of vendors have it: GCC 9 with -std=gnu++17.

    language_level_test.py SOURCE COMPILER...

Compiles all headers of include/executorch with every compiler given. clang then also refuses what GCC only accepts as
an extension of C++20 (-Wc++20-extensions), and names of the standard library that came after C++17 are looked
for in the text, because libstdc++ 9 has none of them while a newer one may have them for older languages."""

import argparse
import os
import pathlib
import re
import subprocess
import sys

# Headers and functions of C++20, and builtins that GCC has from 10 or 11 on.
LATER = re.compile(r"#\s*include <(?:bit|concepts|span|ranges|compare|source_location|numbers|version)>"
                   r"|\bstd::(?:bit_cast|span|remove_cvref|type_identity|endian|to_array|popcount|has_single_bit|"
                   r"source_location|is_constant_evaluated|ssize)\b|\bconsteval\b|\bconstinit\b|\bchar8_t\b")
C10 = "include/executorch/runtime/core/portable_type/c10"
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)


def facade_headers(source):
    return sorted(p.relative_to(source / "include").as_posix() for p in (source / "include/executorch").rglob("*.h"))


def reachable(source, headers):
    """These headers and those of this tree that they include."""
    seen, todo = set(), [source / "include" / h for h in headers]
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            todo += [root / name for root in (source, source / "include", source / C10) if (root / name).is_file()]
    return sorted(seen)


def errors(compiler, arguments, headers):
    """[[unlikely]] is C++20, and GCC 9 knows it in every language."""
    warnings = []
    if "clang" in os.path.basename(compiler):
        warnings = ["-Werror=c++20-extensions", "-Wno-c++20-attribute-extensions"]
    done = subprocess.run([compiler, "-std=gnu++17", "-fsyntax-only", *warnings, *arguments, "-x", "c++", "-"],
                          input="".join(f"#include <{h}>\n" for h in headers), capture_output=True, text=True)
    if done.returncode == 0:
        return []
    return [f"{compiler}: {line}" for line in done.stderr.splitlines() if "error:" in line] or [f"{compiler}: {done.stderr}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("compilers", nargs="+")
    args = parser.parse_args()
    headers = facade_headers(args.source)
    problems = []
    for path in reachable(args.source, headers):
        guarded = False  # until the next directive: newer compilers alone read it
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.match(r"#\s*(?:if|ifdef|elif|else|endif)\b", line):
                guarded = "__cplusplus" in line or "__has_include" in line or "__cpp_" in line
            found = LATER.search(line.split("//")[0])
            if found and not guarded:
                problems.append(f"{path.relative_to(args.source)}:{number}: {found.group(0)} came after C++17")
    arguments = [f"-I{args.source}", f"-I{args.source}/include", f"-I{args.source / C10}"]
    for compiler in args.compilers:
        problems += errors(compiler, arguments, headers)
    print("\n".join(problems) or f"{len(headers)} headers, {len(args.compilers)} compilers")
    return 1 if problems or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
