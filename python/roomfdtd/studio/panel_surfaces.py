"""Surfaces and their materials."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import ui

from . import drawing, edits, fields
from .material_dialog import MaterialDialog
from .problems import area_text
from .session import BOX_WALLS, Session
from .view import RoomView
from .words import guarded

SIDES = {"x_min": "x = 0", "x_max": "x = length", "y_min": "y = 0", "y_max": "y = width", "z_min": "floor", "z_max": "ceiling"}
SAME = {"z_min": "floor", "z_max": "ceiling"}  # other names of the same key


class SurfacesPanel:
    """A row for each surface: colour, name, area, material."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.view: RoomView | None = None
        self._built: Any = None
        self._choices: dict[str, ui.select] = {}
        self._rows: dict[str, ui.row] = {}
        self._quiet = False
        self._dialog = MaterialDialog(session)
        self._box = ui.column().classes("w-full gap-1")
        with ui.row().classes("gap-2"):
            ui.button("Own material …", on_click=lambda: self._dialog.open()).props("outline dense no-caps")

    def sync(self) -> None:
        """Show the materials of the scene; rows are built again only where surfaces or materials are others."""
        surface = self._session.planner.look.surface
        if surface is None:
            return
        walls = {one["name"]: one["material"] for one in surface["surfaces"]}
        colours = drawing.colour_of(surface)
        names = self._session.material_names()
        built = (list(walls), list(names), [colours[one] for one in walls.values()])
        self._quiet = True
        if built != self._built:
            self._built = built
            self._build(surface, colours, names)
        for name, material in self._walls_of_text(walls).items():
            if name in self._choices and self._choices[name].value != material:
                self._choices[name].set_value(material if material in names else None)
        self._quiet = False

    def show(self, name: str) -> None:
        """Bring the row of a surface into view, and its choice to the keyboard."""
        for other, row in self._rows.items():
            row.classes(add="bg-blue-50" if other == name else "", remove="" if other == name else "bg-blue-50")
        if name in self._choices:
            ui.run_javascript(f"document.getElementById('c{self._rows[name].id}')?.scrollIntoView({{block: 'nearest'}})")
            self._choices[name].run_method("focus")

    def _build(self, surface: dict[str, Any], colours: dict[str, str], names: dict[str, str]) -> None:
        self._box.clear()
        self._choices, self._rows = {}, {}
        with self._box:
            for one in surface["surfaces"]:
                name = one["name"]
                words = f"{name} ({SIDES[name]})" if surface["room"] == "box" and name in SIDES else name
                words += " (faces without a name)" if name == "default" and surface["room"] != "box" else ""
                with ui.row().classes("items-center w-full gap-2 no-wrap px-1 rounded") as row:
                    ui.element("span").style(f"background:{colours[one['material']]};min-width:14px;height:14px;border-radius:3px")
                    with ui.column().classes("gap-0 w-36 shrink-0"):
                        ui.label(words).classes("text-sm leading-tight break-all")
                        ui.label(area_text(one["area"])).classes("text-xs text-gray-600 leading-tight")
                    chosen = one["material"] if one["material"] in names else None
                    self._choices[name] = fields.choice(
                        "Material", names, chosen, partial(self._assign, name), "grow min-w-0", True, f"Material of {name}"
                    )
                    look = ui.button(icon="visibility", on_click=partial(self._look_at, name)).props("flat dense round size=sm")
                    fields.labelled(look, f"Show {name}")
                self._rows[name] = row

    def _look_at(self, name: str) -> None:
        if self.view is not None:
            self.view.choose(name)

    def _assign(self, name: str, material: str | None) -> None:
        if self._quiet or not material:
            return
        walls = self._session.document.tables.get("room", {}).get("walls", {})
        key = SAME[name] if name in SAME and SAME[name] in walls else name
        with guarded():
            self._session.edit(f"{key}: {material}", lambda doc: edits.assign(doc, key, material))

    def _walls_of_text(self, planned: dict[str, str]) -> dict[str, str]:
        """The materials by the text, which may be newer than the drawing."""
        walls = self._session.document.tables.get("room", {}).get("walls", {})
        materials = self._session.document.tables.get("materials", {})
        found = {}
        for name, before in planned.items():
            given = walls.get(name) or walls.get(SAME.get(name, ""))
            if given is None and name in BOX_WALLS[:4] and "box" in self._session.document.tables.get("room", {}):
                given = walls.get("walls")
            if given is None and name in materials:
                given = name
            found[name] = str(given or walls.get("default") or before)
        return found
