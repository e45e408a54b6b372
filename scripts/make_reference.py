#!/usr/bin/env python3
"""Writes the reference of the commands and of the store's views: docs/reference-cli.md, docs/reference-schema.md.

    make_reference.py BIN [--check]     BIN: the folder of et-inspect, et-run and et-check

Both pages come from the programs themselves (`--help`, `et-inspect schema`). --check writes nothing and fails when a page is
not what would be written.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

DOCS = pathlib.Path(__file__).parents[1] / "docs"
PROGRAMS = ("et-inspect", "et-run", "et-check")


def output(binary, *words):
    env = {"PATH": "/usr/bin:/bin", "COLUMNS": "100", "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "ET_INSPECT_CONFIG": ""}
    run = subprocess.run([binary, *words], env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if run.returncode != 0:
        sys.exit(f"{binary} {' '.join(words)}: exit code {run.returncode}: {run.stderr}")
    return run.stdout


def commands_of(text):
    """Names in the section Commands of a help text."""
    found = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.M)
    return re.findall(r"^  (\S+)(?: |$)", found[1], re.M) if found else []


def cli(folder):
    parts = ["# Commands and options", "",
             "What `--help` prints, for each command. Written by `make docs`; do not edit.", ""]
    for program in PROGRAMS:
        text = output(os.path.join(folder, program), "--help")
        parts += [f"## {program}", "", "```text", text.rstrip(), "```", ""]
        for command in commands_of(text):
            help_of_it = output(os.path.join(folder, program), command, "--help")
            # The exit codes are those of the program, said once.
            help_of_it = re.sub(r"\nExit codes:\n(?:  .*\n)+", "", help_of_it)
            parts += [f"### {program} {command}", "", "```text", help_of_it.rstrip(), "```", ""]
    return "\n".join(parts).rstrip() + "\n"


def schema(folder):
    text = output(os.path.join(folder, "et-inspect"), "schema", "--format", "markdown")
    head = ["# Views of a store", "",
            "A store is a SQLite database; `et-inspect sql`, the window's panel SQL and any other program read these views. Names",
            "and columns are a contract. What `et-inspect schema` prints; written by `make docs`, do not edit.", ""]
    return "\n".join(head) + "\n" + re.sub(r"^# ", "## ", text, flags=re.M).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    stale = 0
    for name, text in (("reference-cli.md", cli(options.folder)), ("reference-schema.md", schema(options.folder))):
        path = DOCS / name
        if not options.check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale += 1
            print(f"docs/{name}: not current: `make docs` writes it anew")
    print(f"2 pages, {stale} stale")
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
