"""Gradients of a loss of responses by a room's walls, and by the places of its sources and receivers."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _document, _engine, _lazy
from .errors import FileError, ResourceError, misplaced, of_extension, of_scene
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


class Coordinate(NamedTuple):
    """Where a source or receiver is along an axis."""

    point: str  # name of the source or receiver
    axis: str  # "x", "y" or "z"
    value: float  # m


class SensitivityMap(NamedTuple):
    """The derivative of a loss by the admittance of each square metre of wall.

    Attributes
    ----------
    position : ndarray, shape (sites, 3)
        The centre of the voxel before the wall, in m.
    area : ndarray, shape (sites,)
        Of the wall, in m2.
    value : ndarray, shape (sites,)
        By m2: a patch of area A whose material has a small admittance Y more (real, over that of air, beside its own)
        changes the loss by A Y times this. The sum over a material that moves by its admittance is its slope. Of other
        materials a fit says how their laws on the grid follow: the sum over an admittance that does not move is within
        10 % of its slope, and branches may be further off.
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
        try:
            with h5py.File(part, "w") as file:
                for name, unit in (("position", "m"), ("area", "m2"), ("value", "1/m2"), ("axis", "")):
                    file[name] = getattr(self, name)
                    file[name].attrs["unit"] = unit
                file["material"] = [name.encode() for name in self.material]
            part.replace(whole)
        except OSError as error:
            part.unlink(missing_ok=True) if whole.parent.is_dir() else None
            reason = f"there is no folder {whole.parent}" if not whole.parent.is_dir() else error.strerror or "no space"
            raise FileError(f"{whole}: cannot be written: {reason}") from error

    def plot(self) -> Any:
        """The map on the walls across each axis, those of either half of the room side by side, as a figure of Matplotlib."""
        from . import _plots

        return _plots.sensitivity(self)


class Gradient(NamedTuple):
    """A loss and its derivatives; made by :func:`gradient`.

    Attributes
    ----------
    loss : float
    parameters : list of Parameter, then of Coordinate
        With the values at which the derivatives hold.
    slopes : ndarray
        Of the loss by each parameter; by coordinates in 1/m.
    map : SensitivityMap or None
    """

    loss: float
    parameters: list[Parameter | Coordinate]
    slopes: NDArray[np.float64]
    map: SensitivityMap | None

    def table(self) -> pandas.DataFrame:
        """A row for each parameter: ``material``, ``band`` (Hz; 0: admittance), ``value``, ``slope``.

        Where sources or receivers move, also ``point`` and ``axis``.
        """
        pd = _lazy.load("pandas", "tables")
        rows = [{**one._asdict(), "slope": slope} for one, slope in zip(self.parameters, self.slopes, strict=True)]
        frame: pandas.DataFrame = pd.DataFrame(rows, columns=[*columns_of(self.parameters), "slope"])
        return frame


def columns_of(parameters: Sequence[Parameter | Coordinate]) -> list[str]:
    """Of a table of parameters."""
    moves = any(isinstance(one, Coordinate) for one in parameters)
    return ["material", "band", *(["point", "axis"] if moves else []), "value"]


class WallModel:
    """The responses of a room as a function of its walls, with derivatives: one plan, whose walls move.

    Sources and receivers may move, too.

    The grid is that of the scene as it stands. Laws are smooth functions of the coefficients (:meth:`Material.smooth`):
    where the scene's materials have others, its run differs by what the laws do. ``scene_at`` states the walls of a run.

    Parameters
    ----------
    scene : Scene
        Of waves alone: ``above={"method": "none"}``.
    materials : sequence of str, optional
        Materials of the scene that move; by default those of ``[materials]`` that are on walls and state absorption by
        octave or an admittance above 0. Their octaves up to the band of the run are parameters, the lowest whatever the
        band, or their admittance. Of an empty list there are none: for a map of the walls as a run has them.
    device : str, optional
        Instead of that of the scene.
    threads : int
        CPU threads; 0: all.
    memory : float or str
        For the histories of walls: a number of bytes from 1 up, or a text as ``fdtd plan --gradient-memory`` takes it, "8GB"
        or "500 MiB"; 0: half of what is free, or all on a GPU. With less, parts of the run are computed again.
    positions : sequence of str
        Names of omnidirectional sources and receivers that move: their coordinates x, y and z, in m, are parameters after
        those of the walls.

    Attributes
    ----------
    parameters : list of Parameter, then of Coordinate
        With the scene's values.

    Raises
    ------
    SceneError
        The scene has more than waves; a material is on no wall, states neither absorption nor an admittance, or absorbs
        nothing in an octave; no material moves where none is named; or a name of `positions` is that of no
        omnidirectional source or receiver.
    ResourceError
        The engine is not in this process, as in a checkout without the extension, or the memory does not suffice.
    """

    def __init__(
        self,
        scene: Scene,
        materials: Sequence[str] | None = None,
        *,
        device: str | None = None,
        threads: int = 0,
        memory: float | str = 0,
        positions: Sequence[str] = (),
    ) -> None:
        if _engine._core is None:
            raise ResourceError("a gradient needs the engine in this process", "install the wheel of roomfdtd")
        names = None if materials is None else _document.texts(materials, "materials")
        points = _document.texts(positions, "positions")
        limit, threads = _document.bytes_of(memory, "memory"), _document.threads(threads)
        device = _document.device(device)
        if not hasattr(scene, "to_toml"):
            raise misplaced("scene", f"a Scene is needed, not {scene!r}", "Scene.from_toml reads a file")
        _engine._computed = True
        self._scene, self._name = scene, os.path.join(scene._place(), "scene.toml")
        make = _engine._core.Gradients
        self._room = self._guarded(make, scene.to_toml(), self._name, [], device, threads, names, limit, points)
        self.parameters: list[Parameter | Coordinate] = [Parameter(*one) for one in self._room.parameters()]
        for point, _, *place in self._room.points():
            self.parameters += [Coordinate(point, axis, value) for axis, value in zip("xyz", place, strict=True)]
        self._sources = len(scene.document["source"])

    @property
    def values(self) -> NDArray[np.float64]:
        """Of the parameters, as the scene has them."""
        return np.array([one.value for one in self.parameters])

    def cost(self) -> dict[str, Any]:
        """Memory, runs and time of a gradient: the field ``gradient`` of ``fdtd plan --gradient --json``.

        Every gradient of the model keeps to it. Some steps are timed, for ``predicted_seconds``.
        """
        return dict(json.loads(self._guarded(self._room.planned)))

    def scene_at(self, values: ArrayLike) -> Scene:
        """The scene whose plain run, on the same grid, has the responses of the model at these values.

        Parameters
        ----------
        values : array_like
            Of the parameters.

        Returns
        -------
        Scene
            Its materials state absorption by octave, or an admittance, and ``law = "smooth"``; positions are the values'.
        """
        changed: dict[str, Any] = {}
        of_walls: dict[str, dict[float, float]] = {}
        sources = {source["name"] for source in self._scene.document["source"]}
        for one, value in zip(self.parameters, self._list(values), strict=True):
            if isinstance(one, Parameter):
                of_walls.setdefault(one.material, {})[one.band] = value
            else:
                kind = "source" if one.point in sources else "receiver"
                changed.setdefault(f"{kind}.{one.point}.position", []).append(value)
        for name, bands, alpha in self._room.tables():
            numbers = dict(zip(bands, alpha, strict=True)) | of_walls.get(name, {})
            octaves = 0.0 not in numbers
            law = Material.absorption([*numbers], [*numbers.values()]) if octaves else Material.admittance(numbers[0.0])
            stated = self._scene.document.get("materials", {}).get(name, {})
            beside = {key: value for key, value in stated.items() if key == "scattering"}
            changed[f"materials.{name}"] = Material(dict(law.smooth().table) | beside)
        return self._scene.replace(changed)

    def responses(self, values: ArrayLike) -> Responses:
        """One run: responses, shape (sources, receivers, samples), at the scene's output rate.

        Parameters
        ----------
        values : array_like
            Of the parameters: above 0, absorption at most 1; places in the room's air.
        """
        return self._shaped(*self._guarded(self._room.responses, self._list(values)))

    def gradient(self, values: ArrayLike, loss: Loss, sensitivity: bool = False) -> Gradient:
        """Two runs: a loss and its derivatives.

        Parameters
        ----------
        values : array_like
            Of the parameters: above 0, absorption at most 1; places in the room's air.
        loss : callable
            Of the responses, shape (sources, receivers, samples); returns the loss and its derivatives by each sample, in
            the same shape. :func:`differentiable` makes one of a function of PyTorch or JAX.
        sensitivity : bool
            Map the derivative over the walls, too.
        """
        at = self._list(values)
        if not callable(loss):
            raise misplaced("loss", f"a function of the responses is needed, not {loss!r}", "roomfdtd.losses has some")

        def of_list(responses: NDArray[np.float64], samples: int, rate: float) -> tuple[float, NDArray[np.float64]]:
            value, slopes = _document.loss_answer(loss(shaped := self._shaped(responses, samples, rate)), shaped.shape)
            return value, np.ascontiguousarray(slopes).ravel()

        value, slopes, found = self._guarded(self._room.slopes, at, of_list, sensitivity)
        parameters = [one._replace(value=new) for one, new in zip(self.parameters, at, strict=True)]
        return Gradient(value, parameters, np.array(slopes), _map(found) if found is not None else None)

    def pulled_back(self, values: ArrayLike, slopes: Responses) -> NDArray[np.float64]:
        """Two runs: the derivatives, by the parameters, of the sum of responses times `slopes`.

        Parameters
        ----------
        values : array_like
            Of the parameters: above 0, absorption at most 1; places in the room's air.
        slopes : ndarray, shape (sources, receivers, samples)
            Of a loss, by each sample of the responses.
        """
        given = _document.finite(slopes, "slopes", "slopes")

        def dot(responses: Responses) -> tuple[float, Responses]:
            if responses.shape != given.shape:
                raise misplaced("slopes", f"they have shape {given.shape}, the responses {responses.shape}")
            return float(np.vdot(responses, given)), given

        return self.gradient(values, dot).slopes

    def torch(self) -> Callable[[Any], Any]:
        """The responses as a differentiable function of a tensor of values, for PyTorch."""
        from ._autograd import torch_function

        return torch_function(self)

    def jax(self) -> Callable[[Any], Any]:
        """The responses as a differentiable function of an array of values, for JAX; ``jax.jit`` may trace it."""
        from ._autograd import jax_function

        return jax_function(self)

    def _guarded(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """A call of the extension, with its errors as exceptions of the package."""
        with of_scene(self._scene):
            try:
                return call(*arguments)
            except _engine._core.EngineError as error:
                raise of_extension(error, self._name) from None

    def _list(self, values: ArrayLike) -> list[float]:
        flat = _document.numbers(values, "values")
        if len(flat) != len(self.parameters):
            raise misplaced("values", f"{len(flat)} values for {len(self.parameters)} parameters")
        return flat

    def _shaped(self, responses: NDArray[np.float64], samples: int, rate: float) -> Responses:
        return responses.reshape(self._sources, -1, samples)


def _map(found: Mapping[str, Any]) -> SensitivityMap:
    names = [found["materials"][number] for number in found["material"]]
    position, area, value = (np.array(found[name], dtype=float) for name in ("position", "area", "value"))
    return SensitivityMap(position.reshape(-1, 3), area, value, np.array(found["axis"], dtype=np.int64), names)


def gradient(
    scene: Scene,
    loss: Loss,
    materials: Sequence[str] | None = None,
    *,
    positions: Sequence[str] = (),
    sensitivity: bool = False,
    device: str | None = None,
    threads: int = 0,
    memory: float | str = 0,
) -> Gradient:
    """A loss of a scene's responses and its derivatives, at the price of two runs.

    By the absorption of walls, and by the places of sources and receivers.

    Parameters
    ----------
    scene : Scene
        Of waves alone: ``above={"method": "none"}``.
    loss : callable
        Of the responses, shape (sources, receivers, samples); returns the loss and its derivatives by each sample, in the
        same shape: one of :mod:`roomfdtd.losses`, one of your own, or :func:`differentiable` of a function of PyTorch or
        JAX.
    materials : sequence of str, optional
        Materials of the scene that move; by default those of ``[materials]`` that are on walls and state absorption by
        octave or an admittance above 0. Empty: none.
    positions : sequence of str
        Names of omnidirectional sources and receivers, by whose x, y and z (1/m) the derivatives are, too.
    sensitivity : bool
        Map the derivative over the walls, too.
    device : str, optional
        Instead of that of the scene.
    threads : int
        CPU threads; 0: all.
    memory : float or str
        For the histories of walls, as of :class:`WallModel`, whose ``cost()`` states it beforehand.

    Returns
    -------
    Gradient
    """
    model = WallModel(scene, materials, device=device, threads=threads, memory=memory, positions=positions)
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
