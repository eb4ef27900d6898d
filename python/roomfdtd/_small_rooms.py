"""The modes of a room, and places of the flattest response."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from . import _document, _engine
from .errors import SceneError, misplaced, of_scene

if TYPE_CHECKING:
    from .scene import Scene


def modes(
    scene: Scene,
    *,
    low: float = 20.0,
    high: float = 200.0,
    duration: float | None = None,
    points: int | None = None,
    folder: str | Path | None = None,
    force: bool = False,
    device: str | None = None,
    threads: int = 0,
    overrides: Sequence[str] = (),
) -> dict[str, Any]:
    """Find the modes of a room: what ``fdtd modes`` does, in a run of its own.

    Parameters
    ----------
    scene : Scene
        The scene.
    low, high : float
        The band in Hz.
    duration : float, optional
        Length of the records in s; by default from the decay and the spacing of modes.
    points : int, optional
        Number of receivers all over the room, at most.
    folder : path, optional
        For the shapes, ``modes.h5`` and pictures; by default none is written.
    force : bool
        Replace files that exist.
    device : str, optional
        Instead of that of the scene.
    threads : int
        CPU threads; 0: all.
    overrides : sequence of str
        ``"key=value"``, as ``fdtd modes --set`` takes them.

    Returns
    -------
    dict
        The document of ``fdtd modes --json``: ``modes`` is a list with ``frequency`` (Hz), ``decay_time`` (s),
        ``multiplicity`` and ``levels``.

    Raises
    ------
    SceneError, ResourceError, NumericalError, FileError, Interrupted
    """
    options = [*_words(low=("from", low), high=("to", high)), *_engine._device(device, threads)]
    options += _words(duration=("duration", duration)) if duration is not None else []
    options += ["--points", str(points)] if points is not None else []
    options += ["-o", str(folder)] if folder is not None else []
    return _run("modes", scene, options, overrides, force)


def place(
    scene: Scene,
    *,
    source: str | None = None,
    receiver: str | None = None,
    folder: str | Path,
    over: ArrayLike | None = None,
    target: str = "flat",
    low: float = 20.0,
    high: float = 120.0,
    step: float = 0.25,
    wall: float = 0.2,
    force: bool = False,
    device: str | None = None,
    threads: int = 0,
    overrides: Sequence[str] = (),
) -> dict[str, Any]:
    """Find where a source, or a receiver, has the flattest response: what ``fdtd place`` does.

    Parameters
    ----------
    scene : Scene
        The scene.
    source, receiver : str
        Name of what is moved. Seats are all receivers, or all sources.
    folder : path
        For ``place.h5``, ``place.csv`` and ``place.png``.
    over : array_like, shape (6,) or (2, 3), optional
        Two opposite corners of the box of candidate places, x, y, z, x, y, z in m; by default the room.
    target : str
        ``"flat"``: over frequency; ``"even"``: from seat to seat.
    low, high : float
        The band in Hz.
    step : float
        Distance of candidate places in m.
    wall : float
        Least distance from walls in m.
    force : bool
        Replace files that exist.
    device : str, optional
        Instead of that of the scene.
    threads : int
        CPU threads; 0: all.
    overrides : sequence of str
        ``"key=value"``, as ``fdtd place --set`` takes them.

    Returns
    -------
    dict
        The document of ``fdtd place --json``: ``now`` and ``best`` have ``position`` (m), ``flatness`` (dB),
        ``evenness`` (dB) and ``level`` (dB).

    Raises
    ------
    SceneError, ResourceError, NumericalError, FileError, Interrupted
    """
    if (source is None) == (receiver is None):
        raise SceneError("place: one of source and receiver is needed", "name the one that is moved")
    moved = ["--source", source] if source is not None else ["--receiver", str(receiver)]
    options = [*moved, "--target", target, *_words(low=("from", low), high=("to", high))]
    options += [*_words(step=("step", step), wall=("wall", wall)), "-o", str(folder)]
    options += ["--over", ",".join(repr(one) for one in _corners(over))] if over is not None else []
    options += _engine._device(device, threads)
    return _run("place", scene, options, overrides, force)


def notches(
    scene: Scene,
    *,
    low: float = 20.0,
    high: float = 500.0,
    result: str | Path | None = None,
    overrides: Sequence[str] = (),
) -> dict[str, Any]:
    """Name the walls whose first reflections cancel the direct sound: what ``fdtd notches`` does, without a run.

    Parameters
    ----------
    scene : Scene
        The scene.
    low, high : float
        The band in Hz.
    result : path, optional
        ``result.h5`` of a run of the scene, or its folder: its responses are searched for dips there.
    overrides : sequence of str
        ``"key=value"``, as ``fdtd notches --set`` takes them.

    Returns
    -------
    dict
        The document of ``fdtd notches --json``: ``pairs`` is a list with ``source``, ``receiver`` and ``notches``, each
        with ``wall``, ``frequency`` (Hz) and ``depth`` (dB).

    Raises
    ------
    SceneError, FileError
    """
    words = [*_words(low=("from", low), high=("to", high)), *_engine._sets(_document.texts(overrides, "overrides")), "--json"]
    words += ["--result", str(Path(result).absolute())] if result is not None else []
    with of_scene(scene), _engine._scene_file(scene.to_toml(), scene._place()) as path:
        return _engine._object(_engine._call(["notches", path, *words], scene=path))


def _words(**options: tuple[str, float]) -> list[str]:
    """Options of the program, with the numbers of arguments by their names."""
    return [
        word
        for name, (option, value) in options.items()
        for word in (f"--{option}", repr(_document.number(value, name)))
    ]


def _corners(over: ArrayLike) -> list[float]:
    corners = _document.finite(over, "over", "over", samples=False)
    if corners.shape not in ((6,), (2, 3)):
        raise misplaced("over", f"two corners of a box are needed, not {corners.shape}", "((x, y, z), (x, y, z)) in m")
    return [float(one) for one in corners.ravel()]


def _run(
    command: str, scene: Scene, options: Sequence[str], overrides: Sequence[str], force: bool
) -> dict[str, Any]:
    words = [*options, *_engine._sets(_document.texts(overrides, "overrides")), *(["--force"] if force else []), "--json", "--quiet"]
    with of_scene(scene), _engine._scene_file(scene.to_toml(), scene._place()) as path:
        return _engine._object(_engine._call([command, path, *words], scene=path))
