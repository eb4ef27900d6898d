"""Charts of a result as options of ECharts: plain dictionaries, with at most some thousand numbers each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _signal
from ..errors import FdtdError
from ..result import Result

Options = dict[str, Any]
MOST_POINTS = 800  # of a line
MOST_LINES = 12
FIGURES = ("T20", "T30", "EDT", "C50", "C80", "D50", "Ts", "G")
UNITS = {"T20": "s", "T30": "s", "EDT": "s", "C50": "dB", "C80": "dB", "D50": "", "Ts": "s", "G": "dB"}
NOMINAL = (31.5, 63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0, 16000.0)
THIRDS = (20.0, 25.0, 31.5, 40.0, 50.0, 63.0, 80.0, 100.0, 125.0, 160.0, 200.0, 250.0, 315.0)
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a7f00", "#444444")
LINES_AT_NIGHT = ("#56b4e9", "#e69f00", "#33c49b", "#e08fbf", "#f0e442", "#9ad3f2", "#d9903d", "#c8ccd2")


def figure_chart(result: Result, figure: str, source: str) -> Options:
    """A figure of ISO 3382-1 by octave: a line for each receiver."""
    rows = [row for row in figures(result) if row["source"] == source and row["band"] > 0.0]
    bands = sorted({row["band"] for row in rows})
    receivers = list(dict.fromkeys(row["receiver"] for row in rows))[:MOST_LINES]
    series = []
    for receiver in receivers:
        found = {row["band"]: row.get(figure) for row in rows if row["receiver"] == receiver}
        series.append(_line(receiver, [_rounded(found.get(band)) for band in bands], symbol="circle"))
    unit = UNITS.get(figure, "")
    return _chart(
        f"{figure} by octave, source {source}",
        {"type": "category", "name": "Octave / Hz", "data": [f"{band:g}" for band in bands]},
        {"type": "value", "name": f"{figure} / {unit}" if unit else figure, "min": 0 if figure in ("T20", "T30", "EDT") else None},
        series,
    )


def figure_table(result: Result, figure: str, source: str) -> list[dict[str, str]]:
    """The same as rows of a table: a row for each receiver, a column for each octave."""
    rows: dict[str, dict[str, str]] = {}
    for row in figures(result):
        if row["source"] == source and row["band"] > 0.0:
            value = _rounded(row.get(figure))
            entry = rows.setdefault(row["receiver"], {"receiver": row["receiver"]})
            entry[f"{row['band']:g}"] = "–" if value is None else _digits(value, UNITS.get(figure, ""))
    return list(rows.values())


def _digits(value: float, unit: str) -> str:
    """Three digits, zeros at the end as well, of levels tenths: "1.30", "0.826", "-0.1"."""
    words = f"{value:.1f}" if unit == "dB" else f"{value:#.3g}".rstrip(".")
    return words.removeprefix("-") if float(words) == 0.0 else words


def decay_chart(result: Result, receiver: str, source: str) -> Options:
    """Decays by backward integration, of each octave that the figures have, until the last has fallen by 60 dB."""
    bands = sorted({row["band"] for row in figures(result) if row["band"] > 0.0})
    response = _single(result, receiver, source)
    levels = {band: _signal.backward_level(_signal.octave(response, result.sample_rate, band)) for band in bands[:MOST_LINES]}
    whole = float(result.times[-1])
    heard = max((float(result.times[level >= -60.0].max(initial=0.0)) for level in levels.values()), default=whole)
    tick = _step(heard or whole)
    end = min(_multiple(tick, math.ceil(heard / tick)), round(whole, 2)) or round(whole, 2)
    shown = result.times <= end
    series = [_line(f"{band:g} Hz", _pairs(result.times[shown], np.maximum(level, -80.0)[shown], 1)) for band, level in levels.items()]
    across = _value("Time / s", 0.0, end)
    return _chart(f"Decays, {source} to {receiver}", across, _value("Level / dB", -60, 0), series)


def spectrum_chart(result: Result, receiver: str, source: str) -> Options:
    """The level of a response over frequency, up to where it is valid."""
    response = _single(result, receiver, source)
    power = np.abs(np.fft.rfft(response)) ** 2
    frequency = np.fft.rfftfreq(len(response), 1.0 / result.sample_rate)
    kept = (frequency >= 15.0) & (frequency <= result.valid_to)
    level = 10.0 * np.log10(np.maximum(power[kept], 1e-12))
    ticks = [band for band in NOMINAL if 20.0 <= band <= result.valid_to]
    axis = _value("Frequency / Hz", 20, round(result.valid_to)) | {
        "type": "log", "axisLabel": {"customValues": ticks}, "axisTick": {"customValues": ticks}, "splitLine": {"show": False},
    }  # fmt: skip
    return _chart(f"Spectrum, {source} to {receiver}", axis, _value("Level / dB re free field at 1 m"), [_line(receiver, _peaks(np.asarray(frequency[kept], dtype=np.float64), level))])


def waterfall(result: Result, receiver: str, source: str, top: float = 0.0) -> Options:
    """Level over frequency and time: the spectrum of what is left of the response after each time.

    Each slice begins with a rise of 20 ms (half of a Hann window), as cumulative spectral decays do (J. M. Berman and
    L. R. Fincham, The application of digital techniques to the measurement of loudspeakers, J. Audio Eng. Soc. 25, 1977).
    """
    response = _single(result, receiver, source)
    rate, upper = result.sample_rate, min(top or 300.0, result.valid_to)
    step = max(1, int(rate / (4.0 * upper)))  # four samples a period at the top
    low = _below(response, rate, upper)[::step]
    rate /= step
    duration = min(len(low) / rate, 1.5)
    rise = max(2, int(0.02 * rate))
    ramp = 0.5 - 0.5 * np.cos(np.pi * np.arange(rise) / rise)
    mark = _step(0.8 * duration)
    times = 0.2 * mark * np.arange(int(4.0 * duration / mark) + 1)
    tenths = np.arange(130, int(100.0 * math.log10(upper)) + 1)  # of a third of an octave, from 20 Hz on
    frequency = 10.0 ** (tenths / 100.0)
    cells, best = [], -math.inf
    levels = []
    for time in times:
        rest = low[int(time * rate) :].copy()
        rest[: len(ramp)] *= ramp[: len(rest)]
        spectrum = np.abs(np.fft.rfft(rest, 2 * len(low)))
        level = 20.0 * np.log10(np.maximum(np.interp(frequency, np.fft.rfftfreq(2 * len(low), 1.0 / rate), spectrum), 1e-9))
        levels.append(level)
        best = max(best, float(level.max()))
    for row, level in enumerate(levels):
        cells += [[column, row, round(max(-50.0, float(one) - best), 1)] for column, one in enumerate(level)]
    names = [f"{THIRDS[(int(tenth) - 130) // 10]:g}" if tenth % 10 == 0 else f"{10 ** (tenth / 100):.3g}" for tenth in tenths]
    options = _chart(
        f"Waterfall, {source} to {receiver}",
        {"type": "category", "name": "Frequency / Hz", "data": names, **_every(10)},
        {"type": "category", "name": "Time / s", "data": [f"{one:.3g}" for one in times], **_every(5)},
        [{"type": "heatmap", "data": cells}],
    )
    return options | {"visualMap": _colours(-50, 0, "dB"), "legend": {"show": False}}


def map_chart(result: Result, figure: str, band: float, source: str) -> Options:
    """A figure over the plan: a coloured spot at each receiver."""
    rows = [row for row in figures(result) if row["source"] == source and row["band"] == band]
    values = {row["receiver"]: _rounded(row.get(figure)) for row in rows}
    spots: list[Options] = []
    for name, place in result.places_of_figures().items():
        value = values.get(name)
        if value is not None:
            spots.append({"value": [round(float(place[0]), 3), round(float(place[1]), 3), value], "name": name})
    shown = [float(spot["value"][2]) for spot in spots]
    if not shown:
        raise FdtdError(f"no receiver has {figure} at {band:g} Hz", "the responses may be too short for it")
    width, height = ([spot["value"][axis] for spot in spots] for axis in (0, 1))
    at = result.source_positions[result.sources.index(source)]
    loud = {"value": [float(at[0]), float(at[1])], "name": source, "symbol": "diamond", "itemStyle": {"color": "#d55e00", "borderColor": "#fff", "borderWidth": 1.5}}
    size = max(8, min(28, int(220 / math.sqrt(len(spots)))))
    across, up = _around([*width, float(at[0])], [*height, float(at[1])])
    options = _chart(
        f"{figure} at {band:g} Hz, source {source}" if band else f"{figure}, all frequencies, source {source}",
        _value("x / m", *across),
        _value("y / m", *up),
        [
            {"type": "scatter", "name": figure, "data": spots, "symbolSize": size, "symbol": "rect"},
            {"type": "scatter", "name": "source", "data": [loud], "symbolSize": 14},
        ],
    )
    options["grid"] = {"left": "10%", "right": "6%", "top": "18%", "bottom": "14%"}
    span = _colours(min(shown), max(shown), UNITS.get(figure, "")) | {"dimension": 2, "seriesIndex": 0}
    return options | {"visualMap": span, "legend": {"show": False}}


def aspect_of(options: Mapping[str, Any]) -> float:
    """Width over height at which a metre of a map is as long along x as along y."""
    span = [float(options[axis]["max"]) - float(options[axis]["min"]) for axis in ("xAxis", "yAxis")]
    inside = [1.0 - sum(float(options["grid"][side].rstrip("%")) for side in sides) / 100 for sides in (("left", "right"), ("top", "bottom"))]
    return span[0] / span[1] * inside[1] / inside[0]


def bands_of(result: Result) -> list[float]:
    """Octaves (Hz) that the figures have, 0 for all frequencies together."""
    return sorted({row["band"] for row in figures(result)})


def figures(result: Result) -> list[dict[str, Any]]:
    """Figures by source, receiver and band; NaN becomes None."""
    return [dict(row) for row in result._store.figures()]


def with_limits(one: Options, other: Options) -> None:
    """Give two charts the same limits of times, frequencies, values and colours, so that they can be compared side by side."""
    scales = [chart["visualMap"] for chart in (one, other) if "visualMap" in chart]
    if len(scales) == 2:
        limits: Options = {"min": min(scale["min"] for scale in scales), "max": max(scale["max"] for scale in scales)}
        for scale in scales:
            scale.update(limits)
    if all(chart["xAxis"]["type"] == "category" and chart["series"] and chart["series"][0]["type"] == "line" for chart in (one, other)):
        octaves = sorted({*one["xAxis"]["data"], *other["xAxis"]["data"]}, key=float)
        for chart in (one, other):
            for line in chart["series"]:
                known = dict(zip(chart["xAxis"]["data"], line["data"]))
                line["data"] = [known.get(octave) for octave in octaves]
            chart["xAxis"]["data"] = octaves
    for axis in ("xAxis", "yAxis"):
        ends = [chart[axis] for chart in (one, other)]
        if all(end.get("type") in ("value", "log") and end.get("max") is not None and end.get("min") is not None for end in ends):
            widest = max(ends, key=lambda end: float(end["max"]))
            shared = {key: widest[key] for key in ("max", "axisLabel", "axisTick") if key in widest} | {"min": min(end["min"] for end in ends)}
            for end in ends:
                end.update(shared)
        if one[axis].get("type") == "value" and other[axis].get("type") == "value":
            index = 0 if axis == "xAxis" else 1
            found = [x for chart in (one, other) for x in _numbers(chart["series"], index)]
            if found and one[axis].get("max") is None:
                free = one[axis].get("min") is None
                step = _step(max(found) - (min(found) if free else 0.0))
                limits = {"interval": step, "max": _multiple(step, math.ceil(max(found) / step - 1e-9))}
                if free:
                    limits["min"] = _multiple(step, math.floor(min(found) / step + 1e-9))
                one[axis].update(limits)
                other[axis].update(limits)


def _step(span: float) -> float:
    """1, 2 or 5 times a power of ten, of which an axis of this span has four to ten."""
    power = 10.0 ** math.floor(math.log10(max(span, 1e-9) / 10.0))
    return next(power * of for of in (1.0, 2.0, 5.0, 10.0) if 10.0 * power * of >= span)


def _multiple(step: float, count: int) -> float:
    return float(f"{step * count:.6g}")


def _numbers(series: Sequence[Mapping[str, Any]], index: int) -> list[float]:
    found = []
    for one in series:
        for point in one["data"]:
            value = point["value"] if isinstance(point, dict) else point
            value = value[index] if isinstance(value, list) else value if index == 1 else None
            if isinstance(value, (int, float)):
                found.append(float(value))
    return found


def _chart(title: str, across: Options, up: Options, series: list[Options]) -> Options:
    lines = series and series[0]["type"] == "line"
    return {
        "title": {"text": title, "left": 0, "top": 8, "padding": 0, "textStyle": {"fontSize": 14, "fontWeight": 600}},
        "backgroundColor": "transparent",
        "textStyle": {"fontFamily": "Roboto, sans-serif"},
        "aria": {"enabled": True, "label": {"description": title}},
        "animation": False,
        "grid": {"left": 50, "right": 16, "top": 76, "bottom": 44},
        "legend": {"top": 28, "left": 0, "type": "scroll", "show": len(series) > 1, "itemWidth": 18},
        "tooltip": {"trigger": "axis" if lines else "item"},
        "xAxis": {"nameLocation": "middle", "nameGap": 26, "axisLine": {"onZero": False}} | across,
        "yAxis": {"nameTextStyle": {"align": "left", "padding": [0, 0, 0, -44]}, "nameGap": 12} | up,
        "series": series,
    }


def _value(name: str, low: float | None = None, high: float | None = None) -> Options:
    return {"type": "value", "name": name, "min": low, "max": high}


def theme(dark: bool) -> Options:
    """Colours of lines, words and axes on a light or a dark page; those of maps are part of their charts."""
    if not dark:
        return {"color": list(LINES)}
    words, rule = {"color": "#c3cad4"}, {"lineStyle": {"color": "#39414d"}}
    axis = {"axisLabel": words, "nameTextStyle": words, "splitLine": rule, "axisLine": {"lineStyle": {"color": "#8b95a3"}}, "axisTick": {"lineStyle": {"color": "#8b95a3"}}}
    page = {"pageTextStyle": words, "pageIconColor": "#c3cad4", "pageIconInactiveColor": "#5a6472"}
    return {
        "color": list(LINES_AT_NIGHT), "textStyle": words, "title": {"textStyle": {"color": "#e8ecf1"}},
        "legend": {"textStyle": words, **page}, "visualMap": {"textStyle": words},
        "categoryAxis": axis, "valueAxis": axis, "logAxis": axis,
        "tooltip": {"backgroundColor": "#1e242d", "borderColor": "#39414d", "textStyle": {"color": "#e8ecf1"}},
    }  # fmt: skip


def _around(x: list[float], y: list[float]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Whole metres around places along x and y, of a plan that is at most 1.6 times as wide as high, or 1.6 times as high."""
    found = []
    spans = [math.ceil(max(one) + 0.5) - math.floor(min(one) - 0.5) for one in (x, y)]
    for places, least in ((x, spans[1] / 1.6), (y, spans[0] / 1.6)):
        low, high = math.floor(min(places) - 0.5), math.ceil(max(places) + 0.5)
        more = max(0, math.ceil(least) - (high - low))
        found.append((low - more // 2, high + more - more // 2))
    return found[0], found[1]


def _every(entries: int) -> Options:
    """Labels and ticks of every so many entries of a category axis."""
    return {"axisLabel": {"interval": entries - 1, "hideOverlap": True}, "axisTick": {"interval": entries - 1}}


def _line(name: str, data: list[Any], symbol: str = "none") -> Options:
    return {"type": "line", "name": name, "data": data, "symbol": symbol, "symbolSize": 7, "lineStyle": {"width": 1.6}}


def _colours(low: float, high: float, unit: str) -> Options:
    """Viridis, whose lightness grows evenly."""
    shades = ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725"]
    if high <= low:
        low, high = low - 0.5, high + 0.5
    return {
        "min": round(low, 3), "max": round(high, 3), "calculable": True, "orient": "horizontal", "right": 8, "top": 22,
        "itemHeight": 110, "itemWidth": 12, "text": [unit, ""], "inRange": {"color": shades},
    }  # fmt: skip


def _single(result: Result, receiver: str, source: str) -> NDArray[np.float64]:
    """The response of a receiver; of an ambisonic one its omnidirectional channel."""
    response = result.response(receiver, source)
    return response if response.ndim == 1 else response[0]


def _below(response: NDArray[np.float64], rate: float, upper: float) -> NDArray[np.float64]:
    """The response without what lies above `upper` Hz, by a raised cosine of its spectrum to twice that."""
    frequency = np.fft.rfftfreq(2 * len(response), 1.0 / rate)
    gain = 0.5 + 0.5 * np.cos(np.pi * np.clip(frequency / upper - 1.0, 0.0, 1.0))
    return np.asarray(np.fft.irfft(np.fft.rfft(response, 2 * len(response)) * gain)[: len(response)])


def _pairs(x: NDArray[np.float64], y: NDArray[np.float64], digits: int) -> list[list[float]]:
    step = max(1, len(x) // MOST_POINTS)
    return [[round(float(a), 4), round(float(b), digits)] for a, b in zip(x[::step], y[::step])]


def _peaks(x: NDArray[np.float64], y: NDArray[np.float64]) -> list[list[float]]:
    """A line through at most MOST_POINTS cells even in log x, of each its highest value: narrow peaks stay."""
    if len(x) <= MOST_POINTS:
        return _pairs(x, y, 1)
    cell = (MOST_POINTS * np.log(x / x[0]) / np.log(x[-1] / x[0])).astype(int)
    first = np.flatnonzero(np.diff(cell, prepend=-1))
    return [[round(float(a), 2), round(float(b), 1)] for a, b in zip(x[first], np.maximum.reduceat(y, first))]


def _rounded(value: Any) -> float | None:
    if value is None or not math.isfinite(float(value)):
        return None
    return float(f"{float(value):.4g}")
