#!/usr/bin/env python3
"""Texts of the window against its catalogues: what has no translation, and what no source says any more.

    translations_test.py ROOT

A text is a string literal of gui/ that has a sentence's shape: more than one word, or a word with a capital. It is found
in a catalogue as an entry of the context "window", or as a piece of one with holes, since texts are put together. A text
that was just written is translated by somebody who can: a few may be without.
"""
import pathlib
import re
import sys

MOST_WITHOUT = 0.05  # of all texts
MOST_STALE = 0.02    # of a catalogue's entries
# Not for the screen, or the same in every language.
NO_TEXTS = ("gui/models/sql_completion.cpp", "gui/models/python_tokens.cpp", "gui/core/settings.cpp", "gui/core/text.h",
            "gui/core/wide_font.cpp", "gui/core/temporary_store.cpp", "gui/shell/fonts.cpp", "gui/shell/offscreen.cpp",
            "gui/shell/window.cpp", "gui/shell/screenshots.cpp", "gui/widgets/canvas.cpp")
# What findings say and advise: nothing of it without a translation.
ADVICE = "inspector/analysis/advice/"
# Where texts of the window come from.
SOURCES = ("gui", "inspector", "etdump", "etrecord", "cli")
HOLE = re.compile(r"%(?:\d\$)?[sdw]|\{[^{}]*\}")


def unescaped(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t", "0": "\0"}.get(m[1], m[1]), text)


def literals(text):
    """String literals of C++, those side by side as one; without comments, #includes and raw strings."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|^#[^\n]*|R"(\w*)\(.*?\)\1"|"((?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])+\'|\s+|.', re.S | re.M)
    joined = None
    for found in token.finditer(text):
        if found[2] is not None:
            joined = (joined or "") + found[2]
        elif joined is not None and not found[0].isspace() and not found[0].startswith("//"):
            yield unescaped(joined)
            joined = None
    if joined is not None:
        yield unescaped(joined)


def is_text(text):
    if re.match(r"\s*\(?(SELECT|WITH|INSERT|UPDATE|CREATE|DELETE|FROM|WHERE|ORDER|GROUP|JOIN|AND|LEFT|UNION|CASE|PRAGMA)\b", text):
        return False
    words = re.findall(r"[A-Za-z]{2,}", text)
    if not words or re.search(r"[_=<>\\/]|\w\(|--|::", text):
        return False
    return len(words) > 1 and " " in text.strip() or bool(re.match(r"[A-Z][a-z]+…?$", text))


def is_advice(text):
    """Of a finding: code may be named in it."""
    return len(re.findall(r"[A-Za-z]{2,}", text)) > 1 and " " in text.strip() and not re.match(r"\s*(SELECT\b|aten\.)", text)


def sentences(text):
    return re.split(r"(?<=[.]) (?=[A-Z]|et-inspect)|; (?=the |with |in |it )", text.strip() + " ")


def entries(po):
    """(id, translation) of the context "window"; of a plural both ids."""
    for block in po.read_text(encoding="utf-8").split("\n\n"):
        if 'msgctxt "window"' not in block:
            continue
        fields = {}
        name = None
        for line in block.splitlines():
            found = re.match(r'(\w+)(?:\[\d+\])? "(.*)"$|"(.*)"$', line)
            if not found:
                continue
            name = found[1] or name
            fields[name] = fields.get(name, "") + unescaped(found[2] if found[1] else found[3])
        for key in ("msgid", "msgid_plural"):
            if key in fields:
                yield fields[key], fields.get("msgstr", "")


def pieces(text):
    """What stands between the holes, without the signs that texts are joined with."""
    return [p for p in (part.strip(" ,;:.()·–") for part in HOLE.split(text)) if re.search(r"[A-Za-z]{2}", p)]


def is_said(entry, everything):
    """True when its pieces are in the sources, or nearly all pairs of its words: a piece may be made of several literals."""
    parts = [p.lower() for p in pieces(entry)]
    if all(p in everything for p in parts):
        return True
    pairs = [pair for p in parts for pair in zip(p.split(), p.split()[1:])]
    return bool(pairs) and sum(" ".join(pair) not in everything for pair in pairs) <= 0.34 * len(pairs)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    texts, advice, all_literals = {}, {}, []
    for folder in SOURCES:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".def"):
                continue
            name = path.relative_to(root).as_posix()
            for literal in literals(path.read_text(encoding="utf-8")):
                all_literals.append(literal)
                if name.startswith(ADVICE) and path.suffix != ".h" and is_advice(literal):
                    for text in sentences(literal):
                        advice.setdefault(text, name)
                if folder != "gui" or name in NO_TEXTS:
                    continue
                for text in literal.split("\0"):
                    text = text.split("##")[0]
                    if is_text(text):
                        texts.setdefault(text, name)
    everything = "\n".join(all_literals).lower()
    failed = False
    for po in sorted((root / "po").glob("*.po")):
        known = list(entries(po))
        if not known:
            print(f"{po.name}: no entry of the context window")
            failed = True
        in_catalogue = "\n".join(e.lower() for e, _ in known)
        without = [t for t in texts if any(p.lower() not in in_catalogue for p in pieces(t))]
        bare = [t for t in advice if any(p.lower() not in in_catalogue for p in pieces(t))]
        stale = [e for e, _ in known if not is_said(e, everything)]
        holes = [e for e, t in known if sorted(h[-1] for h in HOLE.findall(e) if h[0] == "%") !=
                 sorted(h[-1] for h in HOLE.findall(t) if h[0] == "%")]
        twice = {e for e, _ in known if [k for k, _ in known].count(e) > 1} if len(known) < 5000 else set()
        print(f"{po.name}: {len(texts)} texts, {len(without)} without translation; {len(known)} entries, {len(stale)} stale")
        for text in without:
            print(f"  without: {texts[text]}: {text!r}")
        for text in bare:
            print(f"  finding without: {advice[text]}: {text!r}")
        for text in stale:
            print(f"  stale: {text!r}")
        for text in holes:
            print(f"  other holes: {text!r}")
        for text in twice:
            print(f"  twice: {text!r}")
        failed = failed or len(without) > MOST_WITHOUT * len(texts) or len(stale) > MOST_STALE * len(known)
        failed = failed or bool(holes) or bool(twice) or bool(bare)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
