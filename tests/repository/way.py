#!/usr/bin/env python3
"""Counts the way of a scene through the engine: way.py REPOSITORY FUNCTION [--list | --stays N --climbs N --climbs-a-stay X]

A stay is a call that passes the scene on, in FUNCTION or in a function that the scene reaches from there. A reader
follows each call, in the order of the text, into its function, once; sources stand in the order in which he meets them.
A climb is a stay that leads to a source that stands above the caller's. X.hpp and X.cpp are one source.

The sources are read as text: a function is known by a parameter of the type Scene or by a scene that it makes, a class
that keeps one as `scene_` by its constructor; all its functions in that source then belong to the way. Standard library
only; prints the numbers, with --list each stay with its place, and ends with 1 where there are more than a limit allows.
"""

import collections
import pathlib
import re
import sys

FOLDERS = ("engine", "scenes")
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
BALANCED = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*"
HEAD = re.compile(rf"^(?:(?:  )?(?!return|else|throw)[A-Za-z_][^\n;{{}}()=]*?[\s*&:~]|  |)(?!if|for|while|switch)(\w+)\(({BALANCED})\)"
                  rf"(?: const)?(?: override)?(?:\s*:\s[^;{{}}]*(?:(?<=\w)\{{[^{{}};]*\}}[^;{{}}]*)*)? ?\{{", re.M)  # fmt: skip
INCLUDE = re.compile(r'^#include "([\w/]+)\.hpp"', re.M)
LOCAL = re.compile(r"^\s*Scene (\w+) = ", re.M)
PARAMETER = re.compile(r"\bScene(?: const)?\s*(?:&|\*)?\s*(\w+)\s*(?:,|=|$)")
NAME = re.compile(r"(?:\b([A-Za-z_]\w*)(?:<[\w:, ]*>)?\s+)?\b([A-Za-z_]\w*)(?:<[\w:, ]*>)?\s*[({]$")

KEPT_WITHIN = 400  # characters of a constructor that the list of its members takes at most

Function = collections.namedtuple("Function", "name count includes source path line scene body begin")
Stay = collections.namedtuple("Stay", "path line caller callee source target")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def closing(text, at):
    """The place behind the bracket that closes the one at `at`."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] in "({[") - (text[place] in ")}]")
        if depth == 0:
            return place + 1
    return len(text)


def arguments_in(text):
    """How many arguments a list holds."""
    depth, count = 0, 1 if text.strip() else 0
    for letter in text:
        depth += (letter in "({[<") - (letter in ")}]>")
        count += letter == "," and depth == 0
    return count


def functions_of(root):
    """All functions that take a scene, and those of classes that keep one, by name."""
    found = collections.defaultdict(list)
    for path in sorted(one for folder in FOLDERS for one in (root / folder).rglob("*.[ch]pp")):
        text = NO_CODE.sub(blank, path.read_text(encoding="utf-8"))
        source = str(path.relative_to(root).with_suffix(""))
        includes = set(INCLUDE.findall(path.read_text(encoding="utf-8")))
        if path.suffix == ".cpp" and path.with_suffix(".hpp").exists():
            includes |= set(INCLUDE.findall(path.with_suffix(".hpp").read_text(encoding="utf-8")))
        for head in HEAD.finditer(text):
            parameter = PARAMETER.search(head[2].strip())
            begin = head.end(2)
            body = text[begin : closing(text, head.end() - 1)]
            parameter = parameter or LOCAL.search(body)
            name = parameter[1] if parameter else "scene_"
            if parameter or re.search(r"\bscene_\b", body):
                line = text.count("\n", 0, head.start()) + 1
                count, place = arguments_in(head[2]), path.relative_to(root)
                found[head[1]].append(Function(head[1], count, includes, source, place, line, name, body, begin))
    return found


def passed_on(function):
    """(name called, offset, type of a variable that is made) of each call with the scene among its arguments."""
    for use in re.finditer(rf"\b{function.scene}\b", function.body):
        before, after = function.body[: use.start()].rstrip(), function.body[use.end() :].lstrip()
        if not re.match(r"[,)}]", after) or not re.search(r"[(,{*]$", before) or before.endswith("->"):
            continue
        depth = 0
        for place in range(use.start() - 1, -1, -1):  # the bracket that the arguments begin with
            depth += (function.body[place] in ")}]") - (function.body[place] in "({[")
            if depth < 0:
                break
        if depth < 0 and (call := NAME.search(function.body[: place + 1])):
            last = closing(function.body, place) - 1
            yield call[2], use.start(), call[1], arguments_in(function.body[place + 1 : last])


def target_of(known, caller, name, kind, count):
    """Of functions of a name the one in sight that takes so many arguments, or a few more that have defaults."""
    for one in (name, kind):
        fits = [each for each in known.get(one, ()) if each.scene != "scene_" and each.count >= count]
        seen = [each for each in fits if each.source in caller.includes | {caller.source}]
        if seen or fits:
            return min(seen or fits, key=lambda each: (each.source != caller.source, each.count))
    return None


def way(root, name):
    """The stays from the function on, in the order of reading, and the order in which sources are met."""
    known = functions_of(root)
    if name not in known:
        sys.exit(f"{root}: no function {name} takes or makes a scene")
    stays, order, seen = [], {}, set()

    def read(caller):
        if id(caller) in seen:
            return
        seen.add(id(caller))
        order.setdefault(caller.source, len(order))
        text = (root / caller.path).read_text(encoding="utf-8")
        for called, offset, kind, count in passed_on(caller):
            target = target_of(known, caller, called, kind, count)
            if target is None:
                continue
            line = text.count("\n", 0, caller.begin + offset) + 1
            stays.append(Stay(caller.path, line, caller.name, target.name, caller.source, target.source))
            read(target)
            if re.search(rf"\bscene_\(\s*{target.scene}\s*\)", target.body[:KEPT_WITHIN]):
                for one in (each for all_of_a_name in known.values() for each in all_of_a_name):
                    if one.source == target.source and one.scene == "scene_":
                        read(one)

    read(known[name][0])
    return stays, order


def main(arguments):
    root, name = pathlib.Path(arguments[0]).resolve(), arguments[1]
    limits = dict(zip(arguments[2::2], map(float, arguments[3::2]))) if len(arguments) > 3 else {}
    stays, order = way(root, name)
    climbs = [one for one in stays if order[one.target] < order[one.source]]
    if arguments[2:] == ["--list"]:
        for one in stays:
            mark = " climbs" if one in climbs else ""
            print(f"{one.path}:{one.line}: {one.caller} -> {one.callee}, {one.target}{mark}")
    print(f"{name}: {len(stays)} stays in {len(order)} sources, {len(climbs)} climbs")
    counts = {"--stays": len(stays), "--climbs": len(climbs), "--climbs-a-stay": len(climbs) / max(1, len(stays))}
    broken = [option for option, most in limits.items() if counts[option] > most]
    for option in broken:
        print(f"{name}: {counts[option]:.3g} is more than {option} {limits[option]:g}; --list has the places")
    sys.exit(1 if broken else 0)


main(sys.argv[1:])
