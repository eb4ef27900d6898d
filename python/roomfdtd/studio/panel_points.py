"""Sources and receivers: names, positions, patterns."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import ui

from . import drawing, edits, fields
from .session import Session
from .words import guarded

PATTERNS = ("omni", "subcardioid", "cardioid", "supercardioid", "hypercardioid", "figure-eight")


class PointsPanel:
    """A row for each source and each receiver."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._built: Any = None
        self._fields: dict[tuple[str, str], list[ui.number]] = {}
        self._box = ui.column().classes("w-full gap-1")

    def sync(self) -> None:
        """Show the positions of the scene; rows are built again only where names or patterns are others."""
        built = [[(one["name"], one.get("pattern"), "position" in one) for one in self._session.points(kind)] for kind in edits.KINDS]
        if built != self._built:
            self._built = built
            self._build()
        for kind in edits.KINDS:
            for one in self._session.points(kind):
                for field, value in zip(self._fields.get((kind, one["name"]), []), one.get("position", [])):
                    fields.show(field, value)

    def _build(self) -> None:
        self._box.clear()
        self._fields = {}
        with self._box:
            for kind in edits.KINDS:
                ui.label("Sources" if kind == "source" else "Receivers").classes("font-medium mt-1")
                for one in self._session.points(kind):
                    self._row(kind, one)
                ui.button(f"Add a {kind}", icon="add", on_click=lambda _, kind=kind: self._add(kind)).props("flat dense no-caps")

    def _row(self, kind: str, one: dict[str, Any]) -> None:
        name = str(one["name"])
        with ui.row().classes("items-center gap-1 w-full studio-row"):
            fields.text("Name", name, lambda new: self._rename(kind, name, new), "w-[7.5rem] grow", f"Name of {kind} {name}")
            if "position" in one:
                self._fields[kind, name] = [
                    fields.number(f"{axis} / m", one["position"][d], partial(self._move, kind, name, d), 0.1, "w-[4.4rem]", f"{name}, {axis} in m")
                    for d, axis in enumerate("xyz")
                ]
            else:
                ui.label("many places: edit them in the text").classes("text-xs text-gray-600")
            if one.get("pattern", "omni") in PATTERNS and "directivity" not in one:
                fields.choice("Pattern", list(PATTERNS), one.get("pattern", "omni"), partial(self._pattern, kind, name), "w-[6.6rem]", aria=f"Pattern of {name}")
            else:
                ui.label(f"{one.get('pattern', 'omni')}{', measured' if 'directivity' in one else ''}").classes("text-xs text-gray-600 w-[6.6rem] break-words")
            remove = ui.button(icon="delete", on_click=lambda: self._remove(kind, name)).props("flat dense round size=sm")
            fields.labelled(remove, f"Remove {name}")

    def _move(self, kind: str, name: str, axis: int, value: float) -> None:
        place = next((list(one["position"]) for one in self._session.points(kind) if one["name"] == name), None)
        if place is None or place[axis] == value:
            return
        place[axis] = value
        with guarded():
            self._session.edit(f"move {name}", lambda doc: edits.move(doc, kind, name, place))

    def _rename(self, kind: str, name: str, new: str) -> None:
        if new != name:
            with guarded():
                self._session.edit(f"rename {name}", lambda doc: edits.rename_point(doc, kind, name, new))

    def _pattern(self, kind: str, name: str, pattern: str) -> None:
        point = next((one for one in self._session.points(kind) if one["name"] == name), {})
        if point.get("pattern", "omni") == pattern:
            return

        def change(doc: Any) -> None:
            edits.set_point_key(doc, kind, name, "pattern", None if pattern == "omni" else pattern)
            direction = None if pattern == "omni" else point.get("direction", [1, 0, 0])
            edits.set_point_key(doc, kind, name, "direction", direction)

        with guarded():
            self._session.edit(f"pattern of {name}", change)

    def _add(self, kind: str) -> None:
        surface = self._session.planner.look.surface
        places = [one["position"] for one in self._session.points(kind) if "position" in one]
        if places:
            place = [places[-1][0] + 0.3, places[-1][1] + 0.3, places[-1][2]]
        elif surface is not None:
            low, high = drawing.bounds(surface)
            place = [float(x) for x in 0.5 * (low + high)]
        else:
            place = [1.0, 1.0, 1.2]
        with guarded():
            self._session.edit(f"add a {kind}", lambda doc: edits.add_point(doc, kind, place))

    def _remove(self, kind: str, name: str) -> None:
        with guarded():
            self._session.edit(f"remove {name}", lambda doc: edits.remove_point(doc, kind, name))
