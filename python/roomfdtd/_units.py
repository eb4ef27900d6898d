"""Units of the columns of all tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

UNITS = {
    "EDT": "s", "T20": "s", "T30": "s", "Ts": "s", "onset": "s", "estimated_T30": "s", "eyring_T": "s",
    "C50": "dB", "C80": "dB", "G": "dB", "range": "dB",
    "D50": "1", "curvature": "%", "nonlinearity_T20": "‰", "nonlinearity_T30": "‰",
    "band": "Hz", "max_frequency": "Hz", "valid_bandwidth": "Hz", "sample_rate": "Hz",
    "spacing": "m", "length": "m", "width": "m", "height": "m", "volume": "m3", "notch_x": "m", "notch_y": "m",
    "duration": "s", "seconds": "s", "sound_speed": "m/s",
}  # fmt: skip


def note_units(frame: pandas.DataFrame) -> pandas.DataFrame:
    """``frame.attrs["units"]``: the unit of each column and index level that has one. Returns the frame."""
    names = [str(name) for name in [*frame.index.names, *frame.columns] if name is not None]
    frame.attrs["units"] = {name: UNITS[name] for name in names if name in UNITS}
    return frame
