"""Sweeps: a scene with several values of its keys, run by the program, and the table of their figures."""

from __future__ import annotations

import csv
import importlib.util
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _document, _engine, _html, _lazy, _toml
from ._units import note_units
from .errors import FileError, SceneError, of_scene
from .materials import Material
from .result import Result, open_result
from .scene import Scene

if TYPE_CHECKING:
    import pandas

_AFTER_KEYS = ("status", "error", "source", "receiver", "band")


def sweep(
    scene: Scene | str | Path,
    folder: str | Path,
    *,
    product: Mapping[str, Sequence[Any]] | None = None,
    paired: Mapping[str, Sequence[Any]] | None = None,
    listed: Sequence[Mapping[str, Any]] | str | Path | None = None,
    drawn: Mapping[str, str] | None = None,
    runs: int = 0,
    seed: int = 0,
    device: str | None = None,
    jobs: int = 0,
    threads: int = 0,
    force: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Sweep:
    """Run a scene with several values of its keys: what ``fdtd sweep`` does, by the same program.

    Each combination of `product` meets each step of `paired`, each row of `listed` and each draw of `drawn`. All scenes
    are checked before the first run begins. The same call again computes what is missing; a run that fails is a row of
    the table, and the others go on.

    Parameters
    ----------
    scene : Scene or path
        The scene, or its file.
    folder : path
        Where runs are kept, in 001, 002, ..., with ``sweep.csv``, and ``sweep.parquet`` where pandas and pyarrow are
        installed: a row for each run, source, receiver and octave band.
    product : Mapping of str to sequence, optional
        Values of keys such as ``"simulation.max_frequency"``: every combination of all keys.
    paired : Mapping of str to sequence, optional
        Lists of one length: their first values together, then their second ones.
    listed : sequence of Mapping, or path, optional
        The values of each run, with the same keys in all; or a CSV file that holds them.
    drawn : Mapping of str to str, optional
        Texts with ``uniform(a, b)``, ``log_uniform(a, b)``, ``normal(mean, sigma)``, ``integer(a, b)`` (both included)
        or ``choice([a, b, ...])`` in them, such as ``{"room.box": "[uniform(4, 9), 3, 2.5]"}``.
    runs, seed : int
        How often `drawn` is drawn, and from which numbers: draw n depends on seed, key and n alone.
    device : str, optional
        Instead of that of the scene.
    jobs : int
        Runs at a time; 0: as many as processors and memory allow.
    threads : int
        CPU threads of each run; 0: the processors divided among the runs.
    force : bool
        Compute all runs again and replace their files.
    progress : callable, optional
        Called with the number of each run that begins, and of all.

    Returns
    -------
    Sweep

    Raises
    ------
    SceneError
        A value, or the scene that it makes, is wrong; nothing has run.
    FileError
        The folder holds another sweep, or cannot be written.
    Interrupted
        By Ctrl-C; the same call continues.

    Examples
    --------
    >>> runs = sweep(scene, "out/floors", product={"room.walls.floor": ["carpet-heavy", "linoleum"]})
    >>> runs.table().groupby(["room.walls.floor", "band"])["T20"].mean()
    """
    base = scene if isinstance(scene, Scene) else Scene.from_toml(_document.path(scene, "scene"))
    place = _document.path(folder, "folder")
    if progress is not None and not callable(progress):
        raise SceneError(f"progress: a function is needed, not {progress!r}")
    options = ["-o", str(place), "--jobs", str(jobs), "--threads", str(threads), "--seed", str(seed)]
    for option, values in (("--set", product), ("--zip", paired)):
        for key, several in (values or {}).items():
            if isinstance(several, str) or not hasattr(several, "__len__"):
                raise SceneError(f"{key}: {several!r} is one value", f"give a list: [{several!r}]")
            options += [option, f"{key}=[{', '.join(_text(value) for value in several)}]"]
    for key, text in (drawn or {}).items():
        options += ["--draw", f"{key}={text}"]
    options += ["--runs", str(runs)] if runs else []
    options += ["--device", device] if device is not None else []
    options += ["--force"] if force else []
    with tempfile.TemporaryDirectory(prefix="roomfdtd-") as aside:
        if listed is not None:
            options += ["--list", str(listed if isinstance(listed, (str, Path)) else _list_file(listed, Path(aside)))]
        with of_scene(base):
            _engine.sweep(base.to_toml(), base._place(), options, progress)
    made = Sweep(place)
    if all(importlib.util.find_spec(module) for module in ("pandas", "pyarrow")):
        made.to_parquet()
    return made


def open_sweep(folder: str | Path) -> Sweep:
    """Open a sweep that :func:`sweep` or ``fdtd sweep`` has computed.

    Parameters
    ----------
    folder : path
        That of the sweep.

    Returns
    -------
    Sweep

    Raises
    ------
    FileError
        It holds no sweep that has ended.
    """
    return Sweep(Path(folder))


class Sweep:
    """The runs of a sweep; made by :func:`sweep` and :func:`open_sweep`.

    Attributes
    ----------
    folder : Path
        The runs in 001, 002, ..., and ``sweep.csv``.
    keys : list of str
        Keys of the scene that have several values.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = folder / "sweep.csv"
        try:
            with self._file.open(newline="", encoding="utf-8") as file:
                columns = next(csv.reader(file))
        except (OSError, StopIteration) as error:
            raise FileError(f"{folder}: it holds no sweep that has ended: {error}") from error
        if columns[:1] != ["run"] or not set(_AFTER_KEYS) <= set(columns):
            raise FileError(f"{self._file}: it is not the table of a sweep")
        self.keys = columns[1 : len(columns) - columns[::-1].index("status") - 1]

    @property
    def runs(self) -> list[dict[str, Any]]:
        """A dictionary for each run: ``run``, its values by key as text, ``status`` and ``error``."""
        found: dict[int, dict[str, Any]] = {}
        with self._file.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                head: dict[str, Any] = {"run": int(row["run"])} | {key: row[key] for key in self.keys}
                found.setdefault(head["run"], head | {"status": int(row["status"]), "error": row["error"]})
        return list(found.values())

    @property
    def failures(self) -> list[dict[str, Any]]:
        """Those of ``runs`` that failed: ``status`` is the program's, ``error`` its message."""
        return [run for run in self.runs if run["status"] != 0]

    def result(self, run: int) -> Result:
        """The result of a run.

        Parameters
        ----------
        run : int
            Its number, from 1.

        Returns
        -------
        Result

        Raises
        ------
        FileError
            The run failed.
        """
        return open_result(self.folder / f"{run:03}")

    def table(self) -> pandas.DataFrame:
        """The figures of ISO 3382-1 of all runs.

        Returns
        -------
        pandas.DataFrame
            A row for each run, source, receiver and octave band, and one for a run that failed. Columns ``run``, a
            column for each key (numbers, or texts as in TOML), ``status``, ``error``, ``source``, ``receiver``,
            ``band`` (Hz; 0: all frequencies), then EDT, T20, T30, Ts (s), C50, C80, G (dB), D50, curvature (%),
            nonlinearity_T20, nonlinearity_T30 (per mille) and further figures as of ``Result.metrics``; NaN where the decay cannot support a figure. ``attrs["units"]`` holds the unit of each column.
        """
        pd = _lazy.load("pandas", "tables")
        frame: pandas.DataFrame = pd.read_csv(self._file, dtype=str, keep_default_na=False)
        frame["band"] = frame["band"].replace("all", "0")
        texts = {"error", "source", "receiver", "from"}
        for name in frame.columns:
            if name in self.keys:
                numbers = pd.to_numeric(frame[name], errors="coerce")
                frame[name] = frame[name] if numbers.isna().any() else numbers
            elif name not in texts:
                frame[name] = pd.to_numeric(frame[name])
        return note_units(frame)

    def to_parquet(self, path: str | Path | None = None) -> Path:
        """Write the table as Parquet; needs pandas and pyarrow.

        Parameters
        ----------
        path : path, optional
            The file; by default ``sweep.parquet`` in the folder.

        Returns
        -------
        Path
        """
        _lazy.load("pyarrow", "datasets")
        target = self.folder / "sweep.parquet" if path is None else Path(path)
        aside = target.with_name(target.name + ".part")
        try:
            self.table().to_parquet(aside, index=False)
            aside.replace(target)
        except OSError as error:
            raise FileError(f"{target}: cannot be written: {error.strerror}") from error
        return target

    def __repr__(self) -> str:
        runs = self.runs
        failed = sum(run["status"] != 0 for run in runs)
        return f"<roomfdtd.Sweep {self.folder}: {len(runs)} runs over {', '.join(self.keys)}, {failed} failed>"

    def _repr_html_(self) -> str:
        runs, failures = self.runs, self.failures
        about = {"folder": str(self.folder), "runs": len(runs), "failed": len(failures), "keys": ", ".join(self.keys)}
        columns = ["run", *self.keys, "status", *(["error"] if failures else [])]
        rows = [{name: run[name] for name in columns} for run in runs]
        return _html.facts("Sweep", about) + _html.table(rows, 24) + "<p>figures: table(); a run: result(run)</p>"


def _text(value: Any) -> str:
    return _toml.value_text(dict(value.table) if isinstance(value, Material) else value)


def _list_file(rows: Sequence[Mapping[str, Any]], folder: Path) -> Path:
    """The values of each run as the CSV file that ``--list`` takes."""
    keys = list(rows[0]) if len(rows) > 0 else []
    for number, row in enumerate(rows, 1):
        if set(row) != set(keys):
            raise SceneError(f"listed: row {number} has the keys {', '.join(row)}", f"row 1 has {', '.join(keys)}")
    if not keys:
        raise SceneError("listed: it holds no values", "give a mapping of keys to values for each run")
    path = folder / "runs.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator=os.linesep, quoting=csv.QUOTE_ALL)
        writer.writerow(keys)
        writer.writerows([_text(row[key]) for key in keys] for row in rows)
    return path
