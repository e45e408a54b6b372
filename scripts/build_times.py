#!/usr/bin/env python3
"""Where the time of a build went: by library, and the slowest objects. Reads ninja's own log; builds nothing.

    build_times.py [--top 20] [--markdown] [BUILD_FOLDER]      build/release without one

Seconds are those of each command while the others ran beside it, so their sum is near the CPU time when no other work
disturbed the build. A folder that was built several times shows the last build of each object. For a figure that can be
compared, build from nothing without the compiler cache: `rm -rf build/release; CCACHE_DISABLE=1 make build`.
"""
import argparse
import collections
import pathlib
import re
import sys


def read_log(path):
    """Output -> (start, end) in seconds; the last build of each output."""
    commands = {}
    for line in path.read_text().splitlines():
        cells = line.split("\t")
        if line.startswith("#") or len(cells) != 5:
            continue
        commands[cells[3]] = (int(cells[0]) / 1000, int(cells[1]) / 1000)
    return commands


def stage_of(output):
    match = re.match(r"(?:.*/)?CMakeFiles/([^/]+)\.dir/.*\.(?:o|gch)$", output)
    return match[1] if match else "links and generated files"


def short(output):
    return re.sub(r"CMakeFiles/([^/]+)\.dir/", r"[\1] ", output)


def table(rows, markdown):
    if markdown:
        print("| seconds | share | objects | |\n|---:|---:|---:|---|")
    for seconds, share, count, name in rows:
        objects = "" if count is None else count
        print(f"| {seconds:.1f} | {share:.1%} | {objects} | {name} |" if markdown else
              f"{seconds:8.1f} {share:6.1%} {objects:>4}  {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--top", type=int, default=20)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    log = options.folder / ".ninja_log"
    if not log.is_file():
        sys.exit(f"{log}: no such file: build first (make build)")
    commands = read_log(log)
    if not commands:
        sys.exit(f"{log}: holds no finished command")
    seconds = {o: end - start for o, (start, end) in commands.items()}
    total = sum(seconds.values()) or 1
    stages, counts = collections.Counter(), collections.Counter()
    for output, taken in seconds.items():
        stages[stage_of(output)] += taken
        counts[stage_of(output)] += 1
    print(f"{options.folder}: {len(seconds)} commands, {total:.0f} s of commands\n")
    table([(s, s / total, counts[n], n) for n, s in stages.most_common()], options.markdown)
    print(f"\nthe slowest {options.top}\n")
    slowest = sorted(seconds.items(), key=lambda item: -item[1])[:options.top]
    table([(s, s / total, None, short(o)) for o, s in slowest], options.markdown)


if __name__ == "__main__":
    main()
