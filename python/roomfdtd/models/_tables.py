"""Tables of absorption: a line of frequencies, below it a name and a column for each octave, or third, in each line."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence

from ..errors import SceneError
from ..materials import Material
from ._coefficients import NUMBER, OCTAVES, counted, material, number_of, unique

_THIRDS = tuple(round(1000.0 * 10.0 ** (n / 10.0), 1) for n in range(-16, 14))  # exact centres about the nominal ones
_HEAD = re.compile(r"^\D{0,12}?(\d+(?:[.,]\d+)?)\s*(k)?\s*(?:hz)?\W*$", re.I)
_PERCENT = re.compile(r"(?:^|\bin |[(\[])\s*%|\bper ?cent\b|\bprozent\b", re.I)  # in a head


def rows_of(text: str) -> list[list[str]]:
    """Cells between tabs, semicolons or commas: the first of them that most lines have."""
    lines = [line for line in text.splitlines() if line.strip()]
    for least, mark in itertools.product((2, 1), "\t;,"):
        if sum(line.count(mark) >= least for line in lines) * 2 > len(lines):
            return [[cell.strip() for cell in row] for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=mark)]
    return []


def read_table(rows: Sequence[Sequence[str]], notes: list[str]) -> dict[str, Material]:
    """Materials by name: a row of frequencies, then a row for each material."""
    heads = [(i, {j: f for j, cell in enumerate(row) if (f := _frequency(cell))}) for i, row in enumerate(rows)]
    at, columns = max(heads, key=lambda head: len(head[1]), default=(0, {}))
    _check_head(columns)
    below = [row for row in rows[at + 1 : at + 2] if not any(number_of(cell) for cell in row) and _says_percent([row])]
    data = [_data(row, columns, notes) for row in rows[at + 1 + len(below) :]]
    says = _says_percent([*rows[: at + 1], *below])
    cells = [cell for name, row in data if name for cell in row.values()]
    percent = _in_percent([value for value, unit in cells if unit != "%"], len(cells), says, notes)
    found: dict[str, Material] = {}
    for name, row in data:
        bands = {f: value / 100 if unit == "%" or percent else value for f, (value, unit) in row.items()}
        if not name or len(bands) < 3:
            if bands:  # a title has none
                what = f"{name}: {counted(len(bands), 'coefficient')} of at least 3" if name else "a row has no name"
                notes.append(f"{what}: it is left out")
            continue
        own = unique(name, found)
        found[own] = material(own, bands, {}, notes)
    if not found:
        why = "; ".join(notes) or "no row below its frequencies has coefficients"
        raise SceneError(f"it holds no material: {why}", "give each row a name and a coefficient for at least 3 of the frequencies")
    return found


def _says_percent(rows: Iterable[Sequence[str]]) -> bool:
    return any(_PERCENT.search(cell) for row in rows for cell in row)


def _in_percent(plain: Sequence[float], cells: int, says: bool, notes: list[str]) -> bool:
    """Whether the numbers of a table that have no sign are percent: one answer for all of them."""
    if not plain or not any(plain):
        return says
    large = max(plain)
    whole = all(value.is_integer() for value in plain)
    if says and large <= 1.0:
        notes.append(f"coefficients up to {large:g} are percent, as the head of the table says")
    elif says or large > 2.0 or (whole and large == 2.0):
        notes.append(f"coefficients up to {large:g} are percent")
    elif whole:
        beside = ", beside cells with a % sign," if cells > len(plain) else ""
        notes.append(f"all numbers{beside} are 0 or 1: 1 absorbs all sound; where it is 1 %, write % into the head or the cells")
    return says or large > 2.0 or (whole and large == 2.0)


def _check_head(columns: Mapping[int, float]) -> None:
    """Raises SceneError where a line of frequencies heads no table."""
    frequencies = list(columns.values())
    listed = ", ".join(f"{one:g}" for one in frequencies)
    if not frequencies:
        hint = "a line of frequencies above a line for each material, and the libraries of CATT and ODEON are read"
        raise SceneError("it holds no material: no line has frequencies", hint)
    if len(frequencies) < 3:
        what = counted(len(frequencies), "frequency", "frequencies")
        raise SceneError(f"it has {what} ({listed} Hz)", "3 or more are needed: octaves or thirds of an octave")
    by_band: dict[float, int] = {}
    for column, frequency in columns.items():
        band = _nearest(frequency, _THIRDS)
        if band in by_band:
            what = f"columns {by_band[band] + 1} and {column + 1} are both of {frequency:g} Hz"
            raise SceneError(what, "keep one column a frequency; scattering, or other data, needs a table of its own")
        by_band[band] = column
    if sorted(frequencies) != frequencies:
        raise SceneError(f"its frequencies do not increase: {listed} Hz", "put the columns in order")


def _data(row: Sequence[str], columns: Mapping[int, float], notes: list[str]) -> tuple[str, dict[float, tuple[float, str]]]:
    """The name of a row and its coefficients by frequency; cells that hold something else are noted."""
    name = _named(row, min(columns))
    stated = {f: row[j] for j, f in columns.items() if j < len(row) and row[j].strip()}
    cells = {f: cell for f, text in stated.items() if (cell := number_of(text)) is not None}
    other = [f"{text.strip()!r} at {f:g} Hz" for f, text in stated.items() if f not in cells]
    if other and cells:
        notes.append(f"{name or 'a row'}: cells without a number are left out: {', '.join(other)}")
    elif other:
        notes.append(f"{name or 'a row'} is left out: it has no coefficient")
    return name, cells


def _named(row: Sequence[str], first: int) -> str:
    """The longest text before the first coefficient: a number before a name is no name."""
    texts = [cell.strip() for cell in row[:first] if cell.strip()]
    words = [cell for cell in texts if not NUMBER.fullmatch(cell)]
    return max(words or texts, key=len, default="")


def _frequency(cell: str) -> float | None:
    """The nominal frequency, in Hz, that a head states: 125, 125 Hz, 1k, 1 kHz, f_500."""
    match = _HEAD.match(cell.strip())
    if match is None:
        return None
    value = float(match[1].replace(",", ".")) * (1000.0 if match[2] else 1.0)
    nearest = _nearest(value, (*OCTAVES, *_THIRDS))
    return value if abs(nearest - value) <= 0.04 * nearest else None


def _nearest(value: float, bands: Iterable[float]) -> float:
    return min(bands, key=lambda one: abs(one - value))
