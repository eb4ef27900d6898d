"""Plots of results with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _lazy
from .errors import FdtdError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    return _image(ax, data, f"{figure}{unit}, {data.attrs['band']}", "viridis", None)


def slice_of(result: Result, time: float, name: str | None, source: str | int, ax: Axes | None) -> Axes:
    frame = result.snapshot(name, source).sel(time=time, method="nearest")
    if frame.ndim != 2:
        raise FdtdError("plot_slice: the snapshot is a volume", "take a plane of result.snapshot()")
    ax = _axes(ax)
    limit = float(np.nanquantile(np.abs(frame.values), 0.99)) or 1.0
    _image(ax, frame, "pressure", "RdBu_r", limit)
    ax.set_title(f"{1000 * float(frame['time']):.1f} ms")
    return ax


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
