"""Materials of other programs: libraries of CATT-Acoustic as text, and tables of absorption.

CATT states `ABS name = <a125 ... a4000> L <s125 ...> {r g b}` in percent, two octaves more after a colon. A table has a
name and a column for each octave, or third of an octave, in each row.
"""

from __future__ import annotations

import csv
import io
import itertools
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
_HIGHEST = 8000.0  # Hz, of the bands that are read
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
        the changes: coefficients above 1, as laboratories may measure them, become 1, and thirds become octaves. It also
        names what is left out: cells that hold no number, rows without a name or with less than three coefficients, and
        bands above 8 kHz.

    Raises
    ------
    FileError
        The file cannot be read.
    SceneError
        It holds no material, its line of frequencies has less than three or does not increase, or a coefficient is negative.

    Examples
    --------
    >>> materials = import_materials("materials.csv")
    >>> Room.box(5, 4, 3, {"default": materials["Gypsum board"]})
    """
    file = Path(path)
    notes: list[str] = []
    try:
        if file.suffix.lower() in (".xlsx", ".xlsm"):
            found = _table(_sheet(file), notes)
        else:
            text = _text(file)
            found = _catt(text, notes) or _table(_rows(text), notes)
    except SceneError as error:
        raise SceneError(f"{file}: {error.message}", error.hint) from None
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
            else:
                notes.append(f"{name} is left out: {other} is not stated before it")
            continue
        values = [value / 100 for value in _percent(alpha, name)]
        if len(values) not in (6, 7, 8):
            raise SceneError(f"{name}: {len(values)} coefficients, 6 to 8 from 125 Hz on are needed")
        spread = [value / 100 for value in _percent(scattering or "", name)]
        found[name] = _material(name, dict(zip(_OCTAVES[2:], values)), dict(zip(_OCTAVES[2:], spread)), notes)
    return found


def _sheet(file: Path) -> list[list[str]]:
    openpyxl = _lazy.load("openpyxl", "spreadsheets")
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    except Exception as error:  # a damaged file raises whatever its parts do
        raise FileError(f"{file}: openpyxl cannot read it", "save it again as .xlsx, or as .csv") from error
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
    for least, mark in itertools.product((2, 1), "\t;,"):
        if sum(line.count(mark) >= least for line in lines) * 2 > len(lines):
            return [[cell.strip() for cell in row] for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=mark)]
    return []


def _table(rows: Sequence[Sequence[str]], notes: list[str]) -> dict[str, Material]:
    """A row of frequencies, then a row for each material."""
    heads = [(i, {j: f for j, cell in enumerate(row) if (f := _frequency(cell))}) for i, row in enumerate(rows)]
    at, columns = max(heads, key=lambda head: len(head[1]), default=(0, {}))
    _check_head(list(columns.values()))
    data = [_data(row, columns, notes) for row in rows[at + 1 :]]
    large = max((value for name, cells in data if name for value, unit in cells.values() if unit != "%"), default=0.0)
    if large > 2.0:
        notes.append(f"coefficients up to {large:g} are percent")
    found: dict[str, Material] = {}
    for name, cells in data:
        bands = {f: value / 100 if unit == "%" or large > 2.0 else value for f, (value, unit) in cells.items()}
        if not name or len(bands) < 3:
            if bands:  # a title has none
                what = f"{name}: {_count(len(bands), 'coefficient')} of at least 3" if name else "a row has no name"
                notes.append(f"{what}: it is left out")
            continue
        numbered = (f"{name} ({number})" for number in itertools.count(2))
        unique = next(one for one in itertools.chain([name], numbered) if one not in found)
        found[unique] = _material(unique, bands, {}, notes)
    if not found:
        why = "; ".join(notes) or "no row below its frequencies has coefficients"
        raise SceneError(f"it holds no material: {why}", "give each row a name and a coefficient for at least 3 of the frequencies")
    return found


def _check_head(frequencies: Sequence[float]) -> None:
    """Raises SceneError where a line of frequencies heads no table."""
    listed = ", ".join(f"{one:g}" for one in frequencies)
    if not frequencies:
        hint = "a line of frequencies above a line for each material, and the libraries of CATT are read"
        raise SceneError("it holds no material: no line has frequencies", hint)
    if len(frequencies) < 3:
        what = _count(len(frequencies), "frequency", "frequencies")
        raise SceneError(f"it has {what} ({listed} Hz)", "3 or more are needed: octaves or thirds of an octave")
    if sorted(frequencies) != list(frequencies):
        raise SceneError(f"its frequencies do not increase: {listed} Hz", "put the columns in order")


def _data(row: Sequence[str], columns: Mapping[int, float], notes: list[str]) -> tuple[str, dict[float, tuple[float, str]]]:
    """The name of a row and its coefficients by frequency; cells that hold something else are noted."""
    name = _named(row, min(columns))
    stated = {f: row[j] for j, f in columns.items() if j < len(row) and row[j].strip()}
    cells = {f: cell for f, text in stated.items() if (cell := _cell(text)) is not None}
    other = [f"{text.strip()!r} at {f:g} Hz" for f, text in stated.items() if f not in cells]
    if other and cells:
        notes.append(f"{name or 'a row'}: cells without a number are left out: {', '.join(other)}")
    elif other:
        notes.append(f"{name or 'a row'} is left out: it has no coefficient")
    return name, cells


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"


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
    value = float(match[1].replace(",", ".")) if match else math.inf
    return (value, match[2]) if match and math.isfinite(value) else None


def _percent(text: str, name: str) -> list[float]:
    """The numbers of a line of CATT."""
    words = [word for word in re.split(r"[\s:]+", text.strip()) if word]
    for word in words:
        if _cell(word) is None:
            raise SceneError(f"{name}: {word!r} is no coefficient", "state percent, as in <12 10 8 7 5 4>")
    return [float(word.replace(",", ".").rstrip("%")) for word in words]


def _material(name: str, alpha: Mapping[float, float], scattering: Mapping[float, float], notes: list[str]) -> Material:
    """A material of coefficients by octave or by third, none above 1."""
    bands = _octaves(name, alpha, notes)
    kept, spread = _limited(name, bands, "coefficient", notes), _limited(name, scattering, "scattering coefficient", notes)
    if not kept:
        raise SceneError(f"{name}: it has no band up to 8 kHz")
    if not any(kept.values()):
        return Material.rigid()
    made = Material.absorption(list(kept), list(kept.values()))
    return made.scattering(list(spread.values()), list(spread)) if any(spread.values()) else made


def _limited(name: str, bands: Mapping[float, float], what: str, notes: list[str]) -> dict[float, float]:
    """Coefficients up to 8 kHz, none above 1."""
    low = [value for value in bands.values() if value < 0]
    if low:
        raise SceneError(f"{name}: the {what} {low[0]:g} is negative", "coefficients are 0 to 1, or percent")
    if max(bands.values(), default=0.0) > 1:
        notes.append(f"{name}: {what}s up to {max(bands.values()):.3g} become 1")
    above = "bands above 8 kHz are left out"
    if max(bands, default=0.0) > _HIGHEST and above not in notes:
        notes.append(above)
    return {band: min(value, 1.0) for band, value in bands.items() if band <= _HIGHEST}


def _octaves(name: str, alpha: Mapping[float, float], notes: list[str]) -> dict[float, float]:
    """Of thirds the mean of those of each octave."""
    groups: dict[float, list[float]] = {}
    for frequency, value in alpha.items():
        groups.setdefault(_octave_of(frequency), []).append(value)
    # An octave's nominal frequency may be a few per cent off; the next third of an octave is 26 % away.
    if any(abs(math.log2(frequency / _octave_of(frequency))) > 0.1 for frequency in alpha):
        if "thirds of an octave become octaves by their means" not in notes:
            notes.append("thirds of an octave become octaves by their means")
    return {centre: round(sum(values) / len(values), 6) for centre, values in sorted(groups.items())}


def _octave_of(frequency: float) -> float:
    return min(_OCTAVES, key=lambda one: abs(math.log2(frequency / one)))
