"""Questions about files: which scene, under which name, and what to do about another program's changes."""

from __future__ import annotations

from nicegui import ui

from . import fields
from .folder import MESHES
from .session import FIRST_BOX, Session
from .words import guarded


def ask_for_scene(session: Session) -> None:
    """Open a scene of the folder, or begin with a mesh or a box."""
    scenes, meshes = session.folder.files(".toml"), session.folder.files(*MESHES)
    with fields.labelled(ui.dialog(value=True), "Open") as dialog, ui.card().classes("w-[32rem] max-w-full gap-3"):
        ui.label("Open").classes("text-lg")
        if session.document.dirty and session.document.undo_label:
            ui.label("The scene has changes that are not saved.").classes("text-amber-800")
        ui.label(f"In {session.folder.root}").classes("text-xs text-gray-700 break-all")
        scene = ui.select(scenes, label="Scene", with_input=True).classes("w-full").props('dense outlined aria-label="Scene"')
        with ui.row():
            ui.button("Open the scene", on_click=lambda: take(lambda: session.open(str(scene.value or "")))).props("no-caps dense")
        ui.separator()
        mesh = ui.select(meshes, label="Mesh", with_input=True).classes("w-full").props('dense outlined aria-label="Mesh"')
        with ui.row().classes("items-center"):
            units = ui.select({"": "stated or found", "m": "m", "cm": "cm", "mm": "mm", "in": "in", "ft": "ft"}, value="", label="Unit").props("dense outlined").classes("w-44")
            up = ui.select({"": "stated or found", "x": "x", "y": "y", "z": "z"}, value="", label="Up").props("dense outlined").classes("w-44")
            ui.button("New from the mesh", on_click=lambda: take(lambda: say(session.new_mesh(str(mesh.value or ""), units.value or "", up.value or "")))).props("no-caps dense")
        ui.separator()
        with ui.row().classes("items-center"):
            sides = [ui.number(name, value=side, min=0.01, step=0.1).props("dense outlined").classes("w-20") for name, side in zip(("x / m", "y / m", "z / m"), FIRST_BOX)]
            ui.button("New box", on_click=lambda: take(lambda: session.new_box([float(side.value or 1.0) for side in sides]))).props("no-caps dense")
        ui.button("Cancel", on_click=dialog.close).props("flat no-caps dense")

    def say(notes: list[str]) -> None:
        words = " – ".join(["Materials are suggested by the names of surfaces", *notes])
        ui.notify(words, type="info", timeout=30000, multi_line=True, actions=[{"label": "Close", "color": "white", "noCaps": True}])

    def take(call: object) -> None:
        with guarded():
            assert callable(call)
            call()
            dialog.close()


def ask_for_name(session: Session) -> None:
    """Save under another name."""
    with fields.labelled(ui.dialog(value=True), "Save as") as dialog, ui.card().classes("gap-2"):
        ui.label("Save as").classes("text-lg")
        name = ui.input("Name", value=session.name or "room.toml").props("dense outlined autofocus")

        def save() -> None:
            with guarded():
                path = session.save(str(name.value or ""))
                dialog.close()
                ui.notify(f"Saved {session.folder.name(path)}", type="positive")

        name.on("keydown.enter", save)
        with ui.row():
            ui.button("Save", on_click=save).props("no-caps")
            ui.button("Cancel", on_click=dialog.close).props("flat no-caps")


def ask_about_file(session: Session) -> None:
    """Another program has changed the file: keep which text?"""
    with fields.labelled(ui.dialog(value=True), "Another program has changed the file") as dialog, ui.card().classes("gap-2"):
        ui.label("Another program has changed the file").classes("text-lg")
        ui.label("Reload takes its text; undo brings yours back. Replace writes yours.").classes("text-sm")

        def reload() -> None:
            with guarded():
                session.document.reload()
                dialog.close()

        def replace() -> None:
            with guarded():
                session.save(force=True)
                dialog.close()

        with ui.row():
            ui.button("Reload", on_click=reload).props("no-caps")
            ui.button("Replace", on_click=replace).props("no-caps color=negative outline")
            ui.button("Cancel", on_click=dialog.close).props("flat no-caps")
