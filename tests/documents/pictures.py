#!/usr/bin/env python3
"""Fails when a picture of the window's manual is much older than the panel that it shows, or when no document shows it.

    pictures.py ROOT [--days 120]

A picture docs/images/<panel>.png belongs to gui/panels/<panel>*.cpp; ages are those of the last commits. Exit code 77
(skipped) without git's history. The last line is `N pictures, N to make anew` (scripts/docs_screenshots.sh makes them).
"""
import argparse
import pathlib
import subprocess
import sys


def committed(root, paths):
    """Time of the last commit to any of the paths, or None."""
    run = subprocess.run(["git", "log", "-1", "--format=%ct", "--", *paths], cwd=root, capture_output=True, text=True)
    return int(run.stdout) if run.returncode == 0 and run.stdout.strip() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--days", type=int, default=120)
    options = parser.parse_args()
    root = options.root.resolve()
    shallow = subprocess.run(["git", "rev-parse", "--is-shallow-repository"], cwd=root, capture_output=True, text=True)
    if shallow.returncode != 0 or shallow.stdout.strip() != "false":
        print("skipped: needs git's whole history")
        sys.exit(77)
    texts = "".join(p.read_text(encoding="utf-8") for p in [root / "README.md", *(root / "docs").glob("*.md")])
    pictures, old = sorted((root / "docs" / "images").glob("*.png")), 0
    for picture in pictures:
        if f"images/{picture.name})" not in texts:
            old += 1
            print(f"docs/images/{picture.name}: no document shows it")
        sources = [str(p.relative_to(root)) for p in (root / "gui" / "panels").glob(f"{picture.stem}*.cpp")]
        made = committed(root, [str(picture.relative_to(root))])
        changed = committed(root, sources) if sources else None
        if made and changed and changed - made > options.days * 86400:
            old += 1
            print(f"docs/images/{picture.name}: {(changed - made) // 86400} days older than its panel")
    print(f"{len(pictures)} pictures, {old} to make anew")
    sys.exit(1 if old or not pictures else 0)


if __name__ == "__main__":
    main()
