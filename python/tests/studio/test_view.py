"""The view of the room on the server's side: what is drawn where, and what drags, keys and clicks change."""

import io
import itertools
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("nicegui")
trimesh = pytest.importorskip("trimesh")

from nicegui import ui  # noqa: E402
from roomfdtd.studio import drawing, painting  # noqa: E402
from roomfdtd.studio import view as views  # noqa: E402
from roomfdtd.studio.session import Session  # noqa: E402
from studio_user import on_a_page, until  # noqa: E402

# Of the box to begin with: the axis across each wall, and where it lies.
WALLS = {"x_min": (0, 0.0), "x_max": (0, 5.0), "y_min": (1, 0.0), "y_max": (1, 4.0), "z_min": (2, 0.0), "z_max": (2, 3.0)}
SOURCE, RECEIVER = [1.25, 1.2, 1.2], [3.5, 2.6, 1.2]


class Drawn:
    """Bodies of the view by their names, and what a browser sends of them."""

    def __init__(self, shown):
        self.shown = shown
        (self.scene,) = shown.all(ui.scene)

    def __getitem__(self, name):
        (found,) = [one for one in self.scene.objects.values() if one.name == name]
        return found

    def place(self, name):
        return [round(x, 6) for x in (self[name].x, self[name].y, self[name].z)]

    def words(self, name):
        """The place of a text in the view."""
        (found,) = [one for one in self.scene.objects.values() if one.type == "text" and one.args[0] == name]
        return [round(x, 6) for x in (found.x, found.y, found.z)]

    def drag(self, name, place):
        """The body is taken and let go; the constraints that hold between."""
        body = self[name]
        for kind in ("dragstart", "dragend"):
            args = {"type": kind, "object_id": body.id, "object_name": name, "x": place[0], "y": place[1], "z": place[2]}
            self.shown.use(self.scene, kind, args)
        return self.scene.props["drag-constraints"]

    def click(self, *names):
        hits = [{"object_id": "", "object_name": name, "point": {"x": 0.0, "y": 0.0, "z": 0.0}} for name in names]
        keys = dict.fromkeys(("alt_key", "ctrl_key", "meta_key", "shift_key"), False)
        self.shown.use(self.scene, "click3d", {"click_type": "click", "button": 0, "hits": hits} | keys)

    def press(self, key, shift=False):
        self.shown.use(self.shown["The room in three dimensions"], "keydown", {"key": key, "shift": shift})


def toggle(shown):
    (found,) = [one for one in shown.all(ui.toggle) if "Drag level" in one.options.values()]
    return found


def test_points_are_dragged_level_or_up_and_down(tmp_path):
    session = Session(tmp_path, debounce=0.05)

    async def look(shown):
        drawn = Drawn(shown)
        assert drawn.place("source:S1") == SOURCE and drawn.place("receiver:R1") == RECEIVER
        assert drawn.drag("source:S1", (1.5, 2.25, 9.0)) == "z = 1.200000"
        assert shown.point("source")["position"] == [1.5, 2.25, 1.2]
        shown.choose(toggle(shown), False)
        assert drawn.drag("receiver:R1", (9.0, 9.0, 1.9)) == "x = 3.500000, y = 2.600000"
        assert shown.point("receiver")["position"] == [3.5, 2.6, 1.9] and shown.point("source")["position"] == [1.5, 2.25, 1.2]
        for kind, name, place in (("source", "S1", [1.5, 2.25, 1.2]), ("receiver", "R1", [3.5, 2.6, 1.9])):
            assert drawn.place(f"{kind}:{name}") == drawn.words(name) == place
            await until(lambda name=name, place=place: [shown[f"{name}, {axis} in m"].value for axis in "xyz"] == place)
        for label, name, place in (("move R1", "receiver:R1", RECEIVER), ("move S1", "source:S1", SOURCE)):
            assert session.document.undo() == label
            await until(lambda name=name, place=place: drawn.place(name) == place)
        drawn.drag("surface:x_min", (1.0, 1.0, 1.0))
        assert not session.document.undo_label, "walls stay"

    on_a_page(session, look)


def test_keys_move_the_selected_point_along_their_axes(tmp_path):
    session = Session(tmp_path, debounce=0.05)

    async def look(shown):
        drawn = Drawn(shown)
        shown.choose("Step of the arrow keys in m", 0.25)
        for name, kind, start in (("S1", "source", SOURCE), ("R1", "receiver", RECEIVER)):
            drawn.press("n")
            assert f"{kind.capitalize()} {name} at {', '.join(f'{x:.4g}' for x in start)} m" in shown.labels()
            assert drawn[f"{kind}:{name}"].color == views.SELECTED
            for key, axis, step in (("ArrowLeft", 0, -0.25), ("ArrowRight", 0, 0.25), ("ArrowDown", 1, -0.25), ("ArrowUp", 1, 0.25), ("PageDown", 2, -0.25), ("PageUp", 2, 0.25)):
                for shift, part in ((False, 1.0), (True, 0.1)):
                    before = shown.point(kind)["position"]
                    expected = [round(x + (part * step if d == axis else 0.0), 3) for d, x in enumerate(before)]
                    drawn.press(key, shift)
                    assert shown.point(kind)["position"] == expected == drawn.place(f"{kind}:{name}"), key
        assert shown.point("source")["position"] == SOURCE
        assert drawn["source:S1"].color == views.KINDS["source"] and drawn["receiver:R1"].color == views.SELECTED
        drawn.press("Escape")
        assert drawn["receiver:R1"].color == views.KINDS["receiver"] and "Nothing is selected" in shown.labels()
        steps = 0
        while session.document.undo_label:
            assert session.document.undo() in ("move S1", "move R1")
            steps += 1
        assert steps == 24, "each move is a step back"

    on_a_page(session, look)


def test_walls_are_drawn_where_the_box_has_them_in_the_colour_of_their_material(tmp_path):
    session = Session(tmp_path, debounce=0.05)

    async def look(shown):
        drawn = Drawn(shown)
        materials = dict(zip(WALLS, ("carpet-heavy", "concrete-smooth", "linoleum", "curtain-cotton", "brick-painted", "glass-window")))
        for wall, name in materials.items():
            shown.choose(f"Material of {wall}", name)
        assert {wall: session.document.tables["room"]["walls"][wall] for wall in WALLS} == materials
        await until(lambda: session.planner.look.text == session.document.text and not session.planner.busy)
        surface = session.planner.look.surface
        assert {one["name"]: one["material"] for one in surface["surfaces"]} == materials
        await until(lambda: drawn["surface:x_max"].color == drawing.colour_of(surface)[materials["x_max"]])
        for body in drawing.bodies(surface):
            axis, place = WALLS[body.name]
            corners = trimesh.load(io.BytesIO(body.stl), file_type="stl").vertices
            assert corners[:, axis] == pytest.approx(place, abs=1e-6), body.name
            assert drawn[f"surface:{body.name}"].color == body.colour == drawing.colour_of(surface)[materials[body.name]]
        labels = shown.labels()
        for wall, words, area in (("x_min", "x = 0", 12), ("x_max", "x = length", 12), ("y_min", "y = 0", 15), ("y_max", "y = width", 15), ("z_min", "floor", 20), ("z_max", "ceiling", 20)):
            at = labels.index(f"{wall} ({words})")
            assert labels[at + 1] == f"{area} m²"
            row = shown[f"Material of {wall}"].parent_slot.parent
            (swatch,) = [one for one in row.default_slot.children if one.tag == "span"]
            assert swatch.style["background"] == drawn[f"surface:{wall}"].color, wall
        session.document.undo()
        await until(lambda: shown["Material of z_max"].value == "plasterboard")

    on_a_page(session, look)


def test_a_click_on_a_wall_shows_it_and_its_row_and_points_come_first(tmp_path):
    session = Session(tmp_path, debounce=0.05)

    async def look(shown):
        drawn = Drawn(shown)

        def shown_walls():
            rows = [shown[f"Material of {wall}"].parent_slot.parent for wall in WALLS]
            return (
                [wall for wall in WALLS if drawn[f"surface:{wall}"].opacity == views.CHOSEN_OPACITY],
                [wall for wall, row in zip(WALLS, rows) if "bg-blue-50" in row.classes],
            )

        assert shown_walls() == ([], [])
        drawn.click("surface:y_max", "surface:y_min")
        assert shown_walls() == (["y_max"], ["y_max"])
        drawn.click("surface:x_min", "source:S1")
        assert shown_walls() == (["y_max"], ["y_max"]), "a point behind a translucent wall is meant"
        shown.use(shown["Show z_min"])
        assert shown_walls()[0] == ["z_min"]
        await until(lambda: session.planner.look.notches is not None)
        table = shown["Notches by first reflections of walls"]
        await until(lambda: bool(table.rows))
        wall = table.rows[0]["wall"]
        shown.use(table, "rowClick", [{}, {"wall": wall}, 0])
        assert shown_walls()[0] == [wall]

    on_a_page(session, look)


def test_the_camera_and_what_is_drawn_follow_the_toolbar(tmp_path):
    session = Session(tmp_path, debounce=0.05)

    async def look(shown):
        drawn = Drawn(shown)
        camera = drawn.scene.camera
        for words, seen in (
            ("From above", lambda: camera.z > 3.0 and (camera.x, camera.look_at_x) == (2.5, 2.5)),
            ("From the front", lambda: camera.y < 0.0 and (camera.x, camera.z) == (2.5, 1.5)),
            ("From a corner", lambda: camera.x < 2.5 and camera.y < 0.0 and camera.z > 3.0),
        ):
            shown.use(shown.button(words))
            assert seen(), words
            assert (camera.look_at_x, camera.look_at_y, camera.look_at_z) == (2.5, 2.0, 1.5)
        before = len(drawn.scene.objects)
        shown.choose(shown.switch("Normals"), True)
        assert len(drawn.scene.objects) == before + 1 and "normals" in shown.labels()
        shown.choose(shown.switch("Normals"), False)
        assert len(drawn.scene.objects) == before and "normals" not in shown.labels()
        shown.use(shown.button("Add a source"))
        await until(lambda: any(one.name == "source:S2" for one in drawn.scene.objects.values()))
        assert drawn["source:S2"].type == "box" and drawn["receiver:R1"].type == "sphere"
        session.document.undo()
        await until(lambda: not any(one.name == "source:S2" for one in drawn.scene.objects.values()))

    on_a_page(session, look)


@pytest.mark.parametrize("size", [(3.0, 2.5, 2.2), (3.0, 3.0, 3.0), (40.0, 3.0, 3.0), (4.0, 5.0, 30.0)])
def test_the_whole_room_is_seen_from_its_corner(tmp_path, size):
    session = Session(tmp_path, debounce=0.05)
    session.new_box(size)
    session.document.edit("coarse", lambda doc: doc["simulation"].update({"max_frequency": 60.0}))

    async def look(shown):
        camera = Drawn(shown).scene.camera
        eye, target = np.array([camera.x, camera.y, camera.z]), np.array([camera.look_at_x, camera.look_at_y, camera.look_at_z])
        ahead = (target - eye) / np.linalg.norm(target - eye)
        across = np.cross(ahead, [0.0, 0.0, 1.0])
        up = np.cross(across / np.linalg.norm(across), ahead)
        for corner in itertools.product(*((0.0, side) for side in size)):
            away = np.array(corner) - eye
            assert abs(away @ up) < np.tan(np.radians(0.5 * views.FIELD)) * (away @ ahead)

    on_a_page(session, look)


def test_a_map_is_painted_with_its_scale_and_taken_off_again(tmp_path):
    session = Session(tmp_path, debounce=0.05)

    async def look(shown):
        drawn = Drawn(shown)
        bodies = [SimpleNamespace(stl=body.stl, colour=colour, key=f"k{number}") for number, (body, colour) in enumerate(zip(drawing.bodies(session.planner.look.surface), painting.SHADES))]
        with shown.user:
            shown.page._view.paint(bodies, "ms", 2.5)
        assert [one.color for one in drawn.scene.objects.values() if one.name == "paint"] == [one.colour for one in bodies]
        assert drawn["surface:x_min"].opacity == 0.0 and shown.has("Scale from -2.5 to 2.5 ms")
        with shown.user:
            shown.page._view.paint([], "")
        assert not any(one.name == "paint" for one in drawn.scene.objects.values())
        assert drawn["surface:x_min"].opacity == views.WALL_OPACITY and not shown.has("Scale from -2.5 to 2.5 ms")

    on_a_page(session, look)
