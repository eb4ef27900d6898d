"""The room in three dimensions: surfaces by material, marks, sources and receivers to drag."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from nicegui import events, ui

from . import drawing, edits, fields
from .bodies import BodyStore
from .painting import SHADES
from .session import Session
from .view_keys import HELP, TAKE, ViewKeys
from .words import guarded

KINDS = {"source": "#c2410c", "receiver": "#1d4ed8"}
GRID_COLOUR = [0.11, 0.31, 0.85]
FIELD = 75.0  # degrees that the camera sees from its lower to its upper edge
WALL_OPACITY = 0.32
CHOSEN_OPACITY = 0.85
UNDER_PAINT = 0.0  # opacity of walls, which a click finds all the same
SELECTED = "#facc15"
# Turns and zooms the camera of a scene about what it looks at; z points up.
CAMERA = """(id, across, up, factor) => {
  const view = getElement(id), target = view?.controls?.target;
  if (!target) return;
  const v = view.camera.position.clone().sub(target), far = v.length() * factor;
  const turned = Math.atan2(v.y, v.x) + across * Math.PI / 180;
  const most = Math.PI / 2 - 0.02, raised = Math.asin(v.z / v.length()) + up * Math.PI / 180;
  const angle = Math.min(most, Math.max(-most, raised));
  view.camera.position.set(target.x + far * Math.cos(angle) * Math.cos(turned), target.y + far * Math.cos(angle) * Math.sin(turned), target.z + far * Math.sin(angle));
  view.camera.lookAt(target);
}"""
# Walls that one sees through hide nothing that is drawn after them; NiceGUI has no argument for that.
SEE_THROUGH = """(id) => {
  const scene = window['scene_' + id];
  if (scene) scene.onBeforeRender = () => scene.traverse(one => one.name.startsWith('surface:') && one.traverse(part => {
    if (part.material) { part.material.depthWrite = part.material.opacity > 0.8; part.renderOrder = -1; }
  }));
}"""
# The background follows the page, which is dark where Quasar says so. A picture is drawn where it would differ from the latest
# one alone: NiceGUI draws twenty a second, which without a GPU leave the page no time for its user.
DRAWN = """(id) => {
  const renderer = getElement(id)?.renderer;
  if (!renderer) return;
  let latest = '';
  for (const name of ['setSize', 'setClearColor']) {
    const call = renderer[name].bind(renderer);
    renderer[name] = (...values) => { latest = ''; return call(...values); };
  }
  renderer.domElement.addEventListener('webglcontextrestored', () => { latest = ''; });
  const draw = renderer.render.bind(renderer);
  renderer.render = (scene, camera) => {
    // Controls at rest let the camera's last digits drift.
    const seen = [...camera.position, ...camera.quaternion, camera.zoom, camera.aspect].map(Math.fround);
    scene.traverse(one => {
      const {geometry, material} = one;
      seen.push(one.id, one.visible, ...one.position, ...one.quaternion, ...one.scale, geometry?.id);
      if (material) seen.push(material.id, material.color?.getHex(), material.opacity, material.side);
    });
    const now = seen.join();
    if (now !== latest && renderer.domElement.offsetParent) {
      latest = now;
      draw(scene, camera);
    }
  };
  const paint = () => renderer.setClearColor(document.body.classList.contains('body--dark') ? '#171c23' : '#f4f5f7');
  new MutationObserver(paint).observe(document.body, {attributes: true, attributeFilter: ['class']});
  paint();
}"""


class RoomView:
    """A scene of three.js that follows the session; :meth:`sync` draws what has changed.

    Parameters
    ----------
    session : Session
    store : BodyStore
        Serves the bodies.
    chosen : callable
        Called with the name of a surface that was clicked.
    """

    def __init__(self, session: Session, store: BodyStore, chosen: Callable[[str], object]) -> None:
        self._session, self._store, self._chosen_call = session, store, chosen
        self._surface: dict[str, Any] | None = None
        self._revision = session.revision
        self._marks: list[drawing.Mark] = []
        self._bodies: dict[str, tuple[Any, drawing.Body]] = {}
        self._extra: list[Any] = []
        self._paint: tuple[list[drawing.Body], str, float] = ([], "", 1.0)
        self._painted: list[Any] = []
        self._points: dict[tuple[str, str], tuple[Any, Any, tuple[float, float, float]]] = {}
        self._grids: list[Any] = []
        self._grid_places: list[list[float]] = []
        self._chosen = ""
        self._normals = False
        self._level = True
        self._toolbar()
        self._box = ui.element("div").classes("studio-view")
        self._box.props('tabindex=0 role=application aria-label="The room in three dimensions" aria-describedby=studio-view-keys')
        with self._box:
            self._scene = ui.scene(
                grid=False,
                background_color="#f4f5f7",
                on_click=self._clicked,
                on_drag_start=self._drag_begins,
                on_drag_end=self._drag_ends,
                drag_constraints="z = z",
                camera=ui.scene.perspective_camera(fov=FIELD),
            ).classes("w-full h-full")
        self._said = ui.label("").classes("text-xs min-h-4").props("role=status aria-live=polite")
        self._legend = ui.row().classes("gap-3 text-xs items-center w-full")
        self._keys = ViewKeys(self, lambda: float(self._step.value or 0.1), self._said.set_text)
        self._box.on("keydown", lambda event: self._keys.press(event.args["key"], event.args["shift"]), js_handler=TAKE)
        ui.timer(0.5, lambda: ui.run_javascript(f"({SEE_THROUGH})('{self._scene.html_id}'); ({DRAWN})({self._scene.id})"), once=True)

    def choose(self, name: str) -> None:
        """Show a surface, by its name in the mesh or of the box."""
        self._chosen = name
        rest = UNDER_PAINT if self._painted else WALL_OPACITY
        for body_name, (shown, body) in self._bodies.items():
            shown.material(body.colour, CHOSEN_OPACITY if body_name == name else rest, "both")

    def paint(self, bodies: list[drawing.Body], words: str, end: float = 1.0) -> None:
        """Draw a map on the walls, its scale from -`end` to `end` with its unit in words; no bodies: the materials again."""
        if (bodies, words, end) != self._paint:
            self._paint = (bodies, words, end)
            if self._surface is not None:
                self._draw_room()

    def selectable(self) -> list[tuple[str, str]]:
        """Sources, receivers and surfaces, in order."""
        return [*self._points, *(("surface", name) for name in self._bodies)]

    def place_of(self, key: tuple[str, str]) -> tuple[float, float, float] | None:
        """In m; None of a surface."""
        return self._points[key][2] if key in self._points else None

    def move_to(self, key: tuple[str, str], place: tuple[float, float, float]) -> None:
        """Move a source or a receiver."""
        kind, name = key
        with guarded():
            self._session.edit(f"move {name}", lambda doc: edits.move(doc, kind, name, place))
            self._place(key, place)

    def select(self, key: tuple[str, str] | None) -> None:
        """Show what is selected."""
        for one, (body, _, _) in self._points.items():
            body.material(SELECTED if one == key else KINDS[one[0]])
        self.choose(key[1] if key is not None and key[0] == "surface" else "")

    def open_fields(self, key: tuple[str, str]) -> None:
        """Lead to the fields of what is selected."""
        kind, name = key
        if kind == "surface":
            self._chosen_call(name)
        else:
            label = json.dumps(f"{name}, x in m")
            ui.run_javascript(f"document.querySelector(`[aria-label=${{CSS.escape({label})}}]`)?.focus()")

    def turn(self, across: float, up: float) -> None:
        """Turn the camera about the middle of the room, in degrees."""
        ui.run_javascript(f"({CAMERA})({self._scene.id}, {across}, {up}, 1)")

    def zoom(self, factor: float) -> None:
        """Multiply the distance of the camera."""
        ui.run_javascript(f"({CAMERA})({self._scene.id}, 0, 0, {factor})")

    def sync(self) -> None:
        """Draw what has changed."""
        look = self._session.planner.look
        places = drawing.marks(look.surface, look.plan, look.places)
        if look.surface is not None and (look.surface is not self._surface or places != self._marks):
            fresh = self._surface is None or self._revision != self._session.revision  # another room, of another size
            self._revision = self._session.revision
            self._surface, self._marks = look.surface, places
            self._draw_room()
            if fresh:
                self.look_from("corner")
        self._sync_points()

    def fit(self) -> None:
        """Take the size that the page gives it."""
        ui.run_javascript("window.dispatchEvent(new Event('resize'))")

    def look_from(self, place: str) -> None:
        """Move the camera: "corner", "above" or "front"."""
        if self._surface is None:
            return
        low, high = drawing.bounds(self._surface)
        x, y, z = (float(one) for one in 0.5 * (low + high))
        far = float((high - low).max())
        around = 0.5 * float(np.linalg.norm(high - low)) / math.sin(math.radians(0.5 * FIELD))  # the sphere around the room is seen
        corner = (x - 0.44 * around, y - 0.69 * around, z + 0.58 * around)
        at = {"corner": corner, "above": (x, y - 0.01, z + 0.95 * far), "front": (x, y - 1.0 * far, z)}[place]
        self._scene.move_camera(*at, x, y, z, duration=0)

    def _toolbar(self) -> None:
        with ui.row().classes("gap-2 items-center w-full"):
            for place, words in (("corner", "From a corner"), ("above", "From above"), ("front", "From the front")):
                ui.button(words, on_click=lambda _, place=place: self.look_from(place)).props("flat dense no-caps")
            ui.switch("Normals", on_change=self._switch_normals).props("dense")
            ui.toggle({True: "Drag level", False: "Drag up and down"}, value=True, on_change=self._switch_level).props("dense no-caps unelevated size=12px")
            self._step = ui.number("Step / m", value=0.1, min=0.001, max=10.0, step=0.05, format="%.4g").classes("w-20")
            self._step.props('dense outlined aria-label="Step of the arrow keys in m"')
            with ui.button(icon="keyboard").props('flat dense round size=sm aria-label="Keys of the view"'), ui.menu():
                ui.label(HELP).classes("p-3 max-w-sm text-sm")
            ui.label(HELP).classes("sr-only").props("id=studio-view-keys")

    def _switch_normals(self, event: events.ValueChangeEventArguments[bool | None]) -> None:
        self._normals = bool(event.value)
        if self._surface is not None:
            self._draw_room()

    def _switch_level(self, event: events.ValueChangeEventArguments[bool]) -> None:
        self._level = event.value

    def _draw_room(self) -> None:
        assert self._surface is not None
        found = drawing.bodies(self._surface)
        others = [drawing.edges(self._surface, "open"), drawing.edges(self._surface, "flipped")]
        others += [drawing.normals(self._surface)] if self._normals else []
        for shown, _ in self._bodies.values():
            shown.delete()
        for one in [*self._extra, *self._painted]:
            one.delete()
        self._bodies, self._extra = {}, []
        self._painted = [
            self._scene.stl(self._store.put(body)).material(body.colour, 1.0, "front").with_name("paint") for body in self._paint[0]
        ]
        for body in found:
            shown = self._scene.stl(self._store.put(body)).with_name(f"surface:{body.name}")
            self._bodies[body.name] = (shown.material(body.colour, UNDER_PAINT if self._painted else WALL_OPACITY, "both"), body)
        for extra in others:
            if extra is not None:
                self._extra.append(self._scene.stl(self._store.put(extra)).material(extra.colour, 1.0, "both"))
        size = drawing.size_of(self._surface)
        for mark in self._marks:
            self._extra.append(self._scene.sphere(0.012 * size).material(drawing.LEAK).move(*mark.position))
            self._extra.append(self._scene.text(mark.words, "color: var(--studio-mark); font-size: 11px; text-shadow: var(--studio-halo); padding-top: 26px").move(*mark.position))
        self._draw_legend(bool(found), others)
        if self._chosen:
            self.choose(self._chosen)

    def _draw_legend(self, drawn: bool, others: list[drawing.Body | None]) -> None:
        assert self._surface is not None
        self._legend.clear()
        with self._legend:
            if not drawn:
                ui.label(f"The mesh has more than {drawing.MOST_TRIANGLES} triangles: its defects are drawn, its walls are not.")
            if self._painted:
                self._draw_scale()
            own = {} if self._painted else drawing.colour_of(self._surface)
            entries = list(own.items()) + [(one.name, one.colour) for one in others if one]
            for name, colour in entries:
                with ui.row().classes("gap-1 items-center"):
                    ui.element("span").style(f"background:{colour};width:12px;height:12px;border-radius:2px;display:inline-block")
                    ui.label(name)

    def _draw_scale(self) -> None:
        _, words, end = self._paint
        with fields.labelled(ui.row().classes("items-center gap-0 no-wrap").props("role=img"), f"Scale from {-end:g} to {end:g} {words}"):
            ui.label(f"−{end:g}").classes("mr-1")
            for shade in SHADES:
                ui.element("span").style(f"background:{shade};width:8px;height:12px;display:inline-block")
            ui.label(f"+{end:g}").classes("ml-1")
        ui.label(words)

    def _sync_points(self) -> None:
        if self._surface is None:
            return
        places = [place for one in self._session.points("receiver") for place in drawing.grid_places(one.get("grid"))]
        if places != self._grid_places:
            self._grid_places = places
            for shown in self._grids:
                shown.delete()
            colours = [GRID_COLOUR] * len(places)
            self._grids = [self._scene.point_cloud(places, colours, point_size=0.02 * drawing.size_of(self._surface))] if places else []
        size = 0.018 * drawing.size_of(self._surface)
        wanted: dict[tuple[str, str], tuple[float, float, float]] = {}
        for kind in KINDS:
            for one in self._session.points(kind):
                place = one.get("position")
                if isinstance(place, list) and len(place) == 3 and all(isinstance(x, (int, float)) for x in place):
                    wanted[kind, str(one["name"])] = (float(place[0]), float(place[1]), float(place[2]))
        for key in [key for key in self._points if key not in wanted]:
            for shown in self._points.pop(key)[:2]:
                shown.delete()
        for key, place in wanted.items():
            if key not in self._points:
                kind, name = key
                body = self._scene.sphere(size) if kind == "receiver" else self._scene.box(1.7 * size, 1.7 * size, 1.7 * size)
                body.material(KINDS[kind]).with_name(f"{kind}:{name}").draggable().move(*place)
                label = self._scene.text(name, f"color: var(--studio-{kind}); font-size: 13px; font-weight: 600; text-shadow: var(--studio-halo); padding-bottom: 34px").move(*place)
                self._points[key] = (body, label, place)
            elif self._points[key][2] != place:
                self._place(key, place)

    def _place(self, key: tuple[str, str], place: tuple[float, float, float]) -> None:
        body, label, _ = self._points[key]
        body.x = body.y = body.z = float("nan")  # three.js has moved it: the same place must be sent again
        body.move(*place)
        label.move(*place)
        self._points[key] = (body, label, place)

    def _drag_begins(self, event: events.SceneDragEventArguments) -> None:
        held = self._held(event)
        if held is None:
            return
        x, y, z = self._points[held][2]
        self._scene.props["drag-constraints"] = f"z = {z:.6f}" if self._level else f"x = {x:.6f}, y = {y:.6f}"

    def _drag_ends(self, event: events.SceneDragEventArguments) -> None:
        held = self._held(event)
        if held is None:
            return
        x, y, z = self._points[held][2]
        place = (event.x, event.y, z) if self._level else (x, y, event.z)
        kind, name = held
        with guarded():
            self._session.edit(f"move {name}", lambda doc: edits.move(doc, kind, name, place))
        self._place(held, (round(place[0], 3), round(place[1], 3), round(place[2], 3)))

    def _held(self, event: events.SceneDragEventArguments) -> tuple[str, str] | None:
        kind, _, name = (event.object_name or "").partition(":")
        return (kind, name) if (kind, name) in self._points else None

    def _clicked(self, event: events.SceneClickEventArguments) -> None:
        hits = [(hit.object_name or "").partition(":") for hit in event.hits]
        if any(kind in KINDS for kind, _, _ in hits):  # walls are translucent: a point behind one is meant
            return
        for kind, _, name in hits:
            if kind == "surface":
                self.choose(name)
                self._chosen_call(name)
                return
