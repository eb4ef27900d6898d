"""Materials of other programs: libraries of CATT-Acoustic as text, and tables of absorption.

CATT states `ABS name = <a125 ... a4000> L <s125 ...> {r g b}` in percent, two octaves more after a colon. A table has a
name and a column for each octave, or third of an octave, in each row.
"""

from __future__ import annotations

import csv
import io
import math
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from .. import _lazy
from ..errors import FileError, SceneError
from ..materials import Material

_OCTAVES = (31.5, 63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0, 16000.0)
_THIRDS = tuple(round(1000.0 * 10.0 ** (n / 10.0), 1) for n in range(-16, 14))  # exact centres about the nominal ones
_CATT = re.compile(r"^[ \t]*ABS\s+(.+?)\s*=\s*(?:<([^>]*)>(?:\s*L\s*<([^>]*)>)?|([^\s<{;]+))", re.M | re.I)
_NUMBER = re.compile(r"[-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?")
_HEAD = re.compile(r"^\D{0,12}?(\d+(?:[.,]\d+)?)\s*(k)?\s*(?:hz)?\W*$", re.I)


def import_materials(path: str | Path) -> dict[str, Material]:
    """Materials of a library of CATT-Acoustic, or of a table.

    Parameters
    ----------
    path : path
        A text file of CATT (.geo, .txt, .lib: lines ``ABS name = <...>``), or a table (.csv, .tsv, .txt, .xlsx) with a
        line of frequencies above a line for each material.

    Returns
    -------
    dict of str to Material
        By name, for ``walls`` and ``materials`` of a scene. Decimal commas and percent are understood; one warning names
        the changes: coefficients above 1, as laboratories may measure them, become 1, and thirds become octaves.

    Raises
    ------
    FileError
        The file cannot be read.
    SceneError
        It holds no material, or a coefficient is negative.

    Examples
    --------
    >>> materials = import_materials("materials.csv")
    >>> Room.box(5, 4, 3, {"default": materials["Gypsum board"]})
    """
    file = Path(path)
    notes: list[str] = []
    if file.suffix.lower() in (".xlsx", ".xlsm"):
        found = _table(_sheet(file), notes)
    else:
        text = _text(file)
        found = _catt(text, notes) or _table(_rows(text), notes)
    if not found:
        raise SceneError(
            f"{file}: it holds no material",
            "a line of frequencies above a line for each material, and the libraries of CATT are read",
        )
    if notes:
        warnings.warn(f"{file}: " + "; ".join(notes), stacklevel=2)
    return found


def _text(file: Path) -> str:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise FileError(f"{file}: {error.strerror}") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _catt(text: str, notes: list[str]) -> dict[str, Material]:
    """Percent from 125 Hz on; a name may stand for one that was stated before."""
    plain = re.sub(r";.*", "", text)
    found: dict[str, Material] = {}
    for match in _CATT.finditer(plain):
        name, alpha, scattering, other = match.groups()
        name = name.strip().strip('"')
        if other is not None:
            if other in found:
                found[name] = found[other]
            continue
        values = [value / 100 for value in _numbers(alpha)]
        if len(values) not in (6, 7, 8):
            raise SceneError(f"{name}: {len(values)} coefficients, 6 to 8 from 125 Hz on are needed")
        spread = [value / 100 for value in _numbers(scattering or "")]
        found[name] = _material(name, dict(zip(_OCTAVES[2:], values)), dict(zip(_OCTAVES[2:], spread)), notes)
    return found


def _sheet(file: Path) -> list[list[str]]:
    openpyxl = _lazy.load("openpyxl", "spreadsheets")
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    except Exception as error:  # a damaged file raises whatever its parts do
        raise FileError(f"{file}: openpyxl cannot read it: {error}") from error
    rows = []
    for row in book.worksheets[0].iter_rows():
        cells = []
        for cell in row:
            percent = isinstance(cell.value, (int, float)) and "%" in str(getattr(cell, "number_format", ""))
            cells.append("" if cell.value is None else f"{100 * cell.value!r} %" if percent else str(cell.value))
        rows.append(cells)
    book.close()
    return rows


def _rows(text: str) -> list[list[str]]:
    """Cells between tabs, semicolons or commas: the first of them that most lines have."""
    lines = [line for line in text.splitlines() if line.strip()]
    for mark in "\t;,":
        if sum(line.count(mark) >= 2 for line in lines) * 2 > len(lines):
            return [[cell.strip() for cell in row] for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=mark)]
    return []


def _table(rows: Sequence[Sequence[str]], notes: list[str]) -> dict[str, Material]:
    """A row of frequencies, then a row for each material."""
    heads = [(i, {j: f for j, cell in enumerate(row) if (f := _frequency(cell))}) for i, row in enumerate(rows)]
    at, columns = max(heads, key=lambda head: len(head[1]), default=(0, {}))
    if len(columns) < 3 or sorted(columns.values()) != list(columns.values()):
        return {}
    first = min(columns)
    data = [
        (_named(row, first), {f: cell for j, f in columns.items() if j < len(row) and (cell := _cell(row[j])) is not None})
        for row in rows[at + 1 :]
    ]
    large = max((value for name, cells in data if name for value, unit in cells.values() if unit != "%"), default=0.0)
    if large > 2.0:
        notes.append(f"coefficients up to {large:g} are percent")
    found: dict[str, Material] = {}
    for name, cells in data:
        bands = {f: value / 100 if unit == "%" or large > 2.0 else value for f, (value, unit) in cells.items()}
        if name and len(bands) >= 3:
            unique = name if name not in found else f"{name} ({sum(one.startswith(name) for one in found) + 1})"
            found[unique] = _material(unique, bands, {}, notes)
    return found


def _named(row: Sequence[str], first: int) -> str:
    """The longest text before the first coefficient: a number before a name is no name."""
    texts = [cell.strip() for cell in row[:first] if cell.strip()]
    words = [cell for cell in texts if not _NUMBER.fullmatch(cell)]
    return max(words or texts, key=len, default="")


def _frequency(cell: str) -> float | None:
    """The nominal frequency, in Hz, that a head states: 125, 125 Hz, 1k, 1 kHz, f_500."""
    match = _HEAD.match(cell.strip())
    if match is None:
        return None
    value = float(match[1].replace(",", ".")) * (1000.0 if match[2] else 1.0)
    nearest = min((*_OCTAVES, *_THIRDS), key=lambda one: abs(one - value))
    return value if abs(nearest - value) <= 0.04 * nearest else None


def _cell(cell: str) -> tuple[float, str] | None:
    """A coefficient and "%" or nothing; None of a cell without a number."""
    match = re.fullmatch(rf"\s*({_NUMBER.pattern})\s*(%?)\s*", cell)
    return (float(match[1].replace(",", ".")), match[2]) if match else None


def _numbers(text: str) -> list[float]:
    return [float(word.replace(",", ".")) for word in re.split(r"[\s:]+", text.strip()) if word]


def _material(name: str, alpha: Mapping[float, float], scattering: Mapping[float, float], notes: list[str]) -> Material:
    """A material of coefficients by octave or by third, none above 1."""
    bands = _octaves(name, alpha, notes)
    low = [value for value in bands.values() if value < 0]
    if low:
        raise SceneError(f"{name}: the coefficient {low[0]:g} is negative")
    if max(bands.values()) > 1:
        notes.append(f"{name}: coefficients up to {max(bands.values()):.3g} become 1")
    kept = {band: min(value, 1.0) for band, value in bands.items() if band <= 8000}
    if not any(kept.values()):
        return Material.rigid()
    made = Material.absorption(list(kept), list(kept.values()))
    spread = {band: min(max(value, 0.0), 1.0) for band, value in scattering.items() if band <= 8000}
    return made.scattering(list(spread.values()), list(spread)) if any(spread.values()) else made


def _octaves(name: str, alpha: Mapping[float, float], notes: list[str]) -> dict[float, float]:
    """Of thirds the mean of those of each octave."""
    groups: dict[float, list[float]] = {}
    for frequency, value in alpha.items():
        centre = min(_OCTAVES, key=lambda one: abs(math.log2(frequency / one)))
        groups.setdefault(centre, []).append(value)
    if any(len(values) > 1 for values in groups.values()):
        if "thirds of an octave become octaves by their means" not in notes:
            notes.append("thirds of an octave become octaves by their means")
    return {centre: round(sum(values) / len(values), 6) for centre, values in sorted(groups.items())}


