#!/usr/bin/env python3
"""Lays out the JSON documents of bench/results/ with one result a line: result_lines.py [--check] [FILE...]

A member of the document is a line; a list of objects or lists has one element a line, also inside objects. Values are
kept as they are. Without FILE, all documents of bench/results/. Programs that measure in Python write through
`lines_of`; documents of the others (`fdtd profile --json`, bench_*) are laid out here before they are committed, and
`repository/result_lines` fails until they are. --check changes nothing, names each file that is laid out otherwise and
ends with 1 where there is one.
"""

import argparse
import json
import pathlib
import sys

RESULTS = pathlib.Path(__file__).resolve().parent / "results"


def one_line(value):
    return json.dumps(value, ensure_ascii=False)


def holds_results(value):
    """A list of objects or lists, or an object with such a list at any depth."""
    if isinstance(value, list):
        return any(isinstance(one, dict | list) for one in value)
    return isinstance(value, dict) and any(holds_results(one) for one in value.values())


def laid_out(value, indent):
    if not holds_results(value):
        return one_line(value)
    inner = indent + " "
    if isinstance(value, list):
        return "[\n" + ",\n".join(inner + one_line(one) for one in value) + "\n" + indent + "]"
    members = (f"{inner}{one_line(key)}: {laid_out(one, inner)}" for key, one in value.items())
    return "{\n" + ",\n".join(members) + "\n" + indent + "}"


def lines_of(document):
    """The text of a document, with one result a line."""
    if not holds_results(document) and isinstance(document, dict):
        return "{\n" + ",\n".join(f" {one_line(key)}: {one_line(one)}" for key, one in document.items()) + "\n}\n"
    return laid_out(document, "") + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    status = 0
    for file in arguments.files or sorted(RESULTS.rglob("*.json")):
        text = file.read_text(encoding="utf-8")
        wanted = lines_of(json.loads(text))
        if text == wanted:
            continue
        if arguments.check:
            print(f"{file}: not one result a line: run python3 bench/result_lines.py {file}")
            status = 1
        else:
            file.write_text(wanted, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
