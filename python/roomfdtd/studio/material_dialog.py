"""A material of the scene's own: absorption by octave, admittance, a porous layer, or rigid."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from ..errors import SceneError
from . import edits, fields
from .session import Session
from .words import guarded

OCTAVES = (63, 125, 250, 500, 1000, 2000, 4000)
KINDS = {"absorption": "Absorption by octave", "admittance": "Admittance ρc/Z", "porous": "Porous layer", "rigid": "Rigid"}


class MaterialDialog:
    """Asks for a material and defines it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        with fields.labelled(ui.dialog(), "Own material") as self._dialog, ui.card().classes("w-[38rem] max-w-full"):
            ui.label("Own material").classes("text-lg")
            self._name = ui.input("Name", placeholder="curtain").props("dense outlined autofocus")
            self._kind = ui.toggle(KINDS, value="absorption").props("dense no-caps")
            with ui.row().classes("gap-1").bind_visibility_from(self._kind, "value", value="absorption"):
                self._alpha = [
                    fields.labelled(
                        ui.number(f"{band} Hz", min=0, max=1, step=0.01).props("dense outlined").classes("w-[4.9rem]"), f"Absorption at {band} Hz"
                    )
                    for band in OCTAVES
                ]
            with ui.row().bind_visibility_from(self._kind, "value", value="admittance"):
                self._admittance = ui.number("ρc/Z", value=0.05, min=0, step=0.01).props("dense outlined")
            with ui.row().bind_visibility_from(self._kind, "value", value="porous"):
                self._resistivity = ui.number("Flow resistivity / (Pa s/m²)", value=12000, min=100).props("dense outlined")
                self._thickness = ui.number("Thickness / m", value=0.05, min=0.0001, step=0.01).props("dense outlined")
                self._gap = ui.number("Air gap / m", value=0.0, min=0, step=0.01).props("dense outlined")
            with ui.row():
                ui.button("Define", on_click=self._define).props("no-caps")
                ui.button("Cancel", on_click=self._dialog.close).props("flat no-caps")

    def open(self) -> None:
        """Show the dialog."""
        self._dialog.open()

    def _define(self) -> None:
        name = str(self._name.value or "").strip()
        with guarded():
            table = self._table()
            self._session.edit(f"material {name}", lambda doc: edits.define_material(doc, name, table))
            self._dialog.close()

    def _table(self) -> dict[str, Any]:
        if self._kind.value == "rigid":
            return {"rigid": True}
        if self._kind.value == "admittance":
            return {"admittance": float(self._admittance.value or 0.0)}
        if self._kind.value == "porous":
            layer = {"flow_resistivity": float(self._resistivity.value or 0), "thickness": float(self._thickness.value or 0)}
            return {"porous": layer | ({"air_gap": float(self._gap.value)} if self._gap.value else {})}
        given = [(band, float(one.value)) for band, one in zip(OCTAVES, self._alpha) if one.value is not None]
        if not given:
            raise SceneError("absorption: no octave has a coefficient", "fill in one or more, from 0 to 1")
        return {"absorption": {"bands": [band for band, _ in given], "alpha": [alpha for _, alpha in given]}}
