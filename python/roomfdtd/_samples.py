"""Items of a data set for training: responses and positions with labels, read as they are used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import h5py
import numpy as np
from numpy.typing import NDArray

from . import _lazy
from .errors import FdtdError

Per = Literal["room", "response"]
Item = dict[str, Any]

ARRAYS = ("responses", "source_position", "receiver_position")


class Samples(Sequence[Item]):
    """Rooms or single responses of a data set, by number: ``len(samples)``, ``samples[3]``.

    An item is a dict. Per room: ``room`` (its number), ``sample_rate`` (Hz), ``responses`` (source, receiver, time),
    ``source_position`` (source, axis) and ``receiver_position`` (receiver, axis) in m, and the labels: a column of
    ``rooms`` is a number or a text, one of ``figures`` an array (source, receiver, band), one of ``estimates`` an array
    (band). Per response the axes of source and receiver are gone. Responses are padded by NaN to the longest of the data
    set, and figures that a response does not have are NaN.

    Processes that receive it, such as the workers of a ``DataLoader``, open the file themselves.

    Attributes
    ----------
    bands : ndarray
        Hz; those of the labels.
    """

    def __init__(self, folder: Path, labels: Sequence[str], bands: Sequence[float] | None, per: Per) -> None:
        if per not in ("room", "response"):
            raise FdtdError(f"per: {per!r} is not known", 'give "room" or "response"')
        if isinstance(labels, str):
            raise FdtdError(f"labels: {labels!r} is one text", f"give a list of names: [{labels!r}]")
        self._folder, self._per = folder, per
        self._open: dict[str, Any] | None = None
        if not any((folder / name).exists() for name in ("responses.zarr", "responses.h5")):
            raise FdtdError(f"{folder}: no room is done")
        arrays = self._arrays()
        self._rooms = np.asarray(arrays["room"][:])
        self._rates = np.asarray(arrays["sample_rate"][:])
        # Receivers and sources of each room: those of smaller rooms are padded by NaN.
        self._counts = [
            np.isfinite(np.asarray(arrays[name][:])).all(axis=2).sum(axis=1)
            for name in ("source_position", "receiver_position")
        ]
        pairs = self._counts[0] * self._counts[1]
        self._ends = np.cumsum(pairs)
        shape = tuple(arrays["responses"].shape)
        self.bands, self._labels = _labels(folder, self._rooms, shape, self._counts, list(labels), bands)

    def __len__(self) -> int:
        return len(self._rooms) if self._per == "room" else int(self._ends[-1])

    def __getitem__(self, index: Any) -> Any:
        """An item by number, negative ones from the end."""
        number = index.__index__()
        if not -len(self) <= number < len(self):
            raise IndexError(f"there is no item {number} of {len(self)}")
        number %= len(self)
        if self._per == "room":
            return self._item(number, (), ())
        row = int(np.searchsorted(self._ends, number, side="right"))
        pair = number - (int(self._ends[row - 1]) if row else 0)
        source, receiver = divmod(pair, int(self._counts[1][row]))
        return self._item(row, (source,), (receiver,))

    def _item(self, row: int, source: tuple[int, ...], receiver: tuple[int, ...]) -> Item:
        arrays = self._arrays()
        item: Item = {"room": int(self._rooms[row]), "sample_rate": float(self._rates[row])}
        item["responses"] = np.asarray(arrays["responses"][(row, *source, *receiver)])
        item["source_position"] = np.asarray(arrays["source_position"][(row, *source)])
        item["receiver_position"] = np.asarray(arrays["receiver_position"][(row, *receiver)])
        for name, values in self._labels.items():
            value = values[row]
            if isinstance(value, np.ndarray):
                item[name] = value[(*source, *receiver)].copy() if value.ndim == 3 else value.copy()
            else:
                item[name] = value.item() if isinstance(value, np.generic) else value
        return item

    def _arrays(self) -> dict[str, Any]:
        if self._open is None:
            zarr = self._folder / "responses.zarr"
            if zarr.exists():
                group = _lazy.load("zarr", "datasets").open_group(zarr, mode="r")
            else:
                group = h5py.File(self._folder / "responses.h5", "r")
            self._open = {name: group[name] for name in (*ARRAYS, "room", "sample_rate")}
        return self._open

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_open": None}


def _labels(
    folder: Path,
    rooms: NDArray[np.int64],
    shape: Sequence[int],
    counts: Sequence[NDArray[np.int64]],
    names: list[str],
    wanted: Sequence[float] | None,
) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """The bands (Hz), and by name the values of a label by row: scalars, (source, receiver, band) or (band)."""
    if not names:
        return np.array([] if wanted is None else wanted, dtype=float), {}
    pandas = _lazy.load("pandas", "tables")
    tables = {name: pandas.read_csv(folder / f"{name}.csv") for name in ("rooms", "figures", "estimates")}
    known = {name: set(table.columns) - {"room", "state", "reason"} for name, table in tables.items()}
    known["figures"] -= {"source", "receiver", "band", "doubt", "from"}
    known["estimates"] -= {"band", "model"}
    of = {}
    for name in names:
        found = [table for table, columns in known.items() if name in columns]
        if not found:
            raise FdtdError(
                f"labels: {name!r} is no column", "there are " + ", ".join(sorted(set().union(*known.values())))
            )
        of[name] = found[0]
    banded = [tables[table] for table in set(of.values()) - {"rooms"}]
    there = sorted({float(band) for table in banded for band in table["band"]})
    bands = there if wanted is None else [float(band) for band in wanted]
    if banded and (missing := sorted(set(bands) - set(there))):
        raise FdtdError(f"bands: {missing} are in no table", f"there are {there} (Hz; 0: all frequencies)")
    rows = {int(room): row for row, room in enumerate(rooms)}
    values: dict[str, Any] = {}
    for name, table in of.items():
        frame = tables[table]
        frame = frame[frame["room"].isin(rows)]
        at = frame["room"].map(rows).to_numpy()
        if table == "rooms":
            by_row = dict(zip(at, frame[name], strict=True))
            values[name] = [by_row[row] for row in range(len(rooms))]
            continue
        column = {band: k for k, band in enumerate(bands)}
        keep = frame["band"].isin(column).to_numpy()
        frame, at = frame[keep], at[keep]
        band = frame["band"].map(column).to_numpy()
        if table == "estimates":
            array = np.full((len(rooms), len(bands)), np.nan, dtype=np.float32)
            array[at, band] = frame[name]
        else:
            array = np.full((len(rooms), *shape[1:3], len(bands)), np.nan, dtype=np.float32)
            places = [_order(frame, role) for role in ("source", "receiver")]
            for place, count in zip(places, counts, strict=True):
                if np.any(place >= count[at]) or np.any(count > 1 + _largest(place, at, len(rooms))):
                    raise FdtdError(
                        f"labels: {name!r} is no label of these rooms, whose receivers have several channels",
                        "join figures() by the receiver's name instead",
                    )
            array[at, places[0], places[1], band] = frame[name]
        values[name] = array
    return np.array(bands), values


def _order(figures: Any, role: str) -> NDArray[np.int64]:
    """The row of a room's source or receiver in its arrays: figures stand in their order."""
    first = figures.drop_duplicates(["room", role])[["room", role]]
    first = first.assign(place=first.groupby("room").cumcount())
    merged = figures[["room", role]].merge(first, on=["room", role], how="left")
    return np.asarray(merged["place"].to_numpy(), dtype=np.int64)


def _largest(place: NDArray[np.int64], rows: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The largest place of each row; where a row has none, one that compares as larger than all."""
    largest = np.full(count, -1, dtype=np.int64)
    np.maximum.at(largest, rows, place)
    return np.where(largest < 0, np.iinfo(np.int64).max - 1, largest)
