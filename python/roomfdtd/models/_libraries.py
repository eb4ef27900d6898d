"""Materials of other programs: libraries of CATT-Acoustic and ODEON as text, and tables of absorption."""

from __future__ import annotations

import warnings
from pathlib import Path

from .. import _lazy
from ..errors import FileError, SceneError
from ..materials import Material
from ._catt import is_catt, read_catt
from ._odeon import is_odeon, read_odeon
from ._tables import read_table, rows_of


def import_materials(path: str | Path) -> dict[str, Material]:
    """Materials of a library of CATT-Acoustic or ODEON, or of a table.

    Parameters
    ----------
    path : path
        A text file of CATT (.geo, .txt, .lib: lines ``ABS name = <...>``) or of ODEON (.Li8: a line of number and name
        above one of eight coefficients), by what it holds, whatever its ending; or a table (.csv, .tsv, .txt, .xlsx) with a
        line of frequencies above a line for each material.

    Returns
    -------
    dict of str to Material
        By name, for ``walls`` and ``materials`` of a scene. Decimal commas and percent are understood: all numbers of a
        table without a % sign are percent where the head says so or one is above 2, else fractions. One warning names
        the changes: coefficients above 1, as laboratories may measure them, become 1, and thirds become octaves. It also
        names what is left out: lines of a library that have another form, cells that hold no number, rows without a name
        or with less than three coefficients, and bands above 8 kHz.

    Raises
    ------
    FileError
        The file cannot be read.
    SceneError
        It holds no material, a line of a library has other coefficients than its form has, a table's line of frequencies
        has less than three, has one twice or does not increase, or a coefficient is negative.

    Examples
    --------
    >>> materials = import_materials("materials.csv")
    >>> Room.box(5, 4, 3, {"default": materials["Gypsum board"]})
    """
    file = Path(path)
    notes: list[str] = []
    try:
        if file.suffix.lower() in (".xlsx", ".xlsm"):
            found = read_table(_sheet(file), notes)
        else:
            text = _text(file)
            if is_catt(text):
                found = _whole(read_catt(text, notes), notes)
            elif file.suffix.lower() == ".li8" or is_odeon(text):
                found = _whole(read_odeon(text, notes), notes)
            else:
                found = read_table(rows_of(text), notes)
    except SceneError as error:
        raise SceneError(f"{file}: {error.message}", error.hint) from None
    if notes:
        warnings.warn(f"{file}: " + "; ".join(notes), stacklevel=2)
    return found


def _whole(found: dict[str, Material], notes: list[str]) -> dict[str, Material]:
    if not found:
        raise SceneError("it holds no material" + "".join(f": {notes[0]}" for _ in notes[:1]))
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
