#!/usr/bin/env python3
"""Builds the documents as a website that needs no network, with search: build/site/html/index.html.

    make_site.py [--keep-sources]     run by `make site`, with the environment of scripts/site_tools.txt

The pages are the Markdown files of the repository as they are; what they link to (pictures, sources) is copied beside them.
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SITE = ROOT / "build" / "site"
SKIPPED = ("tests/golden/expected/", "tests/cli/expected/")
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))")
LARGEST = 2 << 20  # bytes of a linked file that is copied

CONFIG = """\
site_name: et-inspect
docs_dir: {source}
site_dir: {target}
use_directory_urls: false
theme:
  name: material
  font: false
  language: en
  features: [navigation.indexes, navigation.top, search.highlight, content.code.copy, toc.follow]
  palette:
    - media: "(prefers-color-scheme: light)"
      scheme: default
      toggle: {{icon: material/weather-night, name: Dark}}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      toggle: {{icon: material/weather-sunny, name: Light}}
plugins:
  - search: {{lang: [en, zh]}}
markdown_extensions: [tables, attr_list, toc, pymdownx.superfences, pymdownx.highlight]
validation: {{links: {{not_found: info, anchors: info, unrecognized_links: info}}, nav: {{omitted_files: info}}}}
nav:
{nav}
"""

# Title, then a page or pages.
NAV = [
    ("Start", ["README.md", "docs/tutorial.md", "docs/install.md", "docs/gui.md", "docs/comparison.md", "docs/glossary.md"]),
    ("Inspect", ["docs/inputs.md", "docs/reports.md", "docs/exports.md", "docs/python.md", "docs/join.md",
                 "docs/join-library-models.md", "docs/xnnpack-events.md", "docs/upstream-differences.md", "docs/releases.md",
                 "docs/diagnostics.md"]),
    ("Run and check", ["docs/runtime.md", "docs/delegates.md", "docs/tosa.md", "docs/checks.md", "docs/bundled-programs.md",
                       "docs/performance-checks.md", "docs/ci.md", "docs/devices.md", "docs/porting.md"]),
    ("Samples", ["samples/*"]),
    ("Reference", ["docs/reference-cli.md", "docs/reference-schema.md", "docs/performance.md", "CHANGELOG.md", "SECURITY.md",
                   "THIRD_PARTY.md"]),
    ("Develop", ["CONTRIBUTING.md", "docs/architecture.md", "docs/building.md", "cli/README.md", "tests/golden/README.md"]),
    ("中文", ["README.zh-CN.md", "docs/tutorial.zh-CN.md", "docs/gui.zh-CN.md"]),
]


def tracked():
    names = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=ROOT, capture_output=True, check=True).stdout
    return [n for n in names.decode().split("\0") if n and not n.startswith(SKIPPED)]


def stage(source):
    """Copies all pages, and the files that they link to."""
    for name in tracked():
        page = ROOT / name
        if not page.exists():
            continue
        text = page.read_text(encoding="utf-8")
        for _, link, _ in LINK.findall(text):
            target = (page.parent / link.partition("#")[0]).resolve()
            if target.suffix != ".md" and target.is_file() and target.is_relative_to(ROOT) and target.stat().st_size <= LARGEST:
                copy = source / target.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(target, copy)

        def linked(match, page=page):
            """A folder has no page: its README, if it has one."""
            target = page.parent / match[2].partition("#")[0]
            if target.is_dir() and (target / "README.md").exists():
                return match[1] + match[2].rstrip("/") + "/README.md" + match[3]
            return match[0]

        copy = source / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(LINK.sub(linked, text), encoding="utf-8")


def nav():
    lines = []
    for title, pages in NAV:
        rows = []
        for page in pages:
            found = sorted(str(p.relative_to(ROOT)) for p in ROOT.glob(page + "/README.md")) if "*" in page else [page]
            if "*" in page and (ROOT / page.replace("*", "README.md")).exists():
                found.insert(0, page.replace("*", "README.md"))
            rows += [f"    - {name}" for name in found if (ROOT / name).exists()]
        if rows:
            lines += [f"  - {title}:", *rows]
    return "\n".join(lines)


def main():
    source, target = SITE / "source", SITE / "html"
    shutil.rmtree(SITE / "source", ignore_errors=True)
    source.mkdir(parents=True)
    stage(source)
    config = SITE / "mkdocs.yml"
    config.write_text(CONFIG.format(source=source, target=target, nav=nav()), encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet", "--clean", "--config-file", str(config)], cwd=SITE)
    if done.returncode != 0:
        sys.exit("make_site: mkdocs failed")
    outside = [p for p in target.rglob("*.html")
               if re.search(r"<(?:script|link|img)[^>]+(?:src|href)=[\"']?https?://(?!github\.com)", p.read_text(encoding="utf-8"))]
    if outside:
        sys.exit(f"make_site: {outside[0]} loads something from the network")
    if "--keep-sources" not in sys.argv:
        shutil.rmtree(source)
    print(f"{len(list(target.rglob('*.html')))} pages. To read and search them: python3 -m http.server -d {target.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
