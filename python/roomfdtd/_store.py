"""Reading result.h5 and snapshots.h5: the only module that knows their layout.

Schema version 1 has a group for each receiver; version 2, of many receivers, has one array for all. Channels that are
no output by themselves (parts of a cardioid's or a measured pattern) are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from . import _lazy
from ._units import AVERAGES
from .above import origin_of
from .errors import FdtdError, FileError


@dataclass(frozen=True)
class Place:
    """A source, or a channel of a receiver.

    ``name`` is that of the channel ("A:03" of the ambisonic receiver A), ``owner`` that of the receiver, ``shown`` the one
    that its figures have (a microphone's own); ``row`` its row in the file; position in m.
    """

    name: str
    owner: str
    shown: str
    row: int
    position: tuple[float, float, float]
    direction: tuple[float, float, float] | None


def text(value: Any) -> str:
    """An attribute as text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


class Store:
    """A result.h5, opened for each reading and closed again: other programs may read and replace it.

    Raises
    ------
    FileError
        There is no such file, or it is no result.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._open() as file:
            if text(file.attrs.get("format", "")) != "fdtd result":
                raise FileError(f"{path}: it is not the result.h5 of a run")
            self.schema = int(file.attrs["schema_version"])
            if self.schema not in (1, 2):
                raise FileError(f"{path}: schema version {self.schema} is not known", "install a newer roomfdtd")
            self.sources = _places(_groups(file["sources"]))
            self.receivers = _places(_table(file["responses"]) if self.schema == 2 else _groups(file["receivers"]))
            self.provenance = {name: text(file["provenance"].attrs[name]) for name in ("version", "build", "scene")}
            self.provenance |= {name: text(file["provenance/run"].attrs[name]) for name in ("device", "date")}
            self.wall_seconds = float(file["provenance/run"].attrs["wall_seconds"])
            self.plan: dict[str, Any] = json.loads(text(file["provenance"].attrs["plan"]))
            self.materials: list[dict[str, Any]] = json.loads(text(file["materials"].attrs["json"]))
            self.remarks = [text(remark) for remark in file["render"].attrs["remarks"]]
            self.sound_speed = float(file["render"].attrs["sound_speed"])
            self.above = _attributes(file["above"]) if "above" in file else {}
            pressure = self._pressure(file, self.receivers[0])
            self.convention = text(pressure.attrs["convention"])
            self.sample_rate = float(pressure.attrs["sample_rate"])
            self.samples = int(pressure.shape[-1])

    def _open(self) -> h5py.File:
        try:
            return h5py.File(self.path, "r")
        except OSError as error:
            why = "there is no such file" if not self.path.exists() else f"it cannot be read as HDF5 ({error})"
            raise FileError(f"{self.path}: {why}") from error

    def _pressure(self, file: h5py.File, receiver: Place) -> h5py.Dataset:
        return file["responses/pressure"] if self.schema == 2 else file["receivers"][receiver.name]["pressure"]

    def pressure(self, receivers: Sequence[Place], source: Place | None = None) -> NDArray[np.float64]:
        """Responses, shape (sources, receivers, samples), of all sources or of one."""
        rows = [place.row for place in ([source] if source else self.sources)]
        out = np.empty((len(rows), len(receivers), self.samples))
        with self._open() as file:
            if self.schema == 2:
                data, wanted = file["responses/pressure"], [receiver.row for receiver in receivers]
                for k, row in enumerate(rows):  # in one piece where most are wanted: thousands of small ones take long
                    many = 4 * len(wanted) > data.shape[1]
                    out[k] = data[row][wanted] if many else [data[row, receiver] for receiver in wanted]
            else:
                for i, receiver in enumerate(receivers):
                    out[:, i] = self._pressure(file, receiver)[()][rows]
        return out

    def raw(self, receiver: Place, source: Place) -> tuple[NDArray[np.float64], float]:
        """The grid's own record for the drive (1, -1), and its sample rate in Hz."""
        with self._open() as file:
            rate = float(file["raw"].attrs["sample_rate"])
            if self.schema == 2:
                return np.asarray(file["responses/record"][source.row, receiver.row]), rate
            return np.asarray(file["raw"][receiver.name]["record"][source.row]), rate

    def rotations(self, receiver: str) -> list[float]:
        """Degrees by which the head of a binaural receiver is turned to its left; none of another receiver."""
        with self._open() as file:
            heads = file["ears"] if "ears" in file else {}
            return [float(turn) for turn in heads[receiver].attrs["rotations"]] if receiver in heads else []

    def ears(self, receiver: str, source: int, rotation: float | None) -> NDArray[np.float64]:
        """The ears of a binaural receiver, (2, samples); ``source``: its number among those that are shown."""
        with self._open() as file:
            heads = file["ears"] if "ears" in file else {}
            if receiver not in heads:
                raise FdtdError(f"there is no binaural receiver {receiver!r}", f"binaural receivers: {sorted(heads)}")
            turns = [float(turn) for turn in heads[receiver].attrs["rotations"]]
            wanted = turns[0] if rotation is None else float(rotation)
            if wanted not in turns:
                raise FdtdError(f"receiver {receiver!r} has no rotation {wanted:g}", f"rotations: {turns}")
            return np.asarray(heads[receiver]["pressure"][source, turns.index(wanted)])

    def energy(self, source: Place) -> dict[str, NDArray[np.float64]]:
        """The energy balance of a source's pass: arrays of equal length by name."""
        with self._open() as file:
            return {name: np.asarray(data) for name, data in file["energy"][source.name].items()}

    def surface(self) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], list[str]]:
        """Vertices (v, 3) in m, faces (f, 3), the material of each face, and the names of materials."""
        with self._open() as file:
            room = file["room"]
            return (
                np.asarray(room["vertices"]).reshape(-1, 3),
                np.asarray(room["triangles"]).reshape(-1, 3),
                np.asarray(room["material"]),
                [text(name) for name in room.attrs["materials"]],
            )

    @property
    def crossover(self) -> tuple[float, float] | None:
        """Hz: waves alone to the first, geometry alone from the second on; None: waves alone."""
        return (float(self.above["from"]), float(self.above["to"])) if self.above else None

    def late_energy(self, receiver: Place, source: Place) -> NDArray[np.float64]:
        """The energies above the crossover, (octaves, bins) or (octaves, bins, directions)."""
        with self._open() as file:
            _, pair = self._row_above(file, receiver, source)
            return np.asarray(file["above/energy"][str(pair)])

    def images(self, receiver: Place, source: Place) -> NDArray[np.float64]:
        """Image sources of a channel as a filter at 48 000 Hz."""
        with self._open() as file:
            row, _ = self._row_above(file, receiver, source)
            return np.asarray(file["above/early"][row])

    def _row_above(self, file: h5py.File, receiver: Place, source: Place) -> tuple[int, int]:
        """The row of a channel among those above the crossover, and its pair."""
        count = len(file["responses/name"]) if self.schema == 2 else len(file["receivers"])
        channels = np.asarray(file["above/channel"])
        (rows,) = np.nonzero(channels[:, 0] == source.row * count + receiver.row)
        return int(rows[0]), int(channels[rows[0], 1])

    def responses_json(self) -> list[dict[str, Any]]:
        """The stored figures of each response with their reasons; empty where there are too many."""
        with self._open() as file:
            stored = file["metrics"].attrs.get("json") if "metrics" in file else None
        return [] if stored is None else list(json.loads(text(stored)))

    def figures(self) -> Iterator[dict[str, Any]]:
        """Figures of merit: a row each source, receiver and band (Hz; 0: all frequencies), None where there is none."""
        for row in self._stored_figures():
            # The program states it for octaves of JSON; older results and arrays of many responses do not have it.
            yield {"from": origin_of(row["band"], self.crossover)} | row

    def _stored_figures(self) -> Iterator[dict[str, Any]]:
        with self._open() as file:
            if "metrics" not in file:
                return
            group = file["metrics"]
            if "json" in group.attrs:
                yield from _figures_of_json(json.loads(text(group.attrs["json"])))
            else:
                yield from self._figures_of_arrays(group)

    def _figures_of_arrays(self, group: h5py.Group) -> Iterator[dict[str, Any]]:
        centres = np.asarray(group["centre"])
        tables = {name: np.asarray(data) for name, data in group.items() if name not in ("centre", "onset")}
        onsets = np.asarray(group["onset"])
        for source in self.sources:
            for receiver in self.receivers:
                at = (source.row, receiver.row)
                for band, centre in enumerate(centres):
                    if np.isnan(onsets[at]):  # no output by itself
                        continue
                    row = {name: float(table[(*at, band)]) for name, table in tables.items()}
                    head = {"source": source.owner, "receiver": receiver.shown, "band": float(centre)}
                    yield head | {"onset": float(onsets[at])} | row


def _figures_of_json(responses: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for response in responses:
        head = {"source": response["source"], "receiver": response["receiver"]}
        for band in [*response["bands"], response["broadband"] | {"centre": 0.0}]:
            row = {name: value for name, value in band.items() if name not in ("centre", "reasons", "doubts")}
            if "doubts" in band:  # results of older versions have none
                row["doubt"] = "; ".join(f"{name}: {why}" for name, why in band["doubts"].items()) or None
            if band["centre"] == 0.0 and "STI" in response:  # of all octaves together
                row |= {name: response[name] for name in ("STI", "STIPA", *AVERAGES) if name in response}
            yield head | {"band": float(band["centre"]), "onset": response["onset"]} | row


def _attributes(group: h5py.Group) -> dict[str, Any]:
    return dict(group.attrs)


def _groups(parent: h5py.Group) -> list[tuple[str, int, Any, Any]]:
    found = [(name, int(item.attrs["index"]), item.attrs) for name, item in parent.items()]
    found.sort(key=lambda entry: entry[1])
    return [(name, row, attrs["position"], attrs.get("direction")) for name, row, attrs in found]


def _table(group: h5py.Group) -> list[tuple[str, int, Any, Any]]:
    names = [text(name) for name in group["name"][:]]
    positions = np.asarray(group["position"]).reshape(-1, 3)
    directions = np.asarray(group["direction"]).reshape(-1, 3) if "direction" in group else None
    return [(name, i, positions[i], None if directions is None else directions[i]) for i, name in enumerate(names)]


_OF_FIELD, _MICROPHONE = re.compile(r"b?[0-9]{2}"), re.compile(r"m(?!0+$)[0-9]{2,7}|:.*", re.DOTALL)


def channel_of(name: str) -> tuple[str, str] | None:
    """The source or receiver of a channel, and the name that its figures have; None for a part of another channel.

    As `read_channel_name` of engine/plan/channel_id.cpp: a channel without a colon is its owner; after a colon stand
    the number of an ambisonic channel ("A:03", or "A:b03" of a binaural receiver), whose figures are the receiver's, or a
    microphone of an array ("A:m01", "A::front"), which has its own; all else is a part, as of a measured source ("S:h01")
    or a cardioid ("C:v").
    """
    owner, colon, tail = name.partition(":")
    if not colon or _OF_FIELD.fullmatch(tail):
        return owner, owner
    return (owner, name) if _MICROPHONE.fullmatch(tail) else None


def _places(rows: list[tuple[str, int, Any, Any]]) -> list[Place]:
    places = []
    for name, row, position, direction in rows:
        channel = channel_of(name)
        if channel is None:
            continue
        lobe = None if direction is None or not np.any(direction) else tuple(float(x) for x in direction)
        places.append(Place(name, *channel, row, tuple(float(x) for x in position), lobe))  # type: ignore[arg-type]
    return places


def snapshot(path: Path, name: str | None, source: str) -> Any:
    """The frames of a snapshot in snapshots.h5 as an xarray.DataArray over time, z, y, x; of a plane without its axis."""
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
