"""Gradients of a loss of responses by a room's walls, and the search for walls that make it small."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _document, _engine, _lazy
from .errors import ResourceError, SceneError, misplaced, of_status
from .materials import Material

if TYPE_CHECKING:
    import pandas

    from .scene import Scene

Responses = NDArray[np.float64]  # (sources, receivers, samples)
Loss = Callable[[Responses], tuple[float, Responses]]


class Parameter(NamedTuple):
    """One number of a wall: the absorption coefficient of an octave, or a real admittance (``band`` 0)."""

    material: str
    band: float  # Hz
    value: float


class SensitivityMap(NamedTuple):
    """The derivative of a loss by the admittance of each square metre of wall.

    Attributes
    ----------
    position : ndarray, shape (sites, 3)
        The centre of the voxel before the wall, in m.
    area : ndarray, shape (sites,)
        Of the wall, in m2.
    value : ndarray, shape (sites,)
        By m2: a patch of area A whose admittance (real, over that of air) grows by Y changes the loss by A Y times this.
    axis : ndarray, shape (sites,)
        Across which the wall's face lies: 0, 1 or 2.
    material : list of str
        By site.
    """

    position: NDArray[np.float64]
    area: NDArray[np.float64]
    value: NDArray[np.float64]
    axis: NDArray[np.int64]
    material: list[str]

    def to_hdf5(self, path: str | Path) -> None:
        """Write the map as an HDF5 file with a dataset for each attribute, in m, m2 and 1/m2.

        Parameters
        ----------
        path : path
            The file, replaced if it is there; it appears whole or not at all.
        """
        import h5py

        whole = Path(path)
        part = whole.with_name(f".{whole.name}.part")
        with h5py.File(part, "w") as file:
            for name, unit in (("position", "m"), ("area", "m2"), ("value", "1/m2"), ("axis", "")):
                file[name] = getattr(self, name)
                file[name].attrs["unit"] = unit
            file["material"] = [name.encode() for name in self.material]
        part.replace(whole)

    def plot(self) -> Any:
        """The map on the room's walls, as a figure of Matplotlib."""
        pyplot = _lazy.load("matplotlib.pyplot", "plots")
        figure = pyplot.figure(figsize=(7, 5))
        axes = figure.add_subplot(projection="3d")
        largest = float(np.abs(self.value).max(initial=0.0)) or 1.0
        dots = axes.scatter(*self.position.T, c=self.value, cmap="RdBu", vmin=-largest, vmax=largest, s=8, marker="s")
        axes.set(xlabel="x (m)", ylabel="y (m)", zlabel="z (m)")
        axes.set_box_aspect(np.ptp(self.position, axis=0) + 1e-9)
        figure.colorbar(dots, label="derivative by admittance, per m2", shrink=0.7)
        return figure


class Gradient(NamedTuple):
    """A loss and its derivatives; made by :func:`gradient`.

    Attributes
    ----------
    loss : float
    parameters : list of Parameter
        With the values at which the derivatives hold.
    slopes : ndarray
        Of the loss by each parameter.
    map : SensitivityMap or None
    """

    loss: float
    parameters: list[Parameter]
    slopes: NDArray[np.float64]
    map: SensitivityMap | None

    def table(self) -> pandas.DataFrame:
        """A row for each parameter: ``material``, ``band`` (Hz; 0: admittance), ``value``, ``slope``."""
        pd = _lazy.load("pandas", "tables")
        rows = [{**one._asdict(), "slope": slope} for one, slope in zip(self.parameters, self.slopes, strict=True)]
        return pd.DataFrame(rows, columns=["material", "band", "value", "slope"])


class WallModel:
    """The responses of a room as a function of its walls, with derivatives: one plan, whose walls move.

    The grid is that of the scene as it stands. Absorption by octave is that of a law whose branches are smooth functions
    of the coefficients; a run of the scene has other branches with the same absorption within the fit's tolerance.

    Parameters
    ----------
    scene : Scene
        Of waves alone: ``above={"method": "none"}``.
    materials : sequence of str, optional
        Materials of the scene that move; by default all of ``scene.materials``. Their octaves within the band of the run
        are parameters, or their admittance. Of an empty list there are none: for a map of the walls as a run has them.
    device : str, optional
        Instead of that of the scene.
    threads : int
        CPU threads; 0: all.

    Attributes
    ----------
    parameters : list of Parameter
        With the scene's values.

    Raises
    ------
    SceneError
        The scene has more than waves, or a material is on no wall or states neither absorption nor an admittance.
    ResourceError
        The engine is not in this process, as in a checkout without the extension.
    """

    def __init__(
        self, scene: Scene, materials: Sequence[str] | None = None, *, device: str | None = None, threads: int = 0
    ) -> None:
        if _engine._core is None:
            raise ResourceError("a gradient needs the engine in this process", "install the wheel of roomfdtd")
        names = _document.texts(materials) if materials is not None else list(scene.document.get("materials", {}))
        if not names and materials is None:
            raise misplaced("materials", "no material moves", "name materials of the scene")
        _engine._computed = True
        name = os.path.join(scene._place(), "scene.toml")
        self._room = _guarded(_engine._core.Gradients, scene.to_toml(), name, [], device, threads, names)
        self.parameters = [Parameter(*one) for one in self._room.parameters()]
        self._sources = len(scene.document["source"])

    @property
    def values(self) -> NDArray[np.float64]:
        """Of the parameters, as the scene has them."""
        return np.array([one.value for one in self.parameters])

    def responses(self, values: ArrayLike) -> Responses:
        """One run: responses, shape (sources, receivers, samples), at the scene's output rate.

        Parameters
        ----------
        values : array_like
            Of the parameters: above 0, absorption at most 1.
        """
        return self._shaped(*_guarded(self._room.responses, self._list(values)))

    def gradient(self, values: ArrayLike, loss: Loss, sensitivity: bool = False) -> Gradient:
        """Two runs: a loss and its derivatives.

        Parameters
        ----------
        values : array_like
            Of the parameters: above 0, absorption at most 1.
        loss : callable
            Of the responses, shape (sources, receivers, samples); returns the loss and its derivatives by each sample, in
            the same shape. :func:`differentiable` makes one of a function of PyTorch or JAX.
        sensitivity : bool
            Map the derivative over the walls, too.
        """
        at = self._list(values)

        def of_list(responses: NDArray[np.float64], samples: int, rate: float) -> tuple[float, NDArray[np.float64]]:
            shaped = self._shaped(responses, samples, rate)
            value, slopes = loss(shaped)
            slopes = np.asarray(slopes, dtype=float)
            if slopes.shape != shaped.shape:
                raise misplaced("loss", f"its derivatives have shape {slopes.shape}, the responses {shaped.shape}")
            if not math.isfinite(value) or not np.isfinite(slopes).all():
                raise misplaced("loss", "it is not finite, or a derivative is not")
            return float(value), np.ascontiguousarray(slopes).ravel()

        value, slopes, found = _guarded(self._room.slopes, at, of_list, sensitivity)
        parameters = [one._replace(value=new) for one, new in zip(self.parameters, at, strict=True)]
        return Gradient(value, parameters, np.array(slopes), _map(found) if found is not None else None)

    def pulled_back(self, values: ArrayLike, slopes: Responses) -> NDArray[np.float64]:
        """Two runs: the derivatives, by the parameters, of the sum of responses times `slopes`.

        Parameters
        ----------
        values : array_like
            Of the parameters: above 0, absorption at most 1.
        slopes : ndarray, shape (sources, receivers, samples)
            Of a loss, by each sample of the responses.
        """
        return self.gradient(values, lambda responses: (float(np.vdot(responses, slopes)), slopes)).slopes

    def torch(self) -> Callable[[Any], Any]:
        """The responses as a differentiable function of a tensor of values, for PyTorch."""
        from ._autograd import torch_function

        return torch_function(self)

    def jax(self) -> Callable[[Any], Any]:
        """The responses as a differentiable function of an array of values, for JAX."""
        from ._autograd import jax_function

        return jax_function(self)

    def _list(self, values: ArrayLike) -> list[float]:
        flat = np.asarray(values, dtype=float).ravel()
        if len(flat) != len(self.parameters):
            raise misplaced("values", f"{len(flat)} values for {len(self.parameters)} parameters")
        return [float(one) for one in flat]

    def _shaped(self, responses: NDArray[np.float64], samples: int, rate: float) -> Responses:
        return responses.reshape(self._sources, -1, samples)


def _guarded(call: Callable[..., Any], *arguments: Any) -> Any:
    """A call of the extension, with its errors as exceptions of the package."""
    try:
        return call(*arguments)
    except _engine._core.EngineError as error:
        status, message, hint, problems = error.args
        found = json.loads(problems)
        raise (SceneError(message, hint, problems=found) if found else of_status(status, message, hint)) from None


def _map(found: Mapping[str, Any]) -> SensitivityMap:
    names = [found["materials"][number] for number in found["material"]]
    position, area, value = (np.array(found[name], dtype=float) for name in ("position", "area", "value"))
    return SensitivityMap(position.reshape(-1, 3), area, value, np.array(found["axis"], dtype=np.int64), names)


def gradient(
    scene: Scene,
    loss: Loss,
    materials: Sequence[str] | None = None,
    *,
    sensitivity: bool = False,
    device: str | None = None,
    threads: int = 0,
) -> Gradient:
    """A loss of a scene's responses and its derivatives by the absorption of walls, at the price of two runs.

    Parameters
    ----------
    scene : Scene
        Of waves alone: ``above={"method": "none"}``.
    loss : callable
        Of the responses, shape (sources, receivers, samples); returns the loss and its derivatives by each sample, in the
        same shape: one of :mod:`roomfdtd.losses`, one of your own, or :func:`differentiable` of a function of PyTorch or
        JAX.
    materials : sequence of str, optional
        Materials of the scene that move; by default all of ``scene.materials``.
    sensitivity : bool
        Map the derivative over the walls, too.
    device : str, optional
        Instead of that of the scene.
    threads : int
        CPU threads; 0: all.

    Returns
    -------
    Gradient
    """
    model = WallModel(scene, materials, device=device, threads=threads)
    return model.gradient(model.values, loss, sensitivity)


def differentiable(function: Callable[[Any], Any], framework: str) -> Loss:
    """A loss for :func:`gradient` of a function that PyTorch or JAX differentiates.

    Parameters
    ----------
    function : callable
        Of a tensor or array of responses, shape (sources, receivers, samples), to a scalar.
    framework : {"torch", "jax"}
    """
    if framework not in ("torch", "jax"):
        raise misplaced("framework", f"{framework} is neither torch nor jax")
    from . import _autograd

    return _autograd.torch_loss(function) if framework == "torch" else _autograd.jax_loss(function)


class Optimum(NamedTuple):
    """Walls that make a loss small; made by :func:`optimise`.

    Attributes
    ----------
    scene : Scene
        With the materials that were found.
    parameters : list of Parameter
        With the values that were found.
    loss : float
    history : list of float
        The loss of each pair of runs.
    message : str
        Why the search ended.
    """

    scene: Scene
    parameters: list[Parameter]
    loss: float
    history: list[float]
    message: str

    def table(self) -> pandas.DataFrame:
        """A row for each parameter: ``material``, ``band`` (Hz; 0: admittance), ``value``."""
        pd = _lazy.load("pandas", "tables")
        return pd.DataFrame([one._asdict() for one in self.parameters], columns=["material", "band", "value"])


def optimise(
    scene: Scene,
    loss: Loss,
    materials: Sequence[str] | None = None,
    *,
    bounds: tuple[float, float] | Sequence[tuple[float, float]] = (0.01, 0.95),
    pairs: int = 20,
    device: str | None = None,
    threads: int = 0,
    progress: Callable[[int, float], object] | None = None,
) -> Optimum:
    """Walls that make a loss small: L-BFGS-B from the scene's own, with gradients at two runs each.

    Losses that are smooth in the walls work: decays in dB, spectra in dB (:mod:`roomfdtd.losses`). A waveform's
    difference does where walls are known roughly and only their absorption moves.

    Parameters
    ----------
    scene, loss, materials, device, threads
        As of :func:`gradient`.
    bounds : pair of float, or one for each parameter
        Of the coefficients.
    pairs : int
        Pairs of runs at most.
    progress : callable, optional
        Called with the number of each pair and its loss.

    Returns
    -------
    Optimum
    """
    model = WallModel(scene, materials, device=device, threads=threads)
    count = len(model.parameters)
    limits = np.array(bounds, dtype=float)
    limits = np.tile(limits, (count, 1)) if limits.shape == (2,) else limits
    if limits.shape != (count, 2) or not (limits[:, 0] < limits[:, 1]).all() or not (limits > 0.0).all():
        raise misplaced("bounds", f"give one pair, or {count}: above 0, the lower first")
    if pairs < 1:
        raise misplaced("pairs", "at least 1 is needed")
    history: list[float] = []
    best: tuple[float, NDArray[np.float64]] = (math.inf, model.values)

    # Coefficients by their logarithms: a wall's relative changes matter.
    def pair(logs: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        nonlocal best
        values = np.clip(np.exp(logs), limits[:, 0], limits[:, 1])
        if len(history) == pairs:
            raise _Enough
        found = model.gradient(values, loss)
        history.append(found.loss)
        if found.loss < best[0]:
            best = (found.loss, values)
        if progress is not None:
            progress(len(history), found.loss)
        return found.loss, found.slopes * values

    minimize = _lazy.load("scipy.optimize", "gradients").minimize
    begin = np.log(np.clip(model.values, limits[:, 0], limits[:, 1]))
    try:
        ended = minimize(pair, begin, jac=True, method="L-BFGS-B", bounds=np.log(limits), options={"maxcor": 20})
        message = str(ended.message)
    except _Enough:
        message = f"{pairs} pairs of runs are made"
    parameters = [one._replace(value=float(v)) for one, v in zip(model.parameters, best[1], strict=True)]
    return Optimum(_with_walls(scene, parameters), parameters, best[0], history, message)


class _Enough(Exception):
    """As many pairs of runs as asked for."""


def _with_walls(scene: Scene, parameters: Sequence[Parameter]) -> Scene:
    """A scene with these numbers in its materials; those of the library become its own."""
    stated = scene.document.get("materials", {})
    materials: dict[str, Material] = {}
    for name in dict.fromkeys(one.material for one in parameters):
        own = {one.band: round(one.value, 4) for one in parameters if one.material == name}
        if 0.0 in own:
            materials[f"materials.{name}"] = Material.admittance(own[0.0])
            continue
        known = stated[name]["absorption"] if name in stated else {"bands": [], "alpha": []}
        alpha = {float(band): value for band, value in zip(known["bands"], known["alpha"], strict=True)} | own
        materials[f"materials.{name}"] = Material.absorption(sorted(alpha), [alpha[band] for band in sorted(alpha)])
    return scene.replace(materials)
