"""Data sets: many random rooms, computed by Dask, kept as arrays and tables."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import fcntl
import itertools
import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from . import _assemble, _document, _engine, _html, _lazy, _throughput, _workers
from ._rooms import Job, Outcome, Shelf, compute
from ._samples import Per, Samples
from ._throughput import Throughput
from ._units import note_units
from .errors import FdtdError, FileError, SceneError
from .generators import Generator
from .scene import Scene

if TYPE_CHECKING:
    import pandas
    import xarray

SCHEMA = 1
Format = Literal["zarr", "hdf5"]


class DataSet:
    """A data set on disk; made by :func:`dataset` and :func:`open_dataset`.

    Attributes
    ----------
    folder : Path
        ``responses.zarr`` or ``responses.h5``, ``rooms.csv``, ``figures.csv``, ``estimates.csv`` (and ``.parquet``),
        ``geometry/*.obj``, ``schema.json`` and the data card ``README.md``.
    manifest : dict
        Seed, number of rooms, generator, version.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = _read_manifest(folder)
        self._shelf = Shelf(folder)

    @property
    def done(self) -> list[int]:
        """Numbers of the rooms that are done."""
        return self._shelf.done()

    @property
    def failures(self) -> list[dict[str, Any]]:
        """Rooms that failed: ``room``, ``kind``, ``status``, ``message``, ``hint``, ``scene``."""
        return self._shelf.failures()

    def geometry(self, room: int) -> Path:
        """The geometry of a room that is done.

        Parameters
        ----------
        room : int
            Its number, from 0.

        Returns
        -------
        Path
            An OBJ file: its surfaces by name, of a box by material.
        """
        self._check(room)
        return self._shelf.geometry(room)

    def _check(self, room: int) -> None:
        if not hasattr(room, "__index__") or int(room) not in self.done:
            failed = hasattr(room, "__index__") and int(room) in self._shelf.failed()
            why = "has failed: `failures` has its message" if failed else f"is none of the {len(self.done)} rooms that are done"
            raise SceneError(f"room: {room!r} {why}", "`done` lists their numbers, which count from 0")

    def scene(self, room: int) -> Scene:
        """The scene of a room that is done, to look at or to compute again.

        Parameters
        ----------
        room : int
            Its number, from 0.

        Returns
        -------
        Scene
        """
        self._check(room)
        scene = Scene.parse(str(self._shelf.document(room)["scene"]), None, check=False)
        if "mesh" not in scene.document["room"]:
            return scene
        mesh = self._shelf.geometry(room)
        return Scene.parse(scene.replace({"room.mesh": mesh.name}).to_toml(), mesh.parent)

    def open(self) -> xarray.Dataset:
        """The responses.

        Returns
        -------
        xarray.Dataset
            ``responses`` (room, source, receiver, time), single precision, NaN beyond the end of shorter ones;
            ``source_position`` and ``receiver_position`` (room, source or receiver, axis) in m; ``time`` in s.
            Of Zarr, data are read as they are used.
        """
        xr = _lazy.load("xarray", "tables")
        if not self.done:
            reasons = "; ".join(str(failure["message"]).splitlines()[-1] for failure in self.failures[:1])
            raise FdtdError(f"{self.folder}: no room is done", reasons)
        zarr, hdf5 = self.folder / "responses.zarr", self.folder / "responses.h5"
        opened: xarray.Dataset = (
            xr.open_zarr(zarr, consolidated=False) if zarr.exists() else _assemble.read_hdf5(hdf5)
        )
        return opened

    def rooms(self) -> pandas.DataFrame:
        """A row for each room: what was drawn, the grid, and whether it failed; units in ``attrs["units"]``."""
        frame: pandas.DataFrame = _lazy.load("pandas", "tables").read_csv(self.folder / "rooms.csv")
        return note_units(frame.set_index("room"))

    def figures(self) -> pandas.DataFrame:
        """A row for each room, source, receiver and band (Hz; 0: all frequencies): figures of ISO 3382-1.

        ``attrs["units"]`` holds the unit of each column.
        """
        frame: pandas.DataFrame = _lazy.load("pandas", "tables").read_csv(self.folder / "figures.csv")
        return note_units(frame)

    def estimates(self) -> pandas.DataFrame:
        """A row for each room and octave (Hz): reverberation times that were expected before the simulation.

        ``estimated_T30`` by the model that ``model`` names (modes of a box, diffusion, or Eyring), ``eyring_T`` by
        Eyring's formula, ``modes`` about how many modes lie in the octave. ``attrs["units"]`` holds the unit of each
        column.
        """
        frame: pandas.DataFrame = _lazy.load("pandas", "tables").read_csv(self.folder / "estimates.csv")
        return note_units(frame)

    def samples(self, labels: Sequence[str] = (), bands: Sequence[float] | None = None, per: Per = "room") -> Samples:
        """Rooms or single responses as items of a map-style data set, read from the file as they are used.

        ``torch.utils.data.DataLoader`` takes it, with workers, too: see :meth:`torch`.

        Parameters
        ----------
        labels : sequence of str
            Columns of :meth:`rooms`, :meth:`figures` and :meth:`estimates` that each item has.
        bands : sequence of float, optional
            Hz; bands of figures and estimates, 0: all frequencies. By default all that the tables have.
        per : {"room", "response"}
            An item is a room, or one response: a source and a receiver of a room.

        Returns
        -------
        Samples

        Raises
        ------
        FdtdError
            A label is no column, a band is none of the tables', or no room is done.
        """
        return Samples(self.folder, labels, bands, per)

    def torch(self, labels: Sequence[str] = (), bands: Sequence[float] | None = None, per: Per = "room") -> Any:
        """The same as :meth:`samples` as a ``torch.utils.data.Dataset`` of tensors (extra ``torch``).

        Parameters
        ----------
        labels, bands, per
            As in :meth:`samples`.

        Returns
        -------
        torch.utils.data.Dataset

        Raises
        ------
        FdtdError
            As :meth:`samples` does.
        """
        _lazy.load("torch", "torch")
        from ._torch import TorchSamples

        return TorchSamples(self.samples(labels, bands, per))

    @property
    def throughput(self) -> Throughput:
        """Rooms an hour, the parts of the time and what binds, of the latest call that computed rooms."""
        return _throughput.read(self.folder)

    def __repr__(self) -> str:
        count = self.manifest["count"]
        return f"<roomfdtd.DataSet {self.folder}: {len(self.done)} of {count} rooms, {len(self.failures)} failed>"

    def _repr_html_(self) -> str:
        generator = self.manifest["generator"]
        about = {
            "folder": str(self.folder),
            "rooms": f"{len(self.done)} of {self.manifest['count']}",
            "failed": len(self.failures),
            "seed": self.manifest["seed"],
            "generator": generator["class"] if isinstance(generator, dict) else generator,
            "responses": self.manifest["format"],
        }
        rooms = self.folder / "rooms.csv"
        rows: list[dict[str, str]] = []
        if rooms.exists():  # not before the first call has ended
            with rooms.open(newline="", encoding="utf-8") as file:
                rows = list(itertools.islice(csv.DictReader(file), 24))
        more = "<p>more: rooms(), figures(), open()</p>"
        return _html.facts("Data set", about) + (_html.table(rows) if rows else "") + more


def dataset(
    folder: str | Path,
    rooms: Generator,
    count: int,
    *,
    seed: int,
    format: Format = "zarr",
    workers: int = 2,
    threads: int | None = None,
    gpus: Sequence[int] | Literal["all"] | None = None,
    batch: int | Literal["auto"] | None = None,
    client: Any = None,
    retry_failed: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> DataSet:
    """Compute a data set of random rooms, or the rest of one.

    Room n is drawn from the seed and n alone, whatever computes it and in what order. Rooms that are in the folder are
    not computed again, so a call that was interrupted is repeated to continue, and a larger `count` adds rooms. A room
    that fails is recorded with its reason, and the others go on.

    Parameters
    ----------
    folder : path
        Where the data set is kept.
    rooms : generator
        Draws a room: one of :mod:`roomfdtd.generators`, or any function of a ``numpy.random.Generator`` that returns
        a ``Sample``; with workers it must be importable by them.
    count : int
        Number of rooms.
    seed : int
    format : {"zarr", "hdf5"}
        Of the responses.
    workers : int
        Processes of a Dask cluster on this machine; 0: all rooms in this process, without Dask. A script that starts
        workers needs ``if __name__ == "__main__":``.
    threads : int, optional
        CPU threads of each run; by default the processors divided among the workers.
    gpus : sequence of int or "all", optional
        GPUs by their numbers in ``fdtd doctor``: a worker for each, which sees no other.
    batch : int or "auto", optional
        Rooms at a time that threads of one process compute side by side on a GPU of compute capability 9.0, where small
        rooms leave most of it idle: of each of `gpus`, or with ``workers=0`` in this process on the first one. "auto":
        as many as there are processors for each GPU, at most 32. The data set is the same.
    client : dask.distributed.Client, optional
        A cluster that is there, such as one of dask-jobqueue, instead of `workers` and `gpus`.
    retry_failed : bool
        Compute rooms again that failed before.
    progress : callable, optional
        Called with the number of rooms that are finished, and of all.

    Returns
    -------
    DataSet

    Warns
    -----
    UserWarning
        Rooms have failed: how many, and why one of them did.

    Raises
    ------
    SceneError
        The folder holds another data set.
    ResourceError
        `batch`: there is no such GPU, or the package has no extension.
    FileError
        Another process is computing it, or the folder cannot be written.
    """
    _check_arguments(rooms, count, seed, format, workers, threads, gpus, progress)
    rooms_at_once = _workers.batch(batch, workers, client, gpus)
    place = _document.made(_document.path(folder, "folder"))
    with _locked(place):
        _begin(place, rooms, count, seed, format)
        shelf = Shelf(place)
        finished = set(shelf.done()) | (set() if retry_failed else set(shelf.failed()))
        wanted = [room for room in range(count) if room not in finished]
        state = {"finished": count - len(wanted)}

        meter = _throughput.Meter()
        failures: list[dict[str, Any]] = []

        def keep(outcome: Outcome) -> None:
            with meter.writing():
                shelf.put(outcome)
            meter.count(outcome)
            state["finished"] += 1
            if outcome.failure is not None:
                failures.append(outcome.failure)
            if progress is not None:
                progress(state["finished"], count)

        device = _workers.device(client, gpus, rooms_at_once)
        each = _workers.threads(threads, workers, client, gpus, rooms_at_once)
        job = Job(rooms, seed, device, each, rooms_at_once)
        if wanted and client is None and workers == 0 and gpus is None:
            if rooms_at_once > 1:
                _workers.in_threads(job, wanted, keep)
            else:
                for room in wanted:
                    keep(compute(job, room))
        elif wanted:
            with _workers.cluster(client, workers, gpus, rooms_at_once) as connected:
                _workers.distribute(connected, job, wanted, keep)
        with meter.writing():
            _assemble.write(place, shelf, _read_manifest(place))
        if wanted:
            at_once = None if client is not None else max(1, workers) if gpus is None else len(_workers.gpu_numbers(gpus))
            _throughput.keep(place, meter.result(at_once if at_once is None else at_once * rooms_at_once))
    if failures:
        warnings.warn(f"{folder}: {len(failures)} of {len(wanted)} rooms have failed, {_one_of(failures)}", stacklevel=2)
    return DataSet(place)


def open_dataset(folder: str | Path) -> DataSet:
    """Open a data set that :func:`dataset` has made.

    Parameters
    ----------
    folder : path
        That of the data set.

    Returns
    -------
    DataSet

    Raises
    ------
    FileError
        It holds none.
    """
    return DataSet(Path(folder))


def _check_arguments(
    rooms: Any,
    count: Any,
    seed: Any,
    format: Any,
    workers: Any,
    threads: Any,
    gpus: _workers.Gpus | None,
    progress: Any,
) -> None:
    if threads is not None:
        _document.threads(threads)
    for name, value, least in (("count", count, 1), ("seed", seed, 0), ("workers", workers, 0)):
        if not hasattr(value, "__index__") or value < least:
            raise SceneError(f"{name}: {value!r}", f"give a whole number, at least {least}")
    if isinstance(rooms, type) or not callable(rooms):
        raise SceneError(f"rooms: {rooms!r} draws no rooms", "give a generator, such as generators.BoxRooms()")
    if format not in ("zarr", "hdf5"):
        raise SceneError(f"format: {format!r} is not known", 'give "zarr" or "hdf5"')
    if progress is not None and not callable(progress):
        raise SceneError(f"progress: a function is needed, not {progress!r}", "it is called with numbers of rooms: finished, all")
    if gpus is not None and gpus != "all":
        _workers.gpu_numbers(gpus)


def _one_of(failures: Sequence[Mapping[str, Any]]) -> str:
    """The reason of the first, in a line."""
    lines = str(failures[0]["message"]).strip().splitlines()
    if failures[0]["status"] is None:  # a traceback
        lines = lines[-1:]
    elif " in the scene" in lines[0]:
        lines = lines[1:] or lines
    return f"one of them: {lines[0]}; `failures` of the data set lists all"


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise FileError(f"{folder}: another process is computing this data set") from error
        yield


def _describe(rooms: Any) -> Any:
    """A generator as JSON: the class and the fields of a dataclass, the name of a function."""
    if isinstance(rooms, (list, tuple)):
        return [_describe(part) for part in rooms]
    if dataclasses.is_dataclass(rooms) and not isinstance(rooms, type):
        fields = {field.name: _describe(getattr(rooms, field.name)) for field in dataclasses.fields(rooms)}
        return {"class": f"{type(rooms).__module__}.{type(rooms).__qualname__}"} | fields
    if callable(rooms):
        return f"{rooms.__module__}.{rooms.__qualname__}" if hasattr(rooms, "__qualname__") else repr(rooms)
    return rooms


def _begin(folder: Path, rooms: Generator, count: int, seed: int, format: str) -> None:
    """Write the manifest of a new data set, or compare with that of an old one, which may get more rooms."""
    version = _engine.version()["version"]
    fresh = {"schema_version": SCHEMA, "seed": seed, "generator": _describe(rooms), "engine": version, "format": format}
    fresh = json.loads(json.dumps(fresh))  # as it will be read
    path = folder / "dataset.json"
    if path.exists():
        old = _read_manifest(folder)
        for name, value in fresh.items():
            if name != "format" and old.get(name) != value:
                raise SceneError(
                    f"{folder}: it holds a data set with another {name}: {old.get(name)!r}, not {value!r}",
                    "use another folder, or the arguments that it was begun with",
                )
        count = max(count, int(old["count"]))
    aside = folder / "dataset.json.part"
    aside.write_text(json.dumps({"what": "roomfdtd dataset", "count": count} | fresh, indent=2))
    aside.replace(path)


def _read_manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads((folder / "dataset.json").read_text())
    except (OSError, ValueError) as error:
        raise FileError(f"{folder}: it holds no data set: {error}") from error
    if manifest.get("what") != "roomfdtd dataset":
        raise FileError(f"{folder}: it holds no data set")
    return manifest
