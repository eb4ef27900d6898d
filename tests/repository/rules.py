#!/usr/bin/env python3
"""Rules of form over the sources, which no compiler holds: rules.py REPOSITORY

- a file has at most 450 lines, a function at most 60 (tables and the body of a class left out);
- a folder has at most 40 sources;
- no two files include each other: neither X.hpp and Y.hpp, nor X.cpp with Y.hpp while Y.cpp has X.hpp; no two modules of
  Python import each other when they are loaded;
- a file that a comment names exists, by its path or by the end of it;
- no sentence of a comment or of a page begins with "What", unless it is a question, with "Those that" or "The one that",
  and no clause does after a semicolon: its subject is a noun of the field;
- "so" stands for no condition;
- the kind of a channel is read out of its name in the readers of files alone.

headers.py holds that every header compiles alone, test_layers.cpp which folder includes which.

`KNOWN` lists what breaks a rule today. An entry that no longer breaks it is a fault too, so that the list only shrinks.
Standard library only; prints each fault with its place and ends with 1 where there is one.
"""

import ast
import collections
import io
import pathlib
import re
import sys
import tokenize

FOLDERS = ("base", "bench", "cli", "docs", "engine", "python", "scenes", "stencils", "tests")
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh", ".py"}
MOST_LINES = 450
MOST_LINES_OF_A_FUNCTION = 60
MOST_SOURCES = 40

KNOWN = {
    # One class, whose methods are a line or two each: more than half of it is documentation.
    "python/roomfdtd/result.py: long file",
    # A kernel: the loop over planes keeps its state in registers, and its steps are functions already.
    "engine/cuda/kernels/tma/march.cuh: long function __launch_bounds__",
}
TABLES = re.compile(r"(TableRow> table|Entries \w+_entries)\(")  # functions that are a table

INCLUDE = re.compile(r'#include "([^"]+)"')
OPENING = re.compile(r"(?:[A-Za-z_]|    ).*\{$")  # outside of bodies, as clang-format lays a definition out
NO_FUNCTION = re.compile(r"(namespace|struct|class|enum|union|extern|const|constexpr|static const|inline const)\b")
WHAT = re.compile(r"(?:(?:^\W*|[.;:] )What|; what) [a-z][^?]*$")
THOSE = re.compile(r"(?:(?:^\W*|[.] )(?:Those|The ones?)|; (?:those|the ones?)) (?:that|which|who|whose)\b")
SO = re.compile(r"\bnot so(?: where\b| beside\b| if\b| for\b|[.,;:)]|$)|\b(?:if|where|is) so(?:[.,;:)]|$)")
READS_NAMES = re.compile(r"\bread_channel_names?\(")
READERS = (
    "engine/plan/channel_id",
    "engine/results/result_read",
    "engine/results/response_arrays",
    "engine/checkpoint/",
)
NAMED = re.compile(r"(?<![\w./*-])([\w-]+(?:/[\w-]+)*\.(?:hpp|cpp|cuh|cu|py))\b")


def name_of(lines, last):
    """The name of the function whose body opens on line `last`; None where nothing there is a function of rule."""
    first = last
    while first > 0 and lines[first - 1].strip() and not lines[first - 1].startswith(("}", "//", "#", "template")):
        first -= 1
    text = " ".join(line.strip() for line in lines[first : last + 1])
    if "(" not in text or NO_FUNCTION.match(text) or text.startswith("TEST_CASE") or TABLES.search(text):
        return None
    return re.search(r"([\w:~<>=+\-*/!]+)\s*\(", text)[1]


def long_functions(lines):
    first = None
    for number, line in enumerate(lines):
        if first is None and OPENING.match(line):
            first = number
        elif line.startswith("}") and first is not None:
            name = name_of(lines, first)
            if name and number - first + 1 > MOST_LINES_OF_A_FUNCTION:
                yield first + 1, name, number - first + 1
            first = None


def comments_of_python(text):
    """(line, text) of each comment and each line of a docstring."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            first = node.body[0]
            yield from enumerate(first.value.value.splitlines(), first.lineno)


def imports_of_python(text, file, modules):
    """(module of ours, line) of each import that is made when the module is loaded."""
    package = file.rsplit("/", 1)[0]
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            names = [node.module] if node.module else [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module.removeprefix("roomfdtd.")]
        elif isinstance(node, ast.Import):
            names = [alias.name.removeprefix("roomfdtd.") for alias in node.names]
        else:
            continue
        for name in names:
            if (module := f"{package}/{name.replace('.', '/')}") in modules:
                yield module, node.lineno


def long_functions_of_python(text):
    """Docstrings are not counted."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            first = node.body[0]
            documented = first.end_lineno - first.lineno + 1 if ast.get_docstring(node) else 0
            length = node.end_lineno - node.lineno + 1 - documented
            if length > MOST_LINES_OF_A_FUNCTION:
                yield node.lineno, node.name, length


def faults_of_channels(file, lines):
    if not file.startswith(("base/", "scenes/", "engine/", "cli/")) or file.startswith(READERS):
        return
    for number, line in enumerate(lines, 1):
        if READS_NAMES.search(line):
            yield f"{file}: channel by name", f"{file}:{number}: ask ChannelId::kind: names are read where files are"


def faults_of_folders(files):
    count = collections.Counter(file.rpartition("/")[0] for file in files)
    for folder, number in count.items():
        if number > MOST_SOURCES:
            yield f"{folder}: full folder", f"{folder}: {number} sources, more than {MOST_SOURCES}"


def faults_of_names(file, comments, ends):
    if file.startswith("tests/repository/"):
        return  # they name files that they plant
    for number, comment in comments:
        for named in NAMED.findall(comment):
            if named not in ends:
                yield f"{file}: comment names {named}", f"{file}:{number}: {named}: there is no such file"


def faults_of_sentences(file, comments):
    rules = (
        (WHAT, "a sentence begins with 'What': name its subject"),
        (THOSE, "the subject of a sentence is 'those that': name it"),
        (SO, "'so' stands for a condition: state it"),
    )
    for number, comment in comments:
        for pattern, fault in rules:
            if pattern.search(comment):
                place = f"{file}:{number}"
                yield f"{place}: sentence", f"{place}: {fault}"


def sentences_of_markdown(text):
    """(line, sentence or clause) of each paragraph and list item; headings, tables and code have none."""
    block, first, code = [], 0, False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        code ^= line.lstrip().startswith("```")
        item = re.match(r"\s*(?:[-*>]|\d+\.) +", line)
        ends = code or not line.strip() or line.startswith(("#", "|", "```"))
        if (ends or item) and block:
            for sentence in re.split(r"(?<=[.:;?!]) +|\*\* +", " ".join(block)):
                yield first, sentence
            block = []
        if not ends:
            first = first if block else number
            block.append(line[item.end() :] if item else line.strip())


def faults_of_pages(root):
    for path in [*sorted((root / "docs").rglob("*.md")), *sorted(root.glob("*.md"))]:
        file = path.relative_to(root).as_posix()
        before = ""
        for number, sentence in sentences_of_markdown(path.read_text(encoding="utf-8")):
            clause = before.endswith(";")
            before = sentence
            if sentence.endswith("?") or not re.match(r"What [a-z]" if not clause else r"what [a-z]", sentence):
                if not re.match(r"(?:Those|The ones?) (?:that|which|who|whose)\b", sentence):
                    continue
                fault = "the subject of a sentence is 'those that': name it"
            else:
                fault = "a sentence begins with 'What': name its subject"
            yield f"{file}:{number}: sentence", f"{file}:{number}: {fault}"


def faults_of_pairs(includes):
    for one in includes:
        for other, place in includes[one].items():
            if one < other and one in includes.get(other, {}):
                there = includes[other][one]
                yield (
                    f"{one}, {other}: include each other",
                    f"{place}: {one} and {other} include each other (there: {there})",
                )


def found(root):
    """The entry of KNOWN -> place and fault."""
    every = [p for folder in FOLDERS for p in sorted((root / folder).rglob("*")) if p.is_file()]
    names = [p.relative_to(root).as_posix() for p in every]
    files = [name for name in names if pathlib.PurePath(name).suffix in SUFFIXES]
    modules = {name.removesuffix(".py") for name in files if name.endswith(".py")}
    paths = {*files, *(name.removesuffix(".in") for name in names if name.endswith(".in"))}
    ends = {"/".join(p.split("/")[-n:]) for p in paths for n in range(1, p.count("/") + 2)}
    faults = dict(faults_of_folders(files))
    includes = {}
    for file in files:
        text = (root / file).read_text(encoding="utf-8")
        lines = text.splitlines()
        stem = file.rsplit(".", 1)[0]
        if file.endswith(".py"):
            functions = long_functions_of_python(text)
            comments = list(comments_of_python(text))
            included = imports_of_python(text, file, modules)
        else:
            functions = long_functions(lines)
            comments = [(number, line.partition("//")[2]) for number, line in enumerate(lines, 1)]
            included = ((m[1].rsplit(".", 1)[0], n) for n, line in enumerate(lines, 1) if (m := INCLUDE.match(line)))
        if len(lines) > MOST_LINES:
            faults[f"{file}: long file"] = f"{file}: {len(lines)} lines, more than {MOST_LINES}"
        for line, name, length in functions:
            faults[f"{file}: long function {name}"] = (
                f"{file}:{line}: {name} has {length} lines, more than {MOST_LINES_OF_A_FUNCTION}"
            )
        for other, line in included:
            includes.setdefault(stem, {}).setdefault(other, f"{file}:{line}")
        faults.update(faults_of_names(file, comments, ends))
        faults.update(faults_of_sentences(file, comments))
        faults.update(faults_of_channels(file, lines))
    faults.update(faults_of_pairs(includes))
    faults.update(faults_of_pages(root))
    return faults


def main(root):
    faults = found(root)
    known = KNOWN if (root / "tests/repository/rules.py").exists() else set()
    for fault in sorted(faults.keys() - known):
        print(faults[fault])
    for gone in sorted(known - faults.keys()):
        print(f"tests/repository/rules.py: '{gone}' is no longer so: strike it out")
    return 1 if faults.keys() ^ known else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
