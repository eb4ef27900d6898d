"""Tables and a sketch for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _toml


def cell(value: Any) -> str:
    """A value as text of a table."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        shown = ", ".join(cell(item) for item in value[:8])
        return shown + (", ..." if len(value) > 8 else "")
    return str(value)


def table(rows: Iterable[Mapping[str, Any]], limit: int = 60) -> str:
    """Dictionaries as an HTML table, one row each."""
    rows = list(rows)
    if not rows:
        return "<p>empty</p>"
    heads = list(rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell(row.get(head, '')))}</td>" for head in heads) + "</tr>"
        for row in rows[:limit]
    )
    more = f"<p>{len(rows) - limit} more</p>" if len(rows) > limit else ""
    head = "".join(f"<th>{html.escape(head)}</th>" for head in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def facts(title: str, pairs: Mapping[str, Any]) -> str:
    """Names and values as a table of two columns."""
    body = "".join(
        f"<tr><th style='text-align:left'>{html.escape(name)}</th><td>{html.escape(cell(value))}</td></tr>"
        for name, value in pairs.items()
    )
    return f"<table><caption>{html.escape(title)}</caption><tbody>{body}</tbody></table>"


Line = Sequence[Sequence[float]]


def sketch(
    outlines: Iterable[Line], sources: Sequence[Sequence[float]], receivers: Sequence[Sequence[float]]
) -> str:
    """The room from above as SVG: lines in m, sources as red dots, receivers as blue ones."""
    lines = [list(line) for line in outlines]
    points = [point for line in lines for point in line] + list(sources) + list(receivers)
    if not points:
        return ""
    left, right = min(p[0] for p in points), max(p[0] for p in points)
    low, high = min(p[1] for p in points), max(p[1] for p in points)
    scale = 320.0 / max(right - left, high - low, 1e-9)

    def at(point: Sequence[float]) -> tuple[float, float]:
        return 10 + (point[0] - left) * scale, 10 + (high - point[1]) * scale

    parts = []
    for line in lines:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(at, line))
        parts.append(f'<polyline points="{path}" fill="none" stroke="#888" stroke-width="1"/>')
    for places, colour in ((receivers, "#1f77b4"), (sources, "#d62728")):
        for x, y in map(at, places):
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
    width, height = (right - left) * scale + 20, (high - low) * scale + 20
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" role="img" '
        f'aria-label="the room from above">{"".join(parts)}</svg>'
    )


def scene(document: Mapping[str, Any], outline: Iterable[Line]) -> str:
    """A scene as its most important keys, and a sketch."""
    room, simulation = document["room"], document["simulation"]
    receivers = [place for table in document["receiver"] for place in _places(table)]
    about = {"room": room.get("box", room.get("mesh")), "walls": _toml.value_text(room.get("walls", {}))}
    drawn = sketch(outline, [table["position"] for table in document["source"]], receivers)
    return facts("Scene", about | simulation | {"sources": names(document["source"])}) + drawn


def names(tables: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(str(table.get("name")) for table in tables[:6]) + (", ..." if len(tables) > 6 else "")


def _places(table: Mapping[str, Any]) -> list[list[float]]:
    """Positions that a table of receivers names, to draw: at most 2000, and of an arc its first."""
    if "grid" in table:
        grid = table["grid"]
        ends = zip(grid["from"], grid["to"], grid["count"], strict=True)
        axes = [np.linspace(low, high, min(int(count), 2000)) for low, high, count in ends]
        from_above = np.stack(np.meshgrid(*axes[:2]), axis=-1).reshape(-1, 2)[:2000]
        return [[float(x) for x in place] for place in from_above]
    if "line" in table:
        line = table["line"]
        places = np.linspace(line["from"], line["to"], min(int(line["count"]), 2000))
        return [[float(x) for x in place] for place in places]
    if "path" in table:
        return []  # its file is not at hand
    return [table["arc"]["from"] if "arc" in table else table["position"]]
