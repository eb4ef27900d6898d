"""Scenes: what is to be simulated."""

from __future__ import annotations

import copy
import tempfile
import threading
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from numpy.typing import ArrayLike

from . import _document, _engine, _html, _rir, _small_rooms, _toml
from ._fit import Fit, fit
from .errors import FileError, SceneError, misplaced, notes_of, of_scene
from .materials import Material
from .plan import Plan
from .points import Receiver, Source, receivers_of, sources_of
from .progress import Progress, shown
from .result import Result, open_result
from .room import Room, Surface, write_surface

SCHEMA = 1
_temporary_guard = threading.Lock()


class Air(TypedDict, total=False):
    """``[air]`` of a scene: degrees Celsius, %, kPa, and m/s."""

    temperature: float
    relative_humidity: float
    pressure: float
    absorption: bool
    sound_speed: float


class Above(TypedDict, total=False):
    """``[above]`` of a scene: geometry above the waves' band.

    ``method`` is "auto", "rays" or "none"; ``rays`` and ``image_order`` are numbers or "auto"; ``crossover`` is in Hz.
    """

    method: str
    rays: int | str
    image_order: int | str
    crossover: float
    seed: int


class Output(TypedDict, total=False):
    """``[output]`` of a scene: Hz, "float" or "pcm24", Hz."""

    sample_rate: int
    format: str
    low_cut: float
    raw: bool
    snapshots: Sequence[Mapping[str, Any]]


class Scene:
    """A room with sources and receivers, and how it is computed.

    Arguments that are left out have the defaults of the scene format.

    Parameters
    ----------
    room : Room
        The room and its walls.
    sources : sequence of Source or array_like, shape (3,)
        Plain positions (m) are named S1, S2, ...
    receivers : sequence of Receiver or array_like, shape (3,)
        Plain positions (m) are named R1, R2, ...
    duration : float or "auto"
        Length of the responses in s; "auto" takes 1.25 times the slowest expected decay.
    max_frequency : float, optional
        Frequency in Hz up to which ``dispersion_error`` and ``wall_error`` hold; it sets the grid.
    grid_spacing : float, optional
        Distance of grid points in m, instead of ``max_frequency``.
    dispersion_error, wall_error : float, optional
        Largest relative errors of the phase velocity and of the absorption of walls.
    stencil : str, optional
        "auto", a name of ``stencils()``, or the path of a file of weights.
    courant : float, optional
        Courant number, instead of the stencil's own.
    precision : {"f32", "f64"}, optional
    remove_time_dispersion : bool, optional
    stop_decay_db : float, optional
        End the run once every response has decayed by so many dB.
    reciprocity : {"auto", "on", "off"}, optional
        Whether receivers send and sources record: "auto", where that takes fewer passes.
    device : str, optional
        "auto", "cpu", "cuda", "cuda:N" or "cuda:all".
    materials : Mapping of str to Material, optional
        Own materials that walls name.
    air : Air, optional
    above : Above, optional
        Geometry above the waves' band, to 20 kHz; by default unless it has very much to do. ``{"method": "none"}``:
        waves alone, without absorption by air unless ``air`` has it.
    output : Output, optional
    folder : path, optional
        Where relative paths (meshes, material files, signals) start from; by default the current folder.

    Examples
    --------
    >>> scene = Scene(Room.box(5, 4, 3, "plasterboard"), sources=[(1.2, 1.5, 1.4)], receivers=[(3.8, 2.6, 1.2)],
    ...               duration=0.6, max_frequency=500)
    >>> scene.run().metrics()
    """

    def __init__(
        self,
        room: Room,
        sources: Iterable[Source | ArrayLike],
        receivers: Iterable[Receiver | list[Receiver] | ArrayLike],
        *,
        duration: float | str,
        max_frequency: float | None = None,
        grid_spacing: float | None = None,
        dispersion_error: float | None = None,
        wall_error: float | None = None,
        stencil: str | None = None,
        courant: float | None = None,
        precision: str | None = None,
        remove_time_dispersion: bool | None = None,
        stop_decay_db: float | None = None,
        reciprocity: str | None = None,
        device: str | None = None,
        materials: Mapping[str, Material] | None = None,
        air: Air | None = None,
        above: Above | None = None,
        output: Output | None = None,
        folder: str | Path | None = None,
    ) -> None:
        simulation = {
            "duration": duration,
            "max_frequency": max_frequency,
            "grid_spacing": grid_spacing,
            "dispersion_error": dispersion_error,
            "wall_error": wall_error,
            "stencil": stencil,
            "courant": courant,
            "precision": precision,
            "remove_time_dispersion": remove_time_dispersion,
            "stop": None if stop_decay_db is None else {"decay_db": stop_decay_db},
            "reciprocity": reciprocity,
            "device": device,
        }
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "simulation": {key: value for key, value in simulation.items() if value is not None},
        }
        if air:
            document["air"] = _document.table_of(air, "air")
        if above:
            document["above"] = _document.table_of(above, "above")
        if not isinstance(room, Room):
            raise misplaced("room", f"a Room is needed, not {room!r}", "Room.box, Room.from_file and Room.from_mesh make one")
        walls, own = _document.named(room.walls, _document.table_of(materials or {}, "materials"))
        document["room"] = dict(room.table) | {"walls": walls}
        if own:
            document["materials"] = {name: dict(material.table) for name, material in own.items()}
        document["source"] = sources_of(sources)
        document["receiver"] = receivers_of(receivers)
        if output:
            document["output"] = _document.table_of(output, "output")
        self._begin(_toml.dumps(document), folder, room.surface)

    def _begin(self, text: str, folder: str | Path | None, surface: Surface | None, name: str = "") -> None:
        self._text, self._name = text, name  # by which errors call the text; empty: nobody wrote it
        self._folder = None if folder is None else Path(folder)
        self._surface = surface
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    def __getstate__(self) -> dict[str, Any]:  # a temporary folder is of this process alone
        return self.__dict__ | {"_temporary": None}

    @classmethod
    def from_toml(cls, path: str | Path) -> Scene:
        """The scene of a file, whose text stays as it is.

        Parameters
        ----------
        path : path
            A scene in TOML; relative paths in it start from its folder.

        Raises
        ------
        FileError
            The file cannot be read.
        SceneError
            The scene has problems, all of which are listed.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise FileError(f"{path}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise SceneError(f"{path}: it is not UTF-8 ({error.reason} at byte {error.start})") from error
        scene = cls.parse(text, Path(path).parent, check=False)
        scene._name = str(path)
        scene.check()
        return scene

    @classmethod
    def parse(cls, text: str, folder: str | Path | None = None, *, check: bool = True) -> Scene:
        """The scene of a text.

        Parameters
        ----------
        text : str
            In TOML.
        folder : path, optional
            Where relative paths start from; by default the current folder.
        check : bool
            Whether to look for problems at once: a SceneError lists all.
        """
        scene = cls.__new__(cls)
        scene._begin(text, folder, None, "<text>")
        if check:
            scene.check()
        return scene

    @property
    def document(self) -> dict[str, Any]:
        """A copy of the scene as dictionaries and lists, by the keys of the scene format."""
        try:
            return tomllib.loads(self._text)
        except tomllib.TOMLDecodeError as error:
            raise SceneError(f"the scene is no TOML: {error}") from error

    def to_toml(self) -> str:
        """The scene as text. A mesh in memory is named; :meth:`save` writes it as well."""
        return self._text

    def save(self, path: str | Path, force: bool = False) -> Path:
        """Write the scene as a file, and a mesh in memory beside it.

        Paths of other files are kept as they are: they start from the folder of the new file.

        Parameters
        ----------
        path : path
            The new file.
        force : bool
            Replace a file that exists.

        Returns
        -------
        Path

        Raises
        ------
        FileError
            A file exists, or cannot be written; ``force=True`` replaces.
        """
        target = Path(path)
        if target.exists() and not force:
            raise FileError(f"{target}: exists already and is kept", "use force=True to replace it, or another name")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if self._surface is not None:
                write_surface(self._surface, target.parent)
            target.write_text(self._text, encoding="utf-8", newline="")
        except OSError as error:
            raise FileError(f"{target}: cannot be written: {error.strerror}") from error
        return target

    def replace(self, values: Mapping[str, Any]) -> Scene:
        """A scene with other values.

        Parameters
        ----------
        values : Mapping of str to value
            By keys such as ``"simulation.duration"`` or ``"source.S1.position"``: an element of a list by its name
            or by its number from 0. None takes a key away.

        Returns
        -------
        Scene
        """
        document = self.document
        for key, value in _document.table_of(values, "values").items():
            _document.put(document, key, value)
        scene = copy.copy(self)
        scene._begin(_toml.dumps(document), self._folder, self._surface)
        return scene

    def check(self, overrides: Sequence[str] = ()) -> None:
        """Look for problems of the scene.

        Parameters
        ----------
        overrides : sequence of str
            ``"key=value"``, as ``fdtd plan --set`` takes them.

        Raises
        ------
        SceneError
            All problems, with place, line, message and hint.
        """
        with of_scene(self):
            _engine.check(self._text, self._place(), _document.texts(overrides, "overrides"))

    def plan(self, *, device: str | None = None, threads: int = 0, overrides: Sequence[str] = ()) -> Plan:
        """Grid, memory, time and accuracy, before anything is computed.

        Parameters
        ----------
        device : str, optional
            Instead of that of the scene.
        threads : int
            CPU threads; 0: all.
        overrides : sequence of str
            ``"key=value"``, as ``fdtd plan --set`` takes them.

        Returns
        -------
        Plan
        """
        with of_scene(self):
            sets, target = _document.texts(overrides, "overrides"), _document.device(device)
            found = _engine.plan(self._text, self._place(), sets, target, _document.threads(threads))
        return Plan(found | {"warnings": notes_of(found.get("warnings", []), self)})

    def run(
        self,
        output: str | Path | None = None,
        *,
        progress: bool | Callable[[Progress], object] = False,
        device: str | None = None,
        threads: int = 0,
        force: bool = False,
        resume: bool = False,
        checkpoint_every: str | None = None,
        max_time: str | None = None,
        sofa: bool = False,
        overrides: Sequence[str] = (),
        waves: Result | str | Path | None = None,
    ) -> Result:
        """Simulate, and write ``result.h5``, audio files and ``report.html``.

        Parameters
        ----------
        output : path, optional
            Folder for the files; by default a temporary one, which lives as long as the result.
        progress : bool or callable
            True prints a line; a function is called with a :class:`Progress` up to ten times a second.
        device : str, optional
            Instead of that of the scene.
        threads : int
            CPU threads; 0: all.
        force : bool
            Replace files that exist, and start again even if there is a checkpoint.
        resume : bool
            Resume from the checkpoint in the output folder, if there is one.
        checkpoint_every, max_time : str, optional
            "30s", "10min", "2h"; checkpoints also "500steps" or "off".
        sofa : bool
            Also write the responses as SOFA files.
        overrides : sequence of str
            ``"key=value"``, as ``fdtd run --set`` takes them.
        waves : Result or path, optional
            A result whose waves are taken, and no time step is computed, where all that waves depend on is the same:
            ``above``, scattering and ``output`` may differ. ``document["remarks"]`` says whether they were.

        Returns
        -------
        Result

        Raises
        ------
        SceneError, ResourceError, NumericalError, FileError
        Interrupted
            By Ctrl-C or after ``max_time``; with ``output`` given, ``resume=True`` continues.
        """
        temporary = tempfile.TemporaryDirectory(prefix="roomfdtd-") if output is None else None
        folder = Path(temporary.name) if temporary else _document.path(output, "output")
        with of_scene(self), shown(progress) as report:
            document = _engine.run(
                self._text,
                self._place(),
                _document.texts(overrides, "overrides"),
                str(folder),
                _document.device(device),
                _document.threads(threads),
                force,
                resume,
                _document.text(checkpoint_every, "checkpoint_every", '"30s", "10min", "500steps" or "off"'),
                _document.text(max_time, "max_time", '"30s", "10min" or "2h"'),
                sofa,
                report,
                str(waves.path if isinstance(waves, Result) else _document.path(waves, "waves")) if waves is not None else "",
            )
        return open_result(folder / "result.h5", _document=document, _temporary=temporary)

    def fit(self, measured: str | Path, output: str | Path, *, folder: str | Path, **options: Any) -> Fit:
        """Fit absorption to what was measured: :func:`roomfdtd.fit` of this scene, which has the options.

        Parameters
        ----------
        measured : path
            Figures by pair of source and receiver, as ``fdtd match`` takes them.
        output : path
            The fitted scene.
        folder : path
            For the runs.
        options : optional
            Those of :func:`roomfdtd.fit`.

        Returns
        -------
        Fit
        """
        return fit(self, measured, output, folder=folder, **options)

    modes, place, notches, simulate = _small_rooms.modes, _small_rooms.place, _small_rooms.notches, _rir.simulate_scene

    def _place(self) -> str:
        """The folder that relative paths start from, with the mesh in memory as a file."""
        if self._surface is None:
            return str(self._folder or ".")
        with _temporary_guard:  # of several threads that run this scene
            if self._folder is None and self._temporary is None:
                self._temporary = tempfile.TemporaryDirectory(prefix="roomfdtd-")
        folder = Path(self._temporary.name) if self._temporary else self._folder or Path()
        write_surface(self._surface, folder)
        return str(folder)

    def __repr__(self) -> str:
        try:
            document = self.document
            room = document["room"]
            what = f"box {room['box']} m" if "box" in room else f"mesh {room['mesh']}"
            points = f"sources {_html.names(document['source'])}, receivers {_html.names(document['receiver'])}"
        except _UNCHECKED:
            return "<roomfdtd.Scene with problems: check() lists them>"
        return f"<roomfdtd.Scene: {what}, {points}>"

    def _repr_html_(self) -> str:
        try:
            document = self.document
            outline = self._surface.edges() if self._surface else Room(document["room"], {}).outline()
            return _html.scene(document, outline)
        except _UNCHECKED:
            return _html.facts("Scene", {"problems": "check() lists them"})


_UNCHECKED = (SceneError, KeyError, IndexError, TypeError, ValueError, AttributeError)  # while a scene is shown
