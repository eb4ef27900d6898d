"""Plots of results with matplotlib."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _lazy
from ._units import UNITS
from .errors import FdtdError, FileError, misplaced

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from ._gradient import SensitivityMap
    from ._match import Match
    from .result import Result


def _axes(ax: Axes | None) -> Axes:
    if ax is None:
        made: Axes = _lazy.load("matplotlib.pyplot", "plots").subplots(layout="constrained")[1]
        return made
    return ax


def _first(result: Result, receiver: str | int, source: str | int) -> tuple[Any, str]:
    """One response and its name; of an ambisonic receiver the omnidirectional channel."""
    channel = result._channels(receiver)[0]
    data = result._store.pressure([channel], result._source(source))[0, 0]
    return data, f"{result._source(source).owner} to {channel.name}"


def response(result: Result, receiver: str | int, source: str | int, ax: Axes | None) -> Axes:
    ax = _axes(ax)
    data, name = _first(result, receiver, source)
    ax.plot(1000 * result.times, data, linewidth=0.8, label=name)
    ax.set(xlabel="time (ms)", ylabel="response (1/m)", title=name)
    return ax


def decay(
    result: Result, receiver: str | int, source: str | int, bands: Sequence[float] | None, ax: Axes | None
) -> Axes:
    ax = _axes(ax)
    for band in bands if bands is not None else [None]:
        times, level = result.decay(receiver, source, band)
        ax.plot(times, level, label="all frequencies" if band is None else f"{band:g} Hz")
    ax.set(xlabel="time (s)", ylabel="decay (dB)", ylim=(-80, 3), title=_first(result, receiver, source)[1])
    ax.legend()
    return ax


def spectrum(result: Result, receiver: str | int, source: str | int, ax: Axes | None) -> Axes:
    ax = _axes(ax)
    data, name = _first(result, receiver, source)
    frequencies = np.fft.rfftfreq(len(data), 1.0 / result.sample_rate)
    valid = (frequencies >= 10.0) & (frequencies <= result.valid_to)
    with np.errstate(divide="ignore"):
        level = 20 * np.log10(np.abs(np.fft.rfft(data)))
    ax.semilogx(frequencies[valid], level[valid], linewidth=0.8)
    ax.set(xlabel="frequency (Hz)", ylabel="level re free field at 1 m (dB)", title=name)
    return ax


def spectrogram(result: Result, receiver: str | int, source: str | int, window: float, ax: Axes | None) -> Axes:
    data, name = _first(result, receiver, source)
    length = max(int(round(window * result.sample_rate)), 2) if window > 0.0 else 0
    if not 2 <= length <= len(data):
        limits = f"{2 / result.sample_rate:.2g} to {len(data) / result.sample_rate:.2g} s"
        raise FdtdError(f"window: {window:g} s does not fit the response", f"give {limits}")
    ax = _axes(ax)
    power, frequencies, times = _lazy.load("matplotlib.mlab", "plots").specgram(
        data, NFFT=length, Fs=result.sample_rate, noverlap=length // 2
    )
    shown = (frequencies > 0.0) & (frequencies <= result.valid_to)
    level = 10.0 * np.log10(np.maximum(power[shown], 1e-300) / max(float(power[shown].max()), 1e-300))
    drawn = ax.pcolormesh(times, frequencies[shown], level, shading="nearest", cmap="magma", vmin=-60.0, vmax=0.0)
    ax.figure.colorbar(drawn, ax=ax, label="level (dB re maximum)")
    ax.set(xlabel="time (s)", ylabel="frequency (Hz)", yscale="log", title=name)
    ax.set_ylim(frequencies[shown][0], frequencies[shown][-1])
    return ax


def reverberation(
    result: Result, receiver: str | int | None, source: str | int | None, figures: Sequence[str], ax: Axes | None
) -> Axes:
    names = [
        {place.owner for place in result._store.sources} if source is None else {result._source(source).owner},
        {one.shown for one in (result._store.receivers if receiver is None else result._channels(receiver))},
    ]
    rows = [row for row in result._store.figures() if row["band"] > 0.0]
    rows = [row for row in rows if row["source"] in names[0] and row["receiver"] in names[1]]
    for name in figures:
        if UNITS.get(name) != "s" or (rows and name not in rows[0]):
            raise FdtdError(f"there is no time {name!r}", "figures: EDT, T20, T30, Ts")
    octaves = sorted({row["band"] for row in rows})
    ax = _axes(ax)
    for name in figures:
        found = [[row[name] for row in rows if row["band"] == one and _is_number(row[name])] for one in octaves]
        means = [float(np.mean(values)) if values else np.nan for values in found]
        ax.plot(octaves, means, marker="o", label=name)
    pairs = " to ".join("all" if len(of) > 1 else next(iter(of)) for of in names)
    ax.set(xscale="log", xlabel="octave (Hz)", ylabel="time (s)", ylim=(0, None), title=pairs)
    ax.set_xticks(octaves, [f"{octave:g}" for octave in octaves])
    ax.minorticks_off()
    ax.legend()
    return ax


def _is_number(value: Any) -> bool:
    return value is not None and bool(np.isfinite(value))


def edges(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> NDArray[np.float64]:
    """Lines, (n, 2, 3), where faces of a mesh end or meet at an angle of 1 degree or more."""
    _, first, same = np.unique(vertices.round(6), axis=0, return_index=True, return_inverse=True)
    points, faces = vertices[first], same.reshape(-1)[faces]
    normals = np.cross(points[faces[:, 1]] - points[faces[:, 0]], points[faces[:, 2]] - points[faces[:, 0]])
    lengths = np.linalg.norm(normals, axis=1)
    faces, normals = faces[lengths > 0.0], normals[lengths > 0.0] / lengths[lengths > 0.0, None]
    sides = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    owners = np.tile(np.arange(len(faces)), 3)
    lines, of_side = np.unique(sides, axis=0, return_inverse=True)
    order = np.argsort(of_side.reshape(-1), kind="stable")
    count = np.bincount(of_side.reshape(-1), minlength=len(lines))
    start = np.concatenate([[0], np.cumsum(count)[:-1]])
    pair = owners[order[start]], owners[order[start + np.minimum(count, 2) - 1]]
    level = np.abs(np.sum(normals[pair[0]] * normals[pair[1]], axis=1)) > np.cos(np.radians(1.0))
    return np.asarray(points[lines[(count != 2) | ~level]])


def room(result: Result, ax: Axes | None) -> Axes:
    if ax is None:
        figure = _lazy.load("matplotlib.pyplot", "plots").figure(layout="constrained")
        ax = figure.add_subplot(projection="3d")
    space = hasattr(ax, "zaxis")
    axes = 3 if space else 2
    vertices, faces, _, _ = result.surface
    for line in edges(vertices, faces):
        ax.plot(*line[:, :axes].T, color="grey", linewidth=0.6)
    for label, places, colour in (
        ("source", result.source_positions, "tab:red"),
        ("receiver", result.receiver_positions, "tab:blue"),
    ):
        ax.scatter(*places[:, :axes].T, color=colour, label=label)
    ax.set(xlabel="x (m)", ylabel="y (m)")
    ax.set_aspect("equal")
    if space:
        ax.set(zlabel="z (m)")
    ax.legend()
    return ax


def differences(found: Match, figures: Sequence[str], ax: Axes | None) -> Axes:
    ax = _axes(ax)
    octaves = found.document["means"]
    for name in figures:
        sizes = {o["centre"]: one["jnd"] for o in octaves for one in o["figures"] if one["figure"] == name}
        if not sizes:
            raise FdtdError(f"there is no figure {name!r}", "figures: EDT, T20, T30, C50, C80, D50, Ts, G")
        known = {centre: size for centre, size in sizes.items() if size is not None}
        if known:
            ax.plot(list(known), list(known.values()), marker="o", label=name)
    centres = [octave["centre"] for octave in octaves]
    ax.axhline(1.0, color="grey", linewidth=0.8, linestyle="--")
    ax.set(xscale="log", xlabel="octave (Hz)", ylabel="mean |run - measured| (JND)", ylim=(0, None))
    ax.set_xticks(centres, [f"{centre:g}" for centre in centres])
    ax.minorticks_off()
    ax.legend()
    return ax


def map_of(
    result: Result, figure: str, band: float | None, source: str | int, receivers: str | None, ax: Axes | None
) -> Axes:
    data = result.map(figure, band, source, receivers)
    if data.ndim != 2:
        raise FdtdError("plot_map: the receivers do not stand on a plane", "use result.map()")
    ax = _axes(ax)
    unit = "" if data.attrs["units"] == "1" else f" ({data.attrs['units']})"
    _image(ax, data, f"{figure}{unit}, {data.attrs['band']}", "viridis", None)
    _mark(ax, result, source, data.dims)
    return ax


def slice_of(result: Result, time: float, name: str | None, source: str | int, ax: Axes | None) -> Axes:
    frame = result.snapshot(name, source).sel(time=time, method="nearest")
    if frame.ndim != 2:
        raise FdtdError("plot_slice: the snapshot is a volume", "take a plane of result.snapshot()")
    ax = _axes(ax)
    limit = float(np.nanquantile(np.abs(frame.values), 0.99)) or 1.0
    _image(ax, frame, "pressure (1: peak at 1 m in free field)", "RdBu_r", limit)
    ax.set_title(f"{1000 * float(frame['time']):.1f} ms")
    _mark(ax, result, source, frame.dims)
    return ax


def movie_of(
    result: Result, path: Path, name: str | None, source: str | int, fps: float, limit: float | None, force: bool
) -> Path:
    writers = _lazy.load("matplotlib.animation", "plots")
    pyplot = _lazy.load("matplotlib.pyplot", "plots")
    if path.suffix not in (".gif", ".mp4"):
        raise FdtdError(f"movie: {path.name} is neither .gif nor .mp4", "name the file so")
    if path.suffix == ".mp4" and not writers.FFMpegWriter.isAvailable():
        raise FdtdError("movie: MP4 needs ffmpeg on the PATH", "install ffmpeg (apt install ffmpeg), or write a .gif")
    if path.exists() and not force:
        raise FileError(f"{path}: exists already and is kept", "use force=True to replace it, or another name")
    frames = result.snapshot(name, source)
    if frames.ndim != 3:
        raise FdtdError("movie: the snapshot is a volume", "name one of a plane, or use `fdtd movie --plane z`")
    largest = limit or float(np.nanquantile(np.abs(frames.values), 0.99)) or 1.0
    figure, ax = pyplot.subplots(layout="constrained")
    part = path.with_name(f".{path.stem}-{os.getpid()}{path.suffix}")
    try:
        _image(ax, frames[0], "pressure (1: peak at 1 m in free field)", "RdBu_r", largest)
        ax.set_facecolor("0.5")  # walls
        _outline(ax, frames[0])
        _mark(ax, result, source, frames.dims[1:])
        writer = (writers.FFMpegWriter if path.suffix == ".mp4" else writers.PillowWriter)(fps=fps)
        with writer.saving(figure, str(part), 100):
            for frame in frames:
                ax.collections[0].set_array(frame.values)
                ax.set_title(f"{1000 * float(frame['time']):.1f} ms")
                writer.grab_frame()
        part.replace(path)
    finally:
        pyplot.close(figure)
        part.unlink(missing_ok=True)
    return path


def _mark(ax: Axes, result: Result, source: str | int, dims: Any) -> None:
    """The place of the source over the axes of a map."""
    place = result._source(source)
    vertical, horizontal = dims
    x, y = place.position["xyz".index(horizontal)], place.position["xyz".index(vertical)]
    ax.plot([x], [y], "*", color="gold", markeredgecolor="black", markersize=10, label=place.owner)


def _outline(ax: Axes, frame: Any) -> None:
    """A line around the walls of a map, which have no values."""
    walls = np.isnan(frame.values)
    vertical, horizontal = frame.dims
    if walls.any() and not walls.all():
        ax.contour(frame[horizontal].values, frame[vertical].values, walls, levels=[0.5], colors="black", linewidths=0.8)


def _image(ax: Axes, data: Any, label: str, colours: str, limit: float | None) -> Axes:
    vertical, horizontal = data.dims
    drawn = ax.pcolormesh(
        data[horizontal].values,
        data[vertical].values,
        data.values,
        shading="nearest",
        cmap=colours,
        vmin=None if limit is None else -limit,
        vmax=limit,
    )
    ax.figure.colorbar(drawn, ax=ax, label=label)
    ax.set(xlabel=f"{horizontal} (m)", ylabel=f"{vertical} (m)", aspect="equal")
    return ax


def sensitivity(found: SensitivityMap) -> Any:
    """Faces of a map as rectangles: a column an axis, a row for each half of the room."""
    pyplot = _lazy.load("matplotlib.pyplot", "plots")
    collections = _lazy.load("matplotlib.collections", "plots")
    if len(found.value) == 0:
        raise misplaced("map", "no wall absorbs, so that there is nothing to draw")
    largest = float(np.abs(found.value).max()) or 1.0
    colours = {"cmap": "RdBu_r", "norm": pyplot.Normalize(-largest, largest)}
    low, high = found.position.min(axis=0), found.position.max(axis=0)
    cell, middle = _cell(found.position), 0.5 * (low + high)
    figure, panels = pyplot.subplots(2, 3, figsize=(10, 6.5), layout="constrained")
    for axis, column in enumerate(panels.T):
        across, up = [other for other in range(3) if other != axis]
        name = "xyz"[axis]
        for upper, ax in enumerate(column):
            at = np.flatnonzero((found.axis == axis) & ((found.position[:, axis] > middle[axis]) == bool(upper)))
            # Where faces lie behind each other, those next to the middle are seen.
            at = at[np.argsort(-np.abs(found.position[at, axis] - middle[axis]), kind="stable")]
            corners = found.position[at][:, None, [across, up]] + cell[[across, up]] * _CORNERS
            faces = collections.PolyCollection(corners, array=found.value[at], linewidth=0.2, edgecolor="0.75", **colours)
            ax.add_collection(faces)
            ax.set(
                title=f"faces across {name}, {name} {'>' if upper else '<'} {middle[axis]:.3g} m",
                xlabel=f"{'xyz'[across]} (m)",
                ylabel=f"{'xyz'[up]} (m)",
                xlim=(low[across] - cell[across], high[across] + cell[across]),
                ylim=(low[up] - cell[up], high[up] + cell[up]),
                aspect="equal",
                facecolor="0.85",
            )
    figure.colorbar(faces, ax=panels, label="derivative by admittance (1/m²)", shrink=0.8)
    return figure


_CORNERS = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])


def _cell(position: NDArray[np.float64]) -> NDArray[np.float64]:
    """The distance of centres of voxels along each axis."""
    found = []
    for along in position.T:
        steps = np.diff(np.sort(along))
        steps = steps[steps > 1e-4]  # of rounding are others
        found.append(float(steps.min()) if len(steps) else 0.1)
    return np.array(found)
