"""Writing a data set: arrays as Zarr or HDF5, tables as CSV and Parquet, schema and data card."""

from __future__ import annotations

import csv
import importlib.util
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from . import _lazy
from ._fields import FIGURES
from ._rooms import Shelf
from ._units import UNITS

# The arrays, for schema.json and the data card: dimensions, type, unit, meaning.
VARIABLES: dict[str, tuple[tuple[str, ...], str, str, str]] = {
    "responses": (
        ("room", "source", "receiver", "time"),
        "float32",
        "1",
        "impulse responses: convolved with a monopole's free-field pressure at 1 m they give the pressure at the "
        "receiver; NaN beyond the end of shorter ones",
    ),
    "source_position": (("room", "source", "axis"), "float64", "m", "x, y, z of sources"),
    "receiver_position": (("room", "receiver", "axis"), "float64", "m", "x, y, z of receivers"),
    "sample_rate": (("room",), "float64", "Hz", "sample rate of the responses"),
    "room": (("room",), "int64", "", "number of the room, a row of rooms.csv"),
    "time": (("time",), "float64", "s", "time after the emission, where all rooms have one sample rate"),
}


def write(folder: Path, shelf: Shelf, manifest: Mapping[str, Any]) -> None:
    """Write everything that a data set consists of, from the rooms that are done; each file replaces an older one."""
    rooms = shelf.done()
    documents = {room: shelf.document(room) for room in rooms}
    facts = [{"room": room, "state": "done"} | documents[room]["facts"] for room in rooms]
    failures = shelf.failures()
    facts += [{"room": f["room"], "state": "failed", "reason": f"{f['kind']}: {f['message']}"} for f in failures]
    tables = {
        name: [{"room": room} | row for room in rooms for row in documents[room].get(name) or ()]
        for name in ("figures", "estimates")  # rooms of older versions have no estimates
    }
    tables["rooms"] = sorted(facts, key=lambda row: int(row["room"]))
    for name, rows in tables.items():
        _tables(folder, name, rows)
    if rooms:
        (_write_zarr if manifest["format"] == "zarr" else _write_hdf5)(folder, shelf, documents, manifest)
    schema = _schema(tables)
    (folder / "schema.json").write_text(json.dumps(schema, indent=2) + "\n")
    (folder / "README.md").write_text(_card(manifest, facts, schema))


Documents = Mapping[int, Mapping[str, Any]]  # by room, ascending: Shelf.document


def _shapes(shelf: Shelf, documents: Documents) -> tuple[dict[str, int], NDArray[np.float64]]:
    """Lengths of the dimensions, which hold every room, and the sample rate of each."""
    largest, rates = np.zeros(3, dtype=int), []
    for room, document in documents.items():
        about = document
        if "shape" not in document:  # of an older version
            arrays = shelf.arrays(room)
            about = {"shape": arrays["responses"].shape, "sample_rate": arrays["sample_rate"]}
        largest = np.maximum(largest, about["shape"])
        rates.append(float(about["sample_rate"]))
    sizes = {"room": len(rates), "axis": 3} | dict(zip(("source", "receiver", "time"), map(int, largest), strict=True))
    return sizes, np.array(rates)


def _padded(array: NDArray[Any], shape: Sequence[int]) -> NDArray[Any]:
    out = np.full(tuple(shape), np.nan, dtype=array.dtype)
    out[tuple(slice(0, length) for length in array.shape)] = array
    return out


def _coordinates(rooms: Iterable[int], rates: NDArray[np.float64], sizes: Mapping[str, int]) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {"room": np.array(list(rooms), dtype=np.int64), "sample_rate": rates}
    if np.all(rates == rates[0]):
        found["time"] = np.arange(sizes["time"]) / rates[0]
    return found


PER_ROOM = ("responses", "source_position", "receiver_position")
SHARD_BYTES = 32 * 2**20  # of responses in a file of Zarr, and in memory while it is written


def _rooms_a_shard(sizes: Mapping[str, int]) -> int:
    a_room = 4 * sizes["source"] * sizes["receiver"] * sizes["time"]
    return max(1, min(sizes["room"], SHARD_BYTES // max(1, a_room)))


def _blocks(
    shelf: Shelf, documents: Documents, sizes: Mapping[str, int], count: int
) -> Iterator[tuple[int, dict[str, NDArray[Any]]]]:
    """The arrays of `count` rooms after another, padded to one shape, with the row of the first."""
    rooms = list(documents)
    for first in range(0, len(rooms), count):
        found = [shelf.arrays(room) for room in rooms[first : first + count]]
        shapes = {name: [sizes[dim] for dim in VARIABLES[name][0][1:]] for name in PER_ROOM}
        yield first, {name: np.stack([_padded(data[name], shapes[name]) for data in found]) for name in PER_ROOM}


def _write_zarr(folder: Path, shelf: Shelf, documents: Documents, manifest: Mapping[str, Any]) -> None:
    """A chunk a room, many chunks a file (shard): reading one room is cheap, and writing many is, too.

    Responses are not compressed: zstd takes a tenth off single-precision noise, and longer than all else here.
    """
    zarr = _lazy.load("zarr", "datasets")
    sizes, rates = _shapes(shelf, documents)
    aside, target = folder / "responses.zarr.part", folder / "responses.zarr"
    shutil.rmtree(aside, ignore_errors=True)
    group = zarr.open_group(aside, mode="w", zarr_format=3)
    group.attrs.update({key: value for key, value in manifest.items() if key != "generator"})
    count = _rooms_a_shard(sizes)
    arrays = {}
    for name in PER_ROOM:
        dims, dtype, unit, meaning = VARIABLES[name]
        shape = tuple(sizes[dim] for dim in dims)
        layout: dict[str, Any] = {"chunks": (count, *shape[1:])}
        if name == "responses":
            layout = {"chunks": (1, *shape[1:]), "shards": (count, *shape[1:]), "compressors": None}
        arrays[name] = group.create_array(
            name, shape=shape, dtype=dtype, fill_value=np.nan, dimension_names=dims, **layout
        )
        arrays[name].attrs.update({"units": unit, "long_name": meaning})
    for name, values in _coordinates(documents, rates, sizes).items():
        dims, _, unit, meaning = VARIABLES[name]
        array = group.create_array(name, shape=values.shape, dtype=values.dtype, dimension_names=dims)
        array[:] = values
        array.attrs.update({"units": unit, "long_name": meaning})
    for first, block in _blocks(shelf, documents, sizes, count):
        for name, values in block.items():
            arrays[name][first : first + len(values)] = values
    shutil.rmtree(target, ignore_errors=True)
    aside.replace(target)


def _write_hdf5(folder: Path, shelf: Shelf, documents: Documents, manifest: Mapping[str, Any]) -> None:
    sizes, rates = _shapes(shelf, documents)
    aside, target = folder / "responses.h5.part", folder / "responses.h5"
    with h5py.File(aside, "w") as file:
        for key, value in manifest.items():
            file.attrs[key] = json.dumps(value) if isinstance(value, (dict, list)) else value
        for name in PER_ROOM:
            dims, dtype, _, _ = VARIABLES[name]
            shape = tuple(sizes[dim] for dim in dims)
            file.create_dataset(name, shape, dtype, chunks=(1, *shape[1:]), fillvalue=np.nan)
        for name, values in _coordinates(documents, rates, sizes).items():
            file[name] = values
        for name, data in file.items():
            dims, _, unit, meaning = VARIABLES[name]
            data.attrs.update({"units": unit, "long_name": meaning})
            for axis, dim in enumerate(dims):
                data.dims[axis].label = dim
        for first, block in _blocks(shelf, documents, sizes, _rooms_a_shard(sizes)):
            for name, values in block.items():
                file[name][first : first + len(values)] = values
    aside.replace(target)


def read_hdf5(path: Path) -> Any:
    """A responses.h5 as an xarray.Dataset in memory."""
    xr = _lazy.load("xarray", "tables")
    with h5py.File(path, "r") as file:
        variables = {name: (VARIABLES[name][0], data[()], dict(data.attrs)) for name, data in file.items()}
        dataset = xr.Dataset(variables, attrs=dict(file.attrs))
    return dataset.set_coords([name for name in ("room", "time", "sample_rate") if name in variables])


def _tables(folder: Path, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """A table as CSV, and as Parquet where pandas and pyarrow are installed."""
    columns = list(dict.fromkeys(key for row in rows for key in row)) or ["room"]
    aside = folder / f"{name}.csv.part"
    with aside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    aside.replace(folder / f"{name}.csv")
    if importlib.util.find_spec("pyarrow") is None or importlib.util.find_spec("pandas") is None:
        return
    aside = folder / f"{name}.parquet.part"
    _lazy.load("pandas", "tables").DataFrame(list(rows), columns=columns).to_parquet(aside, index=False)
    aside.replace(folder / f"{name}.parquet")


def _schema(tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    def columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for row in rows:
            for name, value in row.items():
                if name not in found and value is not None:
                    kind = "text" if isinstance(value, str) else "integer" if isinstance(value, int) else "number"
                    found[name] = {"type": kind, "unit": UNITS.get(name, "")}
        return found

    arrays = {
        name: {"dimensions": list(dims), "type": dtype, "unit": unit, "meaning": meaning}
        for name, (dims, dtype, unit, meaning) in VARIABLES.items()
    }
    return {"arrays": arrays} | {name: columns(tables[name]) for name in ("rooms", "figures", "estimates")}


def _card(manifest: Mapping[str, Any], facts: Sequence[Mapping[str, Any]], schema: Mapping[str, Any]) -> str:
    done = [row for row in facts if row["state"] == "done"]
    name = "responses.zarr" if manifest["format"] == "zarr" else "responses.h5"
    lines = [
        "# Simulated room impulse responses",
        "",
        f"{len(done)} of {manifest['count']} rooms, {len(facts) - len(done)} failed. Computed by fdtd "
        f"{manifest['engine']}: finite differences in the time domain, walls with frequency-dependent impedance.",
        "",
        f"- Responses: `{name}`. Rooms: `rooms.csv`. Figures of ISO 3382-1 by octave band (0: all frequencies): "
        "`figures.csv`. Reverberation times that were expected before the simulation: `estimates.csv`. Geometry of room n: `geometry/n.obj`. Types and units: `schema.json`.",
        f"- Seed {manifest['seed']}: room n is drawn from the seed and n alone, by the generator below.",
        "- A response is right up to `valid_to` of its room, and empty above it: waves to `waves_to`, image sources and "
        "rays from `geometry_from` on (without both: waves alone); `trust` says how far these agree below. In "
        "`figures.csv` `from` names the part of each octave; STI stands beside band 0. Materials are fitted to "
        "published absorption coefficients for random incidence; surfaces do not scatter but by their shape.",
        "- Licence, contact, intended use: to be added by whoever publishes the data set.",
        "",
        "## Distribution",
        "",
        "| column | least | median | largest |",
        "|---|---|---|---|",
    ]
    for column, about in schema["rooms"].items():
        values = [row[column] for row in done if row.get(column) is not None]
        if values and about["type"] != "text" and column != "room":
            low, middle, high = np.quantile(np.array(values, dtype=float), [0.0, 0.5, 1.0])
            unit = f" ({about['unit']})" if about["unit"] else ""
            lines.append(f"| {column}{unit} | {low:.4g} | {middle:.4g} | {high:.4g} |")
    lines += ["", "| column | values |", "|---|---|"]
    for column, about in schema["rooms"].items():
        if about["type"] == "text" and column not in ("reason",):
            values = [str(row[column]) for row in done if row.get(column) is not None]
            counts = sorted(((values.count(value), value) for value in set(values)), reverse=True)
            lines.append(f"| {column} | " + ", ".join(f"{value} {count}" for count, value in counts[:20]) + " |")
    lines += ["", "## Arrays", "", "| array | dimensions | type | unit | meaning |", "|---|---|---|---|---|"]
    for array, about in schema["arrays"].items():
        dims = " x ".join(about["dimensions"])
        lines.append(f"| {array} | {dims} | {about['type']} | {about['unit']} | {about['meaning']} |")
    lines += ["", "## Generator", "", "```json", json.dumps(manifest["generator"], indent=2), "```", ""]
    lines += [f"Figures: {', '.join(FIGURES)}.", ""]
    return "\n".join(lines)
