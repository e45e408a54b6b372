#!/usr/bin/env python3
"""The installed headers are the ones of cmake/public_headers.cmake, and they are enough.

Without this a user could come to depend on an internal header, or get one that includes what is not installed.
Copies the listed headers into an empty folder and compiles each there alone. With --installed, the folder is compared
with the list instead."""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

GENERATED = (
    "schema/program_generated.h",
    "schema/scalar_type_generated.h",
    "extension/flat_tensor/serialize/flat_tensor_generated.h",
    "extension/flat_tensor/serialize/scalar_type_generated.h",
)
INTERNAL = ("runtime/format/flat.h", "runtime/executor/method_loader.h", "etdump/dump_writer.h")


def listed(source):
    text = (source / "cmake/public_headers.cmake").read_text()
    text = re.sub(r"#.*", "", text)
    return re.findall(r"[\w./]+\.(?:h|def|inc)\b", text)


def project_includes(source, header):
    """Headers of this tree that `header` includes."""
    for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', (source / header).read_text(), re.MULTILINE):
        beside = os.path.normpath(os.path.join(os.path.dirname(header), name))
        yield beside if (source / beside).exists() else name


def check_list(source, headers):
    problems = [f"{h}: listed twice" for h in set(headers) if headers.count(h) > 1]
    for header in headers:
        if not (source / header).exists():
            problems.append(f"{header}: listed, but the file does not exist")
            continue
        for name in project_includes(source, header):
            if name not in headers:
                problems.append(f"{header}: includes {name}, which is not listed")
    return problems


def compiles(compiler, folder, header):
    """Text of the compiler's errors; empty when the header compiles alone."""
    language = ["-x", "c", "-std=c99"] if header.startswith("capi/") else ["-x", "c++", "-std=c++20"]
    command = [*compiler, *language, "-fsyntax-only", "-w", f"-I{folder}", "-"]
    done = subprocess.run(command, input=f'#include "{header}"\n', capture_output=True, text=True, cwd=folder)
    return done.stderr if done.returncode != 0 else ""


def check_alone(source, headers, compiler):
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for header in headers:
            target = pathlib.Path(folder) / header
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / header, target)
        # PyTorch's headers may be absent, and take minutes.
        alone = [h for h in headers if h.endswith(".h") and "<ATen/" not in (source / h).read_text()]
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            for header, errors in zip(alone, pool.map(lambda h: compiles(compiler, folder, h), alone)):
                if errors:
                    problems.append(f"{header}: does not compile alone:\n{errors}")
        for header in INTERNAL:
            if not (source / header).exists():
                problems.append(f"{header}: no such internal header; correct this test")
            elif not compiles(compiler, folder, header):
                problems.append(f"{header}: internal, but can be included")
    return problems


def check_installed(source, headers, folder):
    """The facade's folder is installed as it is, with what flatc makes of the schemas."""
    facade = {str(p.relative_to(source)) for p in (source / "include" / "executorch").rglob("*.h")}
    facade |= {f"include/executorch/{name}" for name in GENERATED}
    present = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    wanted = set(headers) | facade
    problems = [f"{h}: listed, but not installed" for h in sorted(wanted - present)]
    return problems + [f"{h}: installed, but not listed" for h in sorted(present - wanted)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--installed", type=pathlib.Path, help="folder of installed headers to compare with the list")
    args = parser.parse_args()
    headers = listed(args.source)
    if args.installed:
        problems = check_installed(args.source, headers, args.installed)
    else:
        problems = check_list(args.source, headers) or check_alone(args.source, headers, args.compiler.split(";"))
    for problem in problems:
        print(problem)
    print(f"{len(headers)} public headers, {len(problems)} problems")
    return 1 if problems or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
