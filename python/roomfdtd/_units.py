"""Units of the columns of all tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ._fields import FIELDS, FIGURES

if TYPE_CHECKING:
    import pandas

# Columns that are a field of a JSON document have its unit; columns of data sets and sweeps alone have their own.
OF_FIELDS = ("onset", "MTI", "sample_rate", "max_frequency", "valid_bandwidth", "spacing", "duration", "sound_speed")
OWN = {
    "valid_to": "Hz", "waves_to": "Hz", "geometry_from": "Hz",
    "agreement_G": "dB", "agreement_C80": "dB", "agreement_T20": "%",
    "STI": "1", **{f"MTI_{octave}": "1" for octave in (125, 250, 500, 1000, 2000, 4000, 8000)},
    **{f"U50_{octave}": "dB" for octave in (125, 250, 500, 1000, 2000, 4000, 8000)},
    "D2S": "dB", "LpAS_4m": "dB(A)", "LpAB": "dB(A)", "LpAS": "dB(A)", "rC": "m", "rD": "m", "rP": "m", "distance": "m",
    "estimated_T30": "s", "eyring_T": "s", "seconds": "s", "band": "Hz",
    "length": "m", "width": "m", "height": "m", "volume": "m3", "notch_x": "m", "notch_y": "m",
}  # fmt: skip
# Means over octaves, such as LF_125_1000: single numbers of a response.
AVERAGES = tuple(name for name in FIELDS if name.count("_") >= 2 and name.rsplit("_", 1)[1].isdigit())
UNITS = FIGURES | {name: FIELDS[name] for name in (*AVERAGES, "STIPA", "U50")} | {name: FIELDS[name] for name in OF_FIELDS} | OWN


# pandas prints as many of the first and of the last columns as a line holds: those are figures that every room has.
_FIRST, _LAST = ("T20", "T30", "EDT"), ("G", "C80", "C50")


def in_order(names: Sequence[str]) -> list[str]:
    """Names of columns, those that users look at first at both ends."""
    middle = [name for name in names if name not in (*_FIRST, *_LAST)]
    return [*(name for name in _FIRST if name in names), *middle, *(name for name in _LAST if name in names)]


def note_units(frame: pandas.DataFrame) -> pandas.DataFrame:
    """``frame.attrs["units"]``: the unit of each column and index level that has one. Returns the frame."""
    names = [str(name) for name in [*frame.index.names, *frame.columns] if name is not None]
    frame.attrs["units"] = {name: UNITS[name] for name in names if name in UNITS}
    return frame
