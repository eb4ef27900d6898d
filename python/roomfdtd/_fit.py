"""Absorption fitted to what was measured in a room."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _document, _engine, _lazy
from ._units import note_units
from .errors import of_scene

if TYPE_CHECKING:
    import pandas

    from .scene import Scene


class Fit:
    """A fit of absorption to measured figures; made by :func:`fit` and :meth:`Scene.fit`.

    Attributes
    ----------
    path : Path
        The fitted scene: ``Scene.from_toml(fit.path)`` reads it.
    document : dict
        What ``fdtd fit --json`` prints: stages, octaves with their materials, scores.
    """

    def __init__(self, path: Path, document: dict[str, Any]) -> None:
        self.path = path
        self.document = document

    def absorption(self) -> pandas.DataFrame:
        """The absorption coefficients.

        Returns
        -------
        pandas.DataFrame
            A row for each octave and material. Columns ``band`` (Hz), ``material``, ``prior``, ``fitted``,
            ``deviation`` (one standard deviation of ``fitted``), ``on_bound``.
        """
        pd = _lazy.load("pandas", "tables")
        rows = [{"band": octave["centre"], **one} for octave in self.document["octaves"] for one in octave["materials"]]
        columns = ["band", "material", "prior", "fitted", "deviation", "on_bound"]
        return note_units(pd.DataFrame(rows, columns=columns))

    def scores(self) -> pandas.DataFrame:
        """The differences to the measured figures, in just noticeable ones.

        Returns
        -------
        pandas.DataFrame
            A row for each octave, figure, and kind of pairs. Columns ``band`` (Hz), ``figure`` (T20, EDT, C80, G),
            ``held`` (True: of pairs that were held out), ``pairs``, ``before``, ``after``: means of magnitudes.
        """
        pd = _lazy.load("pandas", "tables")
        rows = [{"band": one["octave"], **one} for one in self.document["scores"]]
        return note_units(pd.DataFrame(rows, columns=["band", "figure", "held", "pairs", "before", "after"]))

    def __repr__(self) -> str:
        runs = sum(stage["runs"] for stage in self.document["stages"])
        return f"<roomfdtd.Fit {self.path}: {len(self.document['octaves'])} octaves, {runs} runs>"


def fit(
    scene: Scene,
    measured: str | Path,
    output: str | Path,
    *,
    folder: str | Path,
    hold: Sequence[str] = (),
    only: Sequence[str] = (),
    keep: Sequence[str] = (),
    octaves: Sequence[float] = (),
    spread: float = 0.5,
    common_spread: float = 1.0,
    runs: int = 6,
    whole_runs: int = 4,
    device: str | None = None,
    threads: int = 0,
    force: bool = False,
    overrides: Sequence[str] = (),
) -> Fit:
    """Fit absorption to what was measured, and write the scene with it: what ``fdtd fit`` does.

    Parameters
    ----------
    scene : Scene
        The scene, with the prior.
    measured : path
        Figures by pair of source and receiver, or a SOFA file or a folder of responses, as ``fdtd match`` takes them.
    output : path
        The fitted scene; it lies where it finds the files that the scene names.
    folder : path
        For the runs, in 001, 002, ...; the same call takes those that are there.
    hold : sequence of str
        Sources and receivers whose pairs are judged, not fitted.
    only, keep : sequence of str
        Materials to fit instead of all, and materials that stay as they are.
    octaves : sequence of float
        Centres in Hz; by default all that are measured.
    spread : float
        How far the absorption of each material may be from that of the scene: relative, one standard deviation.
    common_spread : float
        How far that of all materials together may be from it in an octave, likewise.
    runs : int
        At most, of each stage of two or three octaves.
    whole_runs : int
        At most, of the whole scene, where low octaves have runs of their own.
    device : str, optional
        Instead of that of the scene.
    threads : int
        CPU threads; 0: all.
    force : bool
        Replace the fitted scene, and start all runs again.
    overrides : sequence of str
        ``"key=value"``, as ``fdtd fit --set`` takes them.

    Returns
    -------
    Fit

    Raises
    ------
    SceneError, ResourceError, NumericalError, FileError
    Interrupted
        By Ctrl-C; the best so far is written, and the same call continues.
    """
    shares = [100.0 * _document.number(value, name) for name, value in (("spread", spread), ("common_spread", common_spread))]
    options = ["--folder", str(folder), "--spread", repr(shares[0]), "--runs", str(runs)]
    options += ["--common-spread", repr(shares[1]), "--whole-runs", str(whole_runs)]
    for option, names in (("hold", hold), ("only", only), ("keep", keep)):
        options += [word for name in _document.texts(names, option) for word in (f"--{option}", name)]
    options += _engine._sets(_document.texts(overrides, "overrides"))
    options += ["--octaves", ",".join(f"{octave:g}" for octave in _document.numbers(octaves, "octaves"))] if octaves else []
    options += ["--device", device] if device is not None else []
    options += ["--threads", str(threads)] + (["--force"] if force else [])
    with of_scene(scene):
        document = _engine.fit(scene.to_toml(), scene._place(), str(measured), str(output), options)
    return Fit(Path(output), document)
