"""Fields of the computation: frequency, duration, the room's sides, air, geometry above, a film of a slice."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import ui

from . import edits, fields
from .session import Session
from .words import guarded

METHODS = {"auto": "Rays above waves, unless they take very long", "rays": "Rays above waves", "none": "Waves alone"}


class SettingsPanel:
    """Fields of ``[simulation]``, ``[room]``, ``[air]``, ``[above]`` and ``[output]`` that scenes change most."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._quiet = False
        with ui.row().classes("gap-1 items-center w-full"):
            self._sides = [
                fields.number(f"{name} / m", None, partial(self._side, d), 0.1, "w-[5.6rem]") for d, name in enumerate(("Length", "Width", "Height"))
            ]
        with ui.row().classes("gap-1 items-center w-full"):
            self._frequency = fields.number("Waves up to / Hz", None, lambda value: self._set("simulation.max_frequency", value, f"waves up to {value:g} Hz"), 50, "w-32")
            self._duration = fields.text("Duration / s", "", self._take_duration, "w-28")
            self._temperature = fields.number("Air / °C", None, lambda value: self._set("air.temperature", value, f"air of {value:g} °C"), 1, "w-24")
        self._method = fields.choice("Above that", METHODS, None, lambda value: self._set("above.method", value, METHODS.get(value, "").lower()), "w-full")
        with ui.row().classes("gap-1 items-center w-full"):
            self._film = ui.switch("Film of a slice", on_change=lambda event: self._take_film())
            self._plane = fields.choice("Across", {"x": "x", "y": "y", "z": "z"}, "z", lambda _: self._take_film(), "w-24")
            self._place = fields.number("At / m", 1.2, lambda _: self._take_film(), 0.1, "w-20")

    def sync(self) -> None:
        """Show the values of the scene."""
        tables = self._session.document.tables
        simulation, room = _table(tables, "simulation"), _table(tables, "room")
        self._quiet = True
        box = room.get("box")
        for field, value in zip(self._sides, box if isinstance(box, list) else [None] * 3):
            field.set_visibility(box is not None)
            fields.show(field, value)
        self._frequency.set_visibility("grid_spacing" not in simulation)
        fields.show(self._frequency, simulation.get("max_frequency"))
        fields.show(self._duration, str(simulation.get("duration", "")))
        fields.show(self._temperature, _table(tables, "air").get("temperature", 20.0))
        fields.show(self._method, _table(tables, "above").get("method", "auto"))
        snapshots = _table(tables, "output").get("snapshots") or []
        fields.show(self._film, bool(snapshots))
        if snapshots and snapshots[0].get("plane") in ("x", "y", "z"):
            fields.show(self._plane, snapshots[0]["plane"])
            fields.show(self._place, snapshots[0].get("position"))
        self._quiet = False

    def _set(self, key: str, value: Any, label: str = "") -> None:
        table, _, name = key.partition(".")
        defaults = {"air.temperature": 20.0, "above.method": "auto"}
        if self._quiet or _table(self._session.document.tables, table).get(name, defaults.get(key)) == value:
            return
        with guarded():
            self._session.edit(label or f"{name}: {value}", lambda doc: edits.set_key(doc, key, value))

    def _side(self, axis: int, value: float) -> None:
        box = list(_table(self._session.document.tables, "room").get("box", []))
        if len(box) == 3 and box[axis] != value:
            box[axis] = value
            self._set("room.box", box, f"{('length', 'width', 'height')[axis]} {value:g} m")

    def _take_duration(self, words: str) -> None:
        words = words.strip()
        try:
            value: str | float = words if words == "auto" else float(words)
        except ValueError:
            ui.notify('Duration: a number of seconds, or "auto"', type="negative")
            return
        self._set("simulation.duration", value, f"duration {value}{'' if value == 'auto' else ' s'}")

    def _take_film(self) -> None:
        if self._quiet:
            return
        slices = [{"plane": self._plane.value, "position": float(self._place.value or 0.0), "every": 0.001, "end": 0.08}]
        before = _table(self._session.document.tables, "output").get("snapshots") or []
        kept = [{**before[0], "plane": slices[0]["plane"], "position": slices[0]["position"]}, *before[1:]] if before else slices
        where = f"film at {slices[0]['plane']} = {slices[0]['position']:g} m"
        self._set("output.snapshots", kept if self._film.value else None, where if self._film.value else "no film")


def _table(tables: dict[str, Any], name: str) -> dict[str, Any]:
    found = tables.get(name, {})
    return found if isinstance(found, dict) else {}
