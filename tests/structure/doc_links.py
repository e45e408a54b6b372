#!/usr/bin/env python3
"""Fails when a relative link in a Markdown file leads nowhere: a file that does not exist, or a heading that has no such
anchor.

    doc_links.py [ROOT]

Anchors are those that GitHub and GitLab make of headings. Links with a scheme (https:) are not followed. The last line
is `N links, N broken`.
"""
import pathlib
import re
import sys
import urllib.parse

# Not documents of this project: what is built, and what tests expect to be printed.
SKIPPED = ("build", "tests/golden/expected", "tests/cli/expected")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s+<?(\S+?)>?(?:\s|$)")


def documents(root):
    for path in sorted(root.rglob("*.md")):
        name = path.relative_to(root).as_posix()
        hidden = any(part.startswith(".") or part in ("venv", "node_modules") for part in name.split("/"))
        if not hidden and not any(name.startswith(folder + "/") for folder in SKIPPED):
            yield path


def prose(path):
    """Lines with their numbers, without fenced code; inline code is blanked."""
    fence = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and (fence is None or mark[1].startswith(fence)):
            fence = mark[1] if fence is None else None
        elif fence is None:
            yield number, line


def anchors(path, cache={}):
    if path not in cache:
        found, seen = set(), {}
        for _, line in prose(path):
            found.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
            heading = re.match(r" {0,3}#{1,6}\s+(.*?)\s*#*$", line)
            if not heading:
                continue
            text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            count = seen[slug] = seen.get(slug, -1) + 1
            found.add(f"{slug}-{count}" if count else slug)
        cache[path] = found
    return cache[path]


def fault(root, path, target):
    """What is wrong with a link of `path`, or None."""
    name, _, anchor = urllib.parse.unquote(target).partition("#")
    base = root if name.startswith("/") else path.parent
    file = (base / name.lstrip("/")).resolve() if name else path.resolve()
    if not file.exists():
        return "no such file"
    if not file.is_relative_to(root):
        return "outside of the repository"
    if anchor and file.suffix == ".md" and anchor not in anchors(file):
        return f"no heading '{anchor}' in {file.relative_to(root).as_posix()}"
    return None


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    count, broken = 0, 0
    for path in documents(root):
        for number, line in prose(path):
            line = re.sub(r"`[^`]*`", lambda code: "x" * len(code[0]), line)
            definition = DEFINITION.match(line)
            for target in LINK.findall(line) + ([definition[1]] if definition else []):
                if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//", target):
                    continue
                count += 1
                wrong = fault(root, path, target)
                if wrong:
                    broken += 1
                    print(f"{path.relative_to(root).as_posix()}:{number}: {target}: {wrong}")
    print(f"{count} links, {broken} broken")
    sys.exit(1 if broken or count == 0 else 0)


if __name__ == "__main__":
    main()
