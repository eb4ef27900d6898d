"""Material libraries of ODEON as text: two lines a material.

The first has the material's number and its name, the second eight absorption coefficients from 0 to 1, of the octaves from
63 Hz to 8 kHz. Lines that begin with no digit are headings and comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..errors import SceneError
from ..materials import Material
from ._coefficients import OCTAVES, counted, material, number_of, unique

_BANDS = OCTAVES[1:9]
_HEAD = re.compile(r"(\d{1,10})[ \t]+(\S.*)")
_FORM = "is not of the form: number and name, below them eight coefficients from 63 Hz to 8 kHz"


def is_odeon(text: str) -> bool:
    """Whether a line of a number and a name stands above one of eight numbers."""
    lines = [line for _, line in _lines(text)]
    return any(_head(first) and len(_numbers(second)) >= 8 for first, second in zip(lines, lines[1:]))


def read_odeon(text: str, notes: list[str]) -> dict[str, Material]:
    """Materials by name; entries of another form are noted."""
    found: dict[str, Material] = {}
    numbers: dict[str, int] = {}
    more = False
    lines = list(_lines(text))
    at = 0
    while at < len(lines):
        line, words = lines[at]
        head = _head(words)
        values = _numbers(lines[at + 1][1]) if head and at + 1 < len(lines) and not _head(lines[at + 1][1]) else []
        if head is None or not values:
            notes.append(f"line {line} is left out: {words[:60]!r} {_FORM}")
            at += 1
            continue
        number, name = head
        below, at = lines[at + 1][0], at + 2
        if len(values) < 8:
            hint = "state coefficients from 0 to 1, with blanks between them"
            raise SceneError(f"line {below}: {name}: {counted(len(values), 'coefficient')}, 8 from 63 Hz on are needed", hint)
        more = more or len(lines[at - 1][1].split()) > 8
        if number in numbers:
            notes.append(f"lines {numbers[number]} and {line} have the number {number}")
        numbers.setdefault(number, line)
        if int(number) == 0:
            notes.append(f"line {line}: {name} is left out: the number 0 is a transparent surface, which is no wall")
            continue
        large = max(values[:8])
        if large > 2.0:
            raise SceneError(f"line {below}: {name}: {large:g} is no coefficient", "coefficients of ODEON are 0 to 1")
        own = unique(name, found)
        found[own] = material(f"line {below}: {own}", dict(zip(_BANDS, values)), {}, notes)
    if more:
        notes.append("words and numbers after the eighth coefficient, such as scattering, are not read")
    return found


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines that begin with a digit, a sign or a decimal mark, with their numbers."""
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"[-+.,]*\d", line.strip()):
            yield number, line.strip()


def _head(line: str) -> tuple[str, str] | None:
    """Number and name; None of a line of coefficients."""
    match = _HEAD.fullmatch(line)
    return (match[1], match[2].strip()) if match and len(_numbers(line)) < 8 and re.search(r"[^\W\d_]", match[2]) else None


def _numbers(line: str) -> list[float]:
    """Those with which a line begins."""
    values: list[float] = []
    for word in line.split():
        number = number_of(word)
        if number is None or number[1]:
            break
        values.append(number[0])
    return values
