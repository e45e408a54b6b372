#!/usr/bin/env python3
"""Fails when an #include runs upwards: docs/architecture.md as a table, held against the tree.

    include_rules.py [ROOT]

Each room may include itself and what its row names; inside inspector/ a folder may include only those before it. The
last line is `N includes, N upwards`.
"""
import pathlib
import re
import sys

# Room -> rooms that its files may include. A longer path wins over a shorter one.
ROOMS = {
    "base": [],
    "runtime/format": ["base"],
    "runtime/platform": ["base"],
    "runtime/core": ["base", "runtime/platform"],
    "runtime/loader": ["base", "runtime/core", "runtime/platform"],
    "runtime/executor": ["base", "runtime/core", "runtime/format", "runtime/platform", "runtime/loader", "runtime/backends/backend.h"],
    "runtime/backends/backend": ["base", "runtime/backends/backend.h", "runtime/loader/data_loader.h", "runtime/core", "runtime/platform"],
    "runtime/kernels": ["base", "runtime/core", "runtime/platform"],
    "runtime": ["base", "runtime"],
    "etdump": ["base", "runtime/core", "runtime/format", "runtime/platform"],
    "etrecord": ["base", "runtime/format"],
    "bundled_program": ["base", "runtime", "etdump"],
    "bundled_program/reference": ["base", "runtime", "bundled_program", "etrecord"],
    "capi": ["base", "runtime", "etdump"],
    "include": ["base", "runtime", "etdump", "bundled_program"],
    "inspector": ["base", "runtime/format", "runtime/core", "runtime/kernels/operator_names.h",
                  "runtime/backends/backend_names.h", "etdump", "etrecord", "bundled_program/bundle.h"],
    "cli": ["base", "runtime", "etdump", "etrecord", "bundled_program", "inspector"],
    "fleet": [],
    "gui": ["base", "inspector"],
    "gui/main": ["base", "inspector", "gui", "cli"],
    "tools": ["base", "runtime"],
    "python": ["base", "runtime", "etdump", "inspector", "capi"],
}
# From the ground up.
INSPECTOR = ["text", "match", "store", "ingest", "analysis", "report"]
# From the ground up, in the window.
GUI = ["core", "models", "widgets", "panels", "shell"]


def room_of(path):
    parts = path.split("/")
    for length in range(len(parts), 0, -1):
        name = "/".join(parts[:length])
        stem = name.rsplit(".", 1)[0]
        if name in ROOMS:
            return name
        if stem in ROOMS:
            return stem
    return None


def within(path, prefix):
    return path == prefix or path.startswith(prefix + "/")


def upwards(source, included, order, room):
    """True when both lie in `room` and the included folder comes later in `order`."""
    a, b = source.split("/"), included.split("/")
    if a[0] != room or b[0] != room or len(a) < 3 or len(b) < 3:
        return False
    return order.index(a[1]) < order.index(b[1]) if a[1] in order and b[1] in order else False


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    known = {p.name for p in root.iterdir() if p.is_dir()}
    count, faults = 0, []
    for room in sorted({r.split("/")[0] for r in ROOMS}):
        for path in sorted((root / room).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".c"):
                continue
            source = path.relative_to(root).as_posix()
            home = room_of(source)
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
                if not match or match[1].split("/")[0] not in known or "/" not in match[1]:
                    continue
                included = match[1]
                count += 1
                allowed = within(included, home) or any(within(included, r) for r in ROOMS[home])
                if not allowed:
                    faults.append(f"{source}:{number}: {home} may not include {included}")
                elif upwards(source, included, INSPECTOR, "inspector") or upwards(source, included, GUI, "gui"):
                    faults.append(f"{source}:{number}: runs upwards to {included}")
    for fault in faults:
        print(fault)
    print(f"{count} includes, {len(faults)} upwards")
    sys.exit(1 if faults or count == 0 else 0)


if __name__ == "__main__":
    main()
