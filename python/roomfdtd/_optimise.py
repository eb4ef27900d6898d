"""The search for walls, and places of sources and receivers, that make a loss of responses small."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _document, _lazy
from ._gradient import Coordinate, Loss, Parameter, WallModel, columns_of
from .errors import FdtdError, Interrupted, misplaced
from .losses import Squares
from .room import extent

if TYPE_CHECKING:
    import pandas

    from .scene import Scene

Vector = NDArray[np.float64]
Box = tuple[Sequence[float], Sequence[float]]  # two corners, m
_METRE = 0.25  # that counts like a change of a coefficient by the factor e: a wavelength over 2 pi at 200 Hz
_ROUNDED = 1e-9  # m
_STEP, _SHARE, _LEAST = 1e-3, 0.2, 1e-4  # of differences, in reflection: at most, of the value, at least: less drowns in f32
_STILL, _LITTLE = 1e-4, 0.05  # by which walls count as staying, and of a loss, after which a search begins again


class Optimum(NamedTuple):
    """Walls and places that make a loss small; made by :func:`optimise`.

    Attributes
    ----------
    scene : Scene
        With the materials and positions that were found, their laws those of the search (:meth:`WallModel.scene_at`).
    parameters : list of Parameter, then of Coordinate
        With the values that were found.
    loss : float
    history : list of float
        The loss of each pair of runs; of least squares, of each run that is none of a difference.
    message : str
        Why the search ended.
    """

    scene: Scene
    parameters: list[Parameter | Coordinate]
    loss: float
    history: list[float]
    message: str

    def table(self) -> pandas.DataFrame:
        """A row for each parameter: ``material``, ``band`` (Hz; 0: admittance), ``value``.

        Where sources or receivers have moved, also ``point`` and ``axis``.
        """
        pd = _lazy.load("pandas", "tables")
        rows = [one._asdict() for one in self.parameters]
        frame: pandas.DataFrame = pd.DataFrame(rows, columns=columns_of(self.parameters))
        return frame


def optimise(
    scene: Scene,
    loss: Loss,
    materials: Sequence[str] | None = None,
    *,
    positions: Mapping[str, Box] | None = None,
    method: str = "L-BFGS-B",
    bounds: tuple[float, float] | Sequence[tuple[float, float]] = (0.01, 0.95),
    pairs: int = 20,
    device: str | None = None,
    threads: int = 0,
    memory: float | str = 0,
    progress: Callable[[int, float], object] | None = None,
) -> Optimum:
    """Walls and places that make a loss small, from the scene's own.

    Losses that are smooth in the walls work: decays in dB, spectra in dB (:mod:`roomfdtd.losses`). A waveform's
    difference does where walls are known roughly and only their absorption moves.

    Parameters
    ----------
    scene, loss, materials, device, threads, memory
        As of :func:`gradient`.
    positions : mapping of str to pair of points, optional
        Names of omnidirectional sources and receivers that move, each with two opposite corners of the box in which it
        stays, in m: the lower coordinates first; where both are equal, the coordinate stays. Walls move as well unless
        `materials` is empty. L-BFGS-B only.
    method : {"L-BFGS-B", "least-squares"}
        Least squares take the Jacobian of a loss that is a sum of squares (:class:`roomfdtd.losses.Squares`), by a run
        for each parameter, and correct it by what further runs show (C. G. Broyden, "A class of methods for solving
        nonlinear simultaneous equations", *Math. Comp.* 19, 1965); where they end, they begin again with a new Jacobian,
        until the walls stay. For few parameters that a response determines.
    bounds : pair of float, or one for each parameter of the walls
        Of the coefficients.
    pairs : int
        Pairs of runs at most. Where a run fails, the search ends with the best so far, and its message says why.
    progress : callable, optional
        Called with the number of each loss and its value.

    Returns
    -------
    Optimum

    Warns
    -----
    UserWarning
        A plan of the scene found takes another grid or band than that of the search, so that its run has other responses:
        state `stencil`, `grid_spacing` and ``wall_error = 2`` in the scene, and search again.

    Raises
    ------
    SceneError, ResourceError, NumericalError
        Before a pair of runs has ended.
    Exception
        Any of the loss or of `progress`, and Interrupted or KeyboardInterrupt of Ctrl-C. Once a pair of runs has ended,
        its attribute ``best`` is the Optimum so far.
    """
    if method not in ("L-BFGS-B", "least-squares"):
        raise misplaced("method", f"{method} is neither L-BFGS-B nor least-squares")
    if method == "least-squares" and not isinstance(loss, Squares):
        raise misplaced("loss", "least squares need a sum of squares", "take one of roomfdtd.losses, or a Squares of your own")
    _document.whole(pairs, "pairs", 1)
    if progress is not None and not callable(progress):
        raise misplaced("progress", f"a function is needed, not {progress!r}")
    if positions and method == "least-squares":
        raise misplaced("positions", "least squares move walls alone", "take method L-BFGS-B")
    boxes = _boxes(scene, positions or {})
    if materials is not None and not boxes and not _document.texts(materials, "materials"):
        raise misplaced("materials", "nothing moves", "name materials, or positions with their boxes")
    model = WallModel(scene, materials, device=device, threads=threads, memory=memory, positions=list(boxes))
    walls = [one for one in model.parameters if isinstance(one, Parameter)]
    limits = np.concatenate([_limits(bounds, walls), *boxes.values()])
    real = np.array([isinstance(one, Parameter) and one.band == 0.0 for one in model.parameters])
    variables = _Logarithms(len(walls)) if method == "L-BFGS-B" else _Reflections(real)
    search = _Search(loss, limits, variables, len(walls), pairs, progress)
    found = search.by_gradients(model) if method == "L-BFGS-B" else search.by_squares(model)
    try:
        note = _other_grid(model.scene_at(model.values), found.scene, device, threads)
    except BaseException as error:  # Ctrl-C
        error.best = found  # type: ignore[attr-defined]
        raise
    if note:
        warnings.warn(note, stacklevel=2)
    return found


class _Enough(Exception):
    """As many runs as asked for."""


class _Logarithms:
    """Of coefficients, as a wall's relative changes matter; places over a length."""

    def __init__(self, walls: int) -> None:
        self._walls = walls

    def of(self, values: Vector) -> Vector:
        return np.concatenate([np.log(values[: self._walls]), values[self._walls :] / _METRE])

    def values(self, at: Vector) -> Vector:
        return np.concatenate([np.exp(at[: self._walls]), at[self._walls :] * _METRE])


class _Reflections:
    """The lack of a wall's pressure reflection, 1 - R at normal incidence: responses bend less by it than by logarithms."""

    def __init__(self, real: NDArray[np.bool_]) -> None:
        self._real = real  # admittances; the others are absorption

    def of(self, values: Vector) -> Vector:
        made: Vector = np.where(self._real, 2.0 * values / (1.0 + values), 1.0 - np.sqrt(np.maximum(1.0 - values, 0.0)))
        return made

    def values(self, at: Vector) -> Vector:
        made: Vector = np.where(self._real, at / (2.0 - at), 1.0 - (1.0 - at) ** 2)
        return made


class _Search:
    def __init__(
        self,
        loss: Loss,
        limits: Vector,
        variables: _Logarithms | _Reflections,
        walls: int,
        pairs: int,
        progress: Callable[[int, float], object] | None,
    ) -> None:
        self._loss = loss
        self._variables = variables
        self._limits = limits
        self._walls = walls
        self._pairs = pairs
        self._progress = progress
        self._history: list[float] = []
        self._runs = 0
        self._best: tuple[float, Vector] = (math.inf, limits[:, 0])

    def by_gradients(self, model: WallModel) -> Optimum:
        def pair(logs: Vector) -> tuple[float, Vector]:
            values = self._values(logs)
            if len(self._history) == self._pairs:
                raise _Enough
            found = model.gradient(values, self._loss)
            self._note(found.loss, values)
            return found.loss, found.slopes * np.where(self._is_wall(), values, _METRE)

        minimize = _lazy.load("scipy.optimize", "gradients").minimize
        begin = self._of(model.values)
        bounds = np.stack([self._of(self._limits[:, 0]), self._of(self._limits[:, 1])], axis=1)

        def search() -> str:
            ended = minimize(pair, begin, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxcor": 20})
            return str(ended.message)

        return self._found(model, search)

    def by_squares(self, model: WallModel) -> Optimum:
        least_squares = _lazy.load("scipy.optimize", "gradients").least_squares
        begin = self._of(model.values)
        bounds = np.stack([self._of(self._limits[:, 0]), self._of(self._limits[:, 1])], axis=1)
        jacobian = _Jacobian(lambda place: self._run(model, place), bounds)

        def at(place: Vector) -> Vector:
            residuals = self._run(model, place)
            self._note(float(residuals @ residuals), self._values(place))
            return jacobian.noted(place, residuals)

        def search() -> str:
            nonlocal begin
            while True:
                by_differences = jacobian.matrix is None
                least_squares(at, begin, jac=jacobian, bounds=bounds.T, xtol=_STILL, ftol=_LITTLE, gtol=None)
                end = self._of(self._best[1])
                if np.abs(end - begin).max() < _STILL:
                    if by_differences:
                        return "the walls stay where they are"
                    jacobian.matrix = None  # where a corrected one leads no further, one of differences may
                begin = end
                jacobian.keep()

        return self._found(model, search)

    def _found(self, model: WallModel, search: Callable[[], str]) -> Optimum:
        """The best of a search, whatever ends it."""
        try:
            message = search()
        except _Enough:
            message = f"{self._pairs} pairs of runs are made"
        except BaseException as error:
            if self._best[0] == math.inf:
                raise
            if isinstance(error, Interrupted) or not isinstance(error, FdtdError):  # the caller's, or of the loss
                error.best = self._optimum(model, "it was interrupted")  # type: ignore[attr-defined]
                raise
            message = f"a run has failed: {error.message}"
        return self._optimum(model, message)

    def _run(self, model: WallModel, at: Vector) -> Vector:
        assert isinstance(self._loss, Squares)
        if self._runs == 2 * self._pairs:
            raise _Enough
        self._runs += 1
        found = _document.finite(self._loss.residuals(model.responses(self._values(at))), "loss", "residuals", samples=False)
        if found.ndim != 1:
            raise misplaced("loss", f"residuals are a list of numbers, not an array of shape {found.shape}")
        return found

    def _is_wall(self) -> NDArray[np.bool_]:
        return np.arange(len(self._limits)) < self._walls

    def _values(self, at: Vector) -> Vector:
        values = np.array([float(f"{one:.12g}") for one in self._variables.values(at)])  # as a scene states them
        clipped: Vector = np.clip(values, self._limits[:, 0], self._limits[:, 1])
        return clipped

    def _of(self, values: Vector) -> Vector:
        return self._variables.of(np.clip(values, self._limits[:, 0], self._limits[:, 1]))

    def _note(self, loss: float, values: Vector) -> None:
        self._history.append(loss)
        if loss < self._best[0]:
            self._best = (loss, values)
        if self._progress is not None:
            self._progress(len(self._history), loss)

    def _optimum(self, model: WallModel, message: str) -> Optimum:
        loss, values = self._best
        parameters = [one._replace(value=float(v)) for one, v in zip(model.parameters, values, strict=True)]
        return Optimum(model.scene_at(values), parameters, loss, self._history, message)


class _Jacobian:
    """Of residuals by parameters: by differences where there is none or the last has led to little, else Broyden's."""

    def __init__(self, run: Callable[[Vector], Vector], bounds: Vector) -> None:
        self._run = run
        self._bounds = bounds  # lower and upper, by parameter
        self._tried: dict[bytes, Vector] = {}
        self._last: tuple[Vector, Vector] | None = None  # parameters and residuals
        self.matrix: Vector | None = None

    def noted(self, at: Vector, residuals: Vector) -> Vector:
        self._tried[at.tobytes()] = residuals
        return residuals

    def keep(self) -> None:
        """For a search that begins again."""
        self._last = None

    def __call__(self, at: Vector) -> Vector:
        residuals = self._tried[at.tobytes()]
        self._tried.clear()
        if self.matrix is None or (self._last is not None and not _falls(residuals, self._last[1])):
            columns = [(self._run(at + one) - residuals) / one.sum() for one in np.diag(self._steps(at))]
            self.matrix = np.array(columns).T
        elif self._last is not None:
            moved = at - self._last[0]
            off = residuals - self._last[1] - self.matrix @ moved
            self.matrix = self.matrix + np.outer(off, moved) / (moved @ moved)
        self._last = (at.copy(), residuals)
        return self.matrix


    def _steps(self, at: Vector) -> Vector:
        """Of differences: towards the middle of the bounds and not beyond it."""
        half = 0.5 * (self._bounds[:, 1] - self._bounds[:, 0])
        length = np.minimum(np.clip(_SHARE * np.abs(at), _LEAST, _STEP), half)
        return np.where(at < self._bounds.mean(axis=1), length, -length)


def _other_grid(began: Scene, found: Scene, device: str | None, threads: int) -> str:
    """A note where a run of the scene found takes another grid or band than those with which the search began; else empty."""
    try:
        of_search, of_run = (scene.plan(device=device, threads=threads) for scene in (began, found))
    except Interrupted:
        raise
    except FdtdError as error:
        return f"rf.optimise: the scene found has no plan, and no run: {error.message}"
    if all(of_search[key] == of_run[key] for key in ("stencil", "grid", "spacing", "valid_bandwidth")):
        return ""
    search, run = (
        f"{one['stencil']} with a spacing of {1000 * one['spacing']:.4g} mm to {one['valid_bandwidth']:.4g} Hz"
        for one in (of_search, of_run)
    )
    what = f"a run of the scene found takes another grid or band, {run}, than the search, {search}: its responses are others"
    fixed = f'stencil = "{of_search["stencil"]}", wall_error = 2 and, in the place of max_frequency, '
    return f"rf.optimise: {what}; state {fixed}grid_spacing = {of_search['spacing']:.6g} in the scene, and search again"


def _falls(now: Vector, before: Vector) -> bool:
    return bool(now @ now < 0.5 * (before @ before))


def _limits(bounds: tuple[float, float] | Sequence[tuple[float, float]], walls: Sequence[Parameter]) -> Vector:
    count = len(walls)
    limits = _document.finite(bounds, "bounds", "bounds", samples=False)
    limits = np.tile(limits, (count, 1)) if limits.shape == (2,) else limits
    if count == 0:
        return np.zeros((0, 2))
    if limits.shape != (count, 2) or not (limits[:, 0] < limits[:, 1]).all() or not (limits > 0.0).all():
        raise misplaced("bounds", f"give one pair, or {count}: above 0, the lower first")
    for (_, high), one in zip(limits, walls, strict=True):
        if high > (1.0 if one.band > 0.0 else 1e6):
            what = f"of the absorption of {one.material} at {one.band:g} Hz" if one.band > 0.0 else f"of {one.material}"
            raise misplaced("bounds", f"{high:g} {what} is too large", "absorption is at most 1, an admittance 1e6")
    return limits


def _boxes(scene: Scene, positions: Mapping[str, Box]) -> dict[str, Vector]:
    """Limits of x, y and z by the name of what moves."""
    if not isinstance(positions, Mapping):
        hint = '{"R1": ((x, y, z), (x, y, z))}, two corners in m'
        raise misplaced("positions", f"boxes by the names of sources and receivers are needed, not {positions!r}", hint)
    room = extent(scene.document["room"], scene._surface) if positions else None
    boxes = {}
    for name, box in positions.items():
        corners = _document.finite(box, f"positions of {name}", "a corner", samples=False)
        if corners.shape != (2, 3) or not (corners[0] <= corners[1]).all():
            raise misplaced("positions", f"{name} needs two corners of a box", "the lower first: ((x, y, z), (x, y, z)) in m")
        if room is not None and not ((corners >= room[0] - _ROUNDED) & (corners <= room[1] + _ROUNDED)).all():
            within = " to ".join(f"({', '.join(f'{one:g}' for one in corner)})" for corner in room)
            raise misplaced("positions", f"the box of {name} reaches beyond the room", f"which is within {within} m")
        boxes[name] = corners.T.copy()
    return boxes
