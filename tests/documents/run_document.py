#!/usr/bin/env python3
"""Runs the commands that a document shows and compares what they print with what it says they print.

    run_document.py DOCUMENT --bin FOLDER [--host NAME=FILE] [--products FOLDER] [--copy FOLDER] [--python FILE] [--update]

Commands are the lines `$ command` of fenced blocks marked `console`; what follows is their output (both streams), to the
letter. A line `…` stands for any lines, so that long tables can be shortened. All run one after the other in a folder of
their own, which has a copy of --copy, of --products as `out/`, and the hosts as `build/NAME`. A comment before a block
changes how it is run:

    <!-- run: masked -->     measured: numbers, units and the order of lines are not compared
    <!-- run: varies -->     measured, and what is said of it depends on how calm the machine is: only the exit code counts
    <!-- run: torch -->      needs torch and executorch (--python): skipped without them, --products stands in for it. With
                             them all runs on what was exported just now: the products are the files to be made, and only
                             exit codes are compared
    <!-- run: exit=1 -->     the last command ends with this code (0 otherwise)
    <!-- run: host=NAME -->  needs that --host: skipped without it
    <!-- run: no -->         shown only: needs a network, a device, a display, an installed prefix

--update writes what the commands print now into the document. The last line is `N commands, N wrong, N skipped`.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MARK = re.compile(r"<!-- run: (.*?) -->")
ANY = "…"


class Block:
    def __init__(self, words, start):
        self.words, self.start, self.end = words, start, start
        self.steps = []  # [command, expected lines]

    def has(self, word):
        return word in self.words

    def exit(self):
        return next((int(w[5:]) for w in self.words if w.startswith("exit=")), 0)


def blocks_of(lines):
    """The console blocks: where their text begins and ends, their commands with the expected output."""
    out, block, words, command = [], None, [], None
    for number, line in enumerate(lines):
        if block is None:
            mark = MARK.search(line)
            if mark:
                words = mark[1].split()
            elif line.strip() == "```console":
                block = Block(words, number + 1)
            elif line.strip():
                words = []
        elif line.strip() == "```":
            block.end = number
            out.append(block)
            block, words = None, []
        elif command is not None or line.startswith("$ "):
            command = (command or "") + (line[2:] if command is None else "\n" + line)
            if not line.endswith("\\"):
                block.steps.append([command, []])
                command = None
        elif block.steps:
            block.steps[-1][1].append(line)
    return out


def masked(line):
    line = re.sub(r"[█▉▊▋▌▍▎▏─]+", " ", line)
    line = re.sub(r"(?<![A-Za-z0-9_])[+-]?\d[\d.,]*\s?(?:[kMG]i?B|ns|µs|ms|s|%|×)?(?![\w])", "N", line)
    return " ".join(line.split())


def matches(expected, got):
    """Whole texts line by line; ANY stands for any number of lines."""
    if not expected:
        return not got
    if expected[0] == ANY:
        return any(matches(expected[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and expected[0] == got[0] and matches(expected[1:], got[1:])


def same(block, expected, got):
    if not block.has("masked"):
        return matches([ANY if e.strip() == ANY else e for e in expected], got)
    # What a machine measures changes numbers and orders: each line must be there, as a shape.
    shapes = {masked(g) for g in got}
    if ANY in (e.strip() for e in expected):
        return len([e for e in expected if masked(e) in shapes or e.strip() == ANY]) == len(expected)
    return sorted(masked(e) for e in expected) == sorted(masked(g) for g in got)


def shortened(expected, got):
    """What was printed, cut in the way in which the document cuts it."""
    cuts = [i for i, e in enumerate(expected) if e.strip() == ANY]
    if len(cuts) != 1 or len(got) <= len(expected):
        return got
    head, tail = cuts[0], len(expected) - cuts[0] - 1
    return got[:head] + [expected[cuts[0]]] + (got[-tail:] if tail else [])


def environment(options, folder):
    path = [str(pathlib.Path(b).resolve()) for b in options.bin]
    if options.python:
        tools = folder / ".python"  # as in an activated environment: python is the one with torch
        tools.mkdir()
        script = tools / "python"
        script.write_text(f'#!/bin/sh\nexec "{pathlib.Path(options.python).absolute()}" "$@"\n')
        script.chmod(0o755)
        path.append(str(tools))
    return {"PATH": os.pathsep.join(path + ["/usr/local/bin", "/usr/bin", "/bin"]), "HOME": str(folder),
            "LANG": "C.UTF-8", "TZ": "UTC", "TERM": "dumb", "NO_COLOR": "1", "OMP_NUM_THREADS": "1",
            "ET_INSPECT_CONFIG": "", "PYTHONWARNINGS": "ignore"}


def prepare(options, folder):
    if options.copy:
        shutil.copytree(options.copy, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("build", "out", "*.png"))
    if options.products and not options.python:
        shutil.copytree(options.products, folder / "out", dirs_exist_ok=True)
    for host in options.host:
        name, _, file = host.partition("=")
        (folder / "build").mkdir(exist_ok=True)
        (folder / "build" / name).symlink_to(pathlib.Path(file).resolve())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--bin", action="append", default=[])
    parser.add_argument("--host", action="append", default=[])
    parser.add_argument("--copy")
    parser.add_argument("--products")
    parser.add_argument("--python")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    lines = options.document.read_text(encoding="utf-8").splitlines()
    blocks = blocks_of(lines)
    if not blocks:
        sys.exit(f"{options.document}: expected a block marked console, got none")
    ran, wrong, skipped = 0, 0, 0
    texts = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(options, folder)
        env = environment(options, folder)
        for block in blocks:
            missing = [w[5:] for w in block.words if w.startswith("host=") and not (folder / "build" / w[5:]).exists()]
            if block.has("no") or missing or (block.has("torch") and not options.python):
                skipped += len(block.steps)
                if block.has("torch"):
                    print(f"{options.document}:{block.start + 1}: skipped: needs torch and executorch (--python)")
                for host in missing:
                    print(f"{options.document}:{block.start + 1}: skipped: needs the host {host}, which was not built")
                texts.append(None)
                continue
            text = []
            for index, (command, expected) in enumerate(block.steps):
                run = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
                got = [line.rstrip() for line in run.stdout.decode("utf-8", "replace").splitlines()]
                while expected and not expected[-1].strip():  # the empty line before the next command
                    expected = expected[:-1]
                while got and not got[-1]:
                    got.pop()
                last = index == len(block.steps) - 1
                code = block.exit() if last else 0
                ran += 1
                place = f"{options.document}:{block.start + 1}: $ {command}"
                if run.returncode != code:
                    wrong += 1
                    print(f"{place}\nexpected exit code {code}, got {run.returncode}:\n" + "\n".join(got))
                elif not options.python and not (block.has("varies") and expected and not options.update) and not same(block, expected, got):
                    if not options.update:
                        wrong += 1
                        print(f"{place}\nexpected:\n" + "\n".join(expected) + "\ngot:\n" + "\n".join(got))
                    expected = shortened(expected, got)
                text += ["$ " + command] + expected + ([] if last else [""])
            texts.append(text)
        if options.python and options.products:
            for product in sorted(pathlib.Path(options.products).rglob("*")):
                made = folder / "out" / product.relative_to(options.products)
                if product.is_file() and product.name != "README.md" and not made.exists():
                    wrong += 1
                    print(f"{options.document}: the export did not write {made.relative_to(folder)}, which is in the products")
    if options.update:
        for block, text in reversed(list(zip(blocks, texts))):
            if text is not None:
                lines[block.start:block.end] = "\n".join(text).splitlines()
        options.document.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{ran} commands, {wrong} wrong, {skipped} skipped")
    sys.exit(1 if wrong or ran == 0 else 0)


if __name__ == "__main__":
    main()
