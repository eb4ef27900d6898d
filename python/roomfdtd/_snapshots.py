"""Reading snapshots.h5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from . import _lazy
from ._store import text
from .errors import FdtdError, FileError


def read(path: Path, name: str | None, source: str) -> Any:
    """The frames of a snapshot as an xarray.DataArray over time, z, y, x; of a plane without its axis."""
    xr = _lazy.load("xarray", "tables")
    if not path.exists():
        raise FileError(f"{path}: there is no such file", "the scene needs snapshots under [output]")
    with h5py.File(path, "r") as file:
        names = [text(each) for each in file.attrs["snapshots"]]
        chosen = names[0] if name is None else name
        if chosen not in names:
            raise FdtdError(f"there is no snapshot {chosen!r}", f"snapshots: {', '.join(names)}")
        group = file[chosen]
        pressure = np.asarray(group[source]["pressure"])
        pressure[:, np.asarray(group["air"]) == 0] = np.nan
        axis = int(group.attrs["axis"])
        coordinates: dict[str, Any] = {"time": ("time", np.asarray(group["times"]), {"units": "s"})}
        for i, letter in enumerate("xyz"):
            places = group.attrs["origin"][i] + group.attrs["spacing"][i] * np.arange(pressure.shape[3 - i])
            coordinates[letter] = (letter, places, {"units": "m"})
    array = xr.DataArray(pressure, coordinates, ("time", "z", "y", "x"), name="pressure", attrs={"units": "1"})
    return array.isel({"xyz"[axis]: 0}) if axis < 3 else array
