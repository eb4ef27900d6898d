#!/usr/bin/env python3
"""Checks the links of the documentation: every file and every heading that one leads to must be there.

    python3 docs/check_links.py [FOLDER]    FOLDER: the repository, else that of this script

Read are README.md, CONTRIBUTING.md, CHANGELOG.md and docs/**/*.md: links and pictures with a relative target, anchors
included. So are sources: where a comment names `docs/PAGE.md`, or `docs/PAGE.md, section 2.1`, that page and a heading
of that number must be there. Addresses of other sites are not looked up. Standard library only; prints each fault with
its place and ends with 1 when there is one.
"""

import pathlib
import re
import sys

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
DEFINITION = re.compile(r"^\[[^\]]+\]:\s+(\S+)")
HTML = re.compile(r"<(?:a|img)\s[^>]*?(?:href|src)=\"([^\"]+)\"")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
MENTION = re.compile(r"\bdocs/([\w./-]+\.md)(?:,\s+section\s+([\d.]*\d))?")
SOURCES = {".cpp", ".hpp", ".cu", ".cuh", ".in", ".sh", ".toml", ".txt", ".cmake"}
FOLDERS = ("bench", "cli", "engine", "scenes", "stencils", "tests")


def without_code(text):
    """The lines of a page, numbered from 1, without fenced blocks and spans of code."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and (fence is None or mark[1].startswith(fence)):
            fence = None if fence else mark[1]
            continue
        if fence is None:
            yield number, re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", line)


def headings(text):
    """The text of every heading, spans of code included."""
    fence = False
    for line in text.splitlines():
        if re.match(r"\s*(```|~~~)", line):
            fence = not fence
        elif not fence and (match := HEADING.match(line)):
            yield match[1]


def anchors(text):
    """The names of headings in addresses, and of `<a id>` and `{#id}`."""
    found = set(re.findall(r"<a\s+(?:id|name)=\"([^\"]+)\"", text)) | set(re.findall(r"\{#([\w-]+)\}", text))
    for heading in headings(text):
        plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = base = re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())
        again = 0
        while name in found:
            again += 1
            name = f"{base}-{again}"
        found.add(name)
    return found


def faults_of_page(root, page):
    text = page.read_text(encoding="utf-8")
    for number, line in without_code(text):
        targets = LINK.findall(line) + HTML.findall(line) + DEFINITION.findall(line)
        for target in targets:
            if re.match(r"[a-z][a-z+.-]*:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            place = f"{page.relative_to(root)}:{number}: {target}"
            if not file.is_relative_to(root) or not file.exists():
                yield f"{place}: there is no such file"
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
                yield f"{place}: there is no such heading"


def faults_of_source(root, source):
    for number, line in enumerate(source.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        for page, section in MENTION.findall(line):
            if pathlib.PurePosixPath(page).stem.isupper():
                continue  # stands for a name
            file = root / "docs" / page
            place = f"{source.relative_to(root)}:{number}: docs/{page}"
            if not file.exists():
                yield f"{place}: there is no such page"
            elif section and not any(
                h.split(" ")[0].rstrip(".") == section for h in headings(file.read_text(encoding="utf-8"))
            ):
                yield f"{place}: there is no section {section}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    root = root if root.is_dir() else root.parent.parent
    pages = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    pages = [page for page in pages if page.exists()] + sorted((root / "docs").rglob("*.md"))
    faults = [fault for page in pages for fault in faults_of_page(root, page)]
    for folder in FOLDERS:
        for source in sorted((root / folder).rglob("*")):
            if source.suffix in SOURCES and source.is_file():
                faults += faults_of_source(root, source)
    print("\n".join(faults) if faults else f"links: {len(pages)} pages, every link leads somewhere")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
