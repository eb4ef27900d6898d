"""What MkDocs does beside building pages: links into the repository, and formulas as MathML.

Pages link to files of the repository as they lie beside docs/ (data, scenes, sources), so that the links also work
where the repository is read. The site has copies of those files, under repository/; sources there end in .txt, for
browsers show only what they know. Formulas between dollars are written as MathML, which browsers draw by themselves.
"""

import html
import pathlib
import posixpath
import re

import latex2mathml.converter
from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"(\]\(|(?:src|href)=\")([^)\s\"#]+)")
SHOWN = {".json", ".png", ".svg", ".html", ".txt"}
FORMULA = re.compile(r'<(span|div) class="arithmatex">(.*?)</\1>', re.S)


def beyond(page, target):
    """The file of the repository outside docs/ that a link of a page leads to, or None."""
    if re.match(r"[a-z]+:|/", target):
        return None
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), target))
    return None if path.startswith("docs/") else path


def place(path):
    return "repository/" + path + ("" if pathlib.PurePosixPath(path).suffix in SHOWN else ".txt")


def on_files(files, config):
    paths = set()
    for file in files.documentation_pages():
        paths |= {beyond(file.src_uri, link[2]) for link in LINK.finditer(file.content_string)}
    for path in sorted(paths - {None}):
        if not (ROOT / path).is_file():
            continue  # MkDocs reports the link that leads nowhere
        files.append(File.generated(config, place(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown, page, config, files):
    here = posixpath.dirname(page.file.src_uri)

    def link(match):
        path = beyond(page.file.src_uri, match[2])
        return match[0] if path is None else match[1] + posixpath.relpath(place(path), here or ".")

    return LINK.sub(link, markdown)


def on_page_content(content, page, config, files):
    def formula(match):
        text = html.unescape(match[2]).strip()
        display = "block" if text.startswith(r"\[") else "inline"
        drawn = latex2mathml.converter.convert(text[2:-2], display=display)
        # Bars and signs after a bracket stand close, which browsers know of fences and prefixes alone.
        drawn = drawn.replace("<mo>&#x0007C;</mo>", '<mo lspace="0" rspace="0">|</mo>')
        after_bracket = re.compile(r"(<mo[^>]*>(?:&#x0005B;|\[|\()</mo>)<mo>&#x02212;</mo>")
        return after_bracket.sub(r'\1<mo form="prefix">&#x02212;</mo>', drawn)

    return FORMULA.sub(formula, content)
