"""Libraries of CATT-Acoustic as text: `ABS name = <a125 ... a4000> L <s125 ...> {r g b}`.

Coefficients are in percent, two octaves more after a colon. A name may stand for one that was stated before:
`ABS door = oak`. Comments begin with a semicolon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..errors import SceneError
from ..materials import Material
from ._coefficients import OCTAVES, material, number_of

_BEGINS = re.compile(r"^[ \t]*ABS(?=[ \t=<])", re.M | re.I)
_ENTRY = re.compile(r"\s*ABS\s+([^=\n]*?)\s*=\s*(?:<([^<>]*)>|([^\s<>{]+)(?=[ \t]*(?:\{|$)))", re.M | re.I)
_SCATTERING = re.compile(r"\s*L\s*<([^<>]*)>", re.I)
_COLOUR = re.compile(r"\{[^{}]*\}")


def is_catt(text: str) -> bool:
    """Whether a text has a line that begins with ABS."""
    return _BEGINS.search(_plain(text)) is not None


def read_catt(text: str, notes: list[str]) -> dict[str, Material]:
    """Materials by name; lines that begin with ABS and have another form are noted."""
    found: dict[str, Material] = {}
    lines: dict[str, int] = {}
    largest = 0.0
    for line, entry in _entries(_plain(text)):
        match = _ENTRY.match(entry)
        name = match[1].strip().strip('"') if match else ""
        if match is None or not name:
            first = entry.strip().splitlines()[0]
            notes.append(f"line {line} is left out: {first[:60]!r} is not of the form ABS name = <12 10 8 7 5 4>")
            continue
        alpha, other = match[2], match[3]
        if name in lines:
            notes.append(f"{name} is stated in lines {lines[name]} and {line}: the latter counts")
        if other is not None:
            if other in found:
                found[name], lines[name] = found[other], line
            else:
                notes.append(f"line {line}: {name} is left out: {other} is not stated before it")
            continue
        place = f"line {line}: {name}"
        bands = _octaves(alpha, place, "coefficient")
        largest = max(largest, *bands.values())
        scattering = _SCATTERING.match(entry, match.end())
        spread = _octaves(scattering[1], place, "scattering coefficient") if scattering else {}
        rest = _COLOUR.sub("", entry[scattering.end() if scattering else match.end() :].split("\n")[0]).strip()
        if rest:
            notes.append(f"{place}: {rest[:60]!r} is not read")
        found[name], lines[name] = material(place, bands, spread, notes), line
    if 0.0 < largest <= 0.01:
        notes.append(f"coefficients up to {100 * largest:g} are percent, as CATT has them")
    return found


def _plain(text: str) -> str:
    return re.sub(r";.*", "", text)


def _entries(text: str) -> Iterator[tuple[int, str]]:
    """The number of each line that begins with ABS, and the text up to the next."""
    starts = [match.start() for match in _BEGINS.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)]):
        yield text.count("\n", 0, start) + 1, text[start:end]


def _octaves(text: str, place: str, what: str) -> dict[float, float]:
    """Coefficients by octave from 125 Hz on."""
    words = [word for word in re.split(r"[\s:]+", text.strip()) if word]
    values = []
    for word in words:
        number = number_of(word)
        if number is None:
            raise SceneError(f"{place}: {word!r} is no {what}", "state percent, as in <12 10 8 7 5 4>")
        values.append(number[0] / 100)
    if len(values) not in (6, 7, 8):
        raise SceneError(f"{place}: {len(values)} {what}s, 6 to 8 from 125 Hz on are needed")
    return dict(zip(OCTAVES[2:], values))
