"""Dialogs, files, the text and the appearance on the server's side: which scene is opened, begun, saved, kept or replaced."""

import asyncio
from types import SimpleNamespace

import pytest

pytest.importorskip("nicegui")
pytest.importorskip("trimesh")

from nicegui import ui  # noqa: E402
from roomfdtd.studio import charts, edits  # noqa: E402
from roomfdtd.studio.material_dialog import KINDS  # noqa: E402
from roomfdtd.studio.sensitivity import MapStatus, Question  # noqa: E402
from roomfdtd.studio.session import Session  # noqa: E402
from roomfdtd.studio.text_page import THEMES  # noqa: E402
from studio_scenes import BOX  # noqa: E402
from studio_user import on_a_page, until  # noqa: E402

COMMENTED = BOX.replace("[room.walls]\n", '[room.walls]   # by name\nfloor = "carpet-heavy"  # new in spring\nwalls = "linoleum"\n') + "# the end\n"
MESH = (
    "v 0 0 0\nv 4 0 0\nv 4 3 0\nv 0 3 0\nv 0 0 2\nv 4 0 2\nv 4 3 2\nv 0 3 2\nusemtl walls\nf 1 2 6 5\nf 2 3 7 6\n"
    "f 3 4 8 7\nf 4 1 5 8\nusemtl floor\nf 1 4 3 2\nusemtl lid\nf 5 6 7 8\n"
)


def latest(shown, kind, label):
    """The latest element of a class with this label: of the dialog that was opened last."""
    return [one for one in shown.all(kind) if one.props.get("label") == label][-1]


def press(shown, words):
    shown.use([one for one in shown.all(ui.button) if one.text == words][-1])


def test_scenes_meshes_and_boxes_are_opened_by_the_dialog(tmp_path):
    (tmp_path / "a.toml").write_text(BOX)
    (tmp_path / "b.toml").write_text(COMMENTED)
    (tmp_path / "room.obj").write_text(MESH)
    session = Session(tmp_path, debounce=0.05)

    async def look(shown):
        press(shown, "Open")
        assert latest(shown, ui.select, "Scene").options == ["a.toml", "b.toml"] and latest(shown, ui.select, "Mesh").options == ["room.obj"]
        shown.choose(latest(shown, ui.select, "Scene"), "b.toml")
        press(shown, "Open the scene")
        assert session.document.text == COMMENTED and not shown.named("Open")[-1].value
        await until(lambda: "b.toml" in shown.labels() and shown["S1, y in m"].value == 0.7)
        press(shown, "Open")
        for label, value in (("x / m", 6.0), ("y / m", 5.0), ("z / m", 4.0)):
            shown.choose(latest(shown, ui.number, label), value)
        press(shown, "New box")
        assert session.document.tables["room"]["box"] == [6.0, 5.0, 4.0] and session.document.path is None
        press(shown, "Open")
        for label, value in (("Mesh", "room.obj"), ("Unit", "m"), ("Up", "z")):
            shown.choose(latest(shown, ui.select, label), value)
        press(shown, "New from the mesh")
        room = session.document.tables["room"]
        assert (room["mesh"], room["units"], room["up"]) == ("room.obj", "m", "z")
        await until(lambda: shown.has("Material of lid"))
        assert shown["Material of lid"].value == "plasterboard"
        assert "suggested by the names of surfaces" in shown.user.notify.messages[-1]
        session.edit("a material of the surface's name", lambda doc: (doc["room"]["walls"].pop("lid"), edits.define_material(doc, "lid", {"admittance": 0.1})))
        await until(lambda: shown["Material of lid"].value == "lid")
        press(shown, "Open")
        press(shown, "Open the scene")
        assert any(one for one in shown.user.notify.messages) and session.document.tables["room"]["mesh"] == "room.obj"

    on_a_page(session, look)


def test_a_scene_is_saved_with_its_comments_and_another_program_is_not_overwritten(tmp_path):
    path = tmp_path / "room.toml"
    path.write_text(COMMENTED)
    session = Session(tmp_path, path, debounce=0.05)

    async def look(shown):
        shown.fill("R1, z in m", 1.25)
        await until(lambda: "room.toml (not saved)" in shown.labels())
        press(shown, "Save")
        assert path.read_text() == COMMENTED.replace("[2.1, 1.7, 1.0]", "[2.1, 1.7, 1.25]")
        await until(lambda: "room.toml" in shown.labels())
        press(shown, "Save as")
        shown.choose(latest(shown, ui.input, "Name"), "other")
        press(shown, "Save")
        assert (tmp_path / "other.toml").read_text() == path.read_text() and session.name == "other.toml"
        other = tmp_path / "other.toml"
        for words, kept in (("Cancel", "theirs"), ("Reload", "theirs"), ("Replace", "mine")):
            shown.fill("R1, z in m", 1.5)
            mine, theirs = session.document.text, other.read_text() + "# theirs\n"
            other.write_text(theirs)
            await until(lambda: any(one.text == "changed by another program" and one.visible for one in shown.all(ui.label)))
            shown.use([one for one in shown.all(ui.button) if one.text == "Save"][0])
            press(shown, words)
            assert other.read_text() == (theirs if kept == "theirs" else mine)
            assert session.document.text == (theirs if words == "Reload" else mine)
            if words == "Reload":
                assert session.document.undo() == "reload the file" and session.document.text == mine

    on_a_page(session, look)


def test_materials_of_walls_are_those_of_the_text_and_own_ones_can_be_chosen(tmp_path):
    path = tmp_path / "room.toml"
    path.write_text(COMMENTED)
    session = Session(tmp_path, path, debounce=0.05)

    async def look(shown):
        def chosen():
            return [shown[f"Material of {wall}"].value for wall in ("x_min", "y_max", "z_min", "z_max")]

        await until(lambda: chosen() == ["linoleum", "linoleum", "carpet-heavy", "plasterboard"])
        shown.choose("Material of z_min", "brick-painted")
        walls = session.document.tables["room"]["walls"]
        assert walls == {"floor": "brick-painted", "walls": "linoleum", "default": "plasterboard"}, "the floor's key has the name that the file gave it"
        assert "# new in spring" in session.document.text
        (kind,) = [one for one in shown.all(ui.toggle) if "porous" in one.options]
        for name, of, fields, expected in (
            ("felt", "absorption", {"125 Hz": 0.1, "1000 Hz": 0.6}, {"absorption": {"bands": [125, 1000], "alpha": [0.1, 0.6]}}),
            ("board", "admittance", {"ρc/Z": 0.02}, {"admittance": 0.02}),
            ("wool", "porous", {"Flow resistivity / (Pa s/m²)": 9000, "Thickness / m": 0.1, "Air gap / m": 0.2}, {"porous": {"flow_resistivity": 9000, "thickness": 0.1, "air_gap": 0.2}}),
            ("stone", "rigid", {}, {"rigid": True}),
        ):
            press(shown, "Own material …")
            shown.choose([one for one in shown.all(ui.input) if one.props.get("placeholder") == "curtain"][0], name)
            shown.choose(kind, of)
            for label, value in fields.items():
                shown.choose(latest(shown, ui.number, label), value)
            press(shown, "Define")
            assert session.document.tables["materials"][name] == expected and session.document.undo_label == f"material {name}" and of in KINDS
        await until(lambda: "felt" in shown["Material of x_min"].options)
        shown.choose("Material of x_min", "felt")
        assert session.document.tables["room"]["walls"]["x_min"] == "felt"
        await until(lambda: chosen()[0] == "felt")
        shown.fill("S1, x in m", 50.0)
        await until(lambda: session.planner.look.error and not session.planner.busy)
        session.document.edit("x_max", lambda doc: doc["room"]["walls"].update({"x_min": "stone"}))
        await until(lambda: chosen()[0] == "stone")

    on_a_page(session, look)


def test_the_text_is_applied_and_words_that_are_not_applied_stay(tmp_path):
    session = Session(tmp_path, debounce=0.05)

    async def look(shown):
        (editor,) = shown.all(ui.codemirror)
        await until(lambda: editor.value == session.document.text)
        shown.fill("S1, x in m", 2.0)
        await until(lambda: editor.value == session.document.text and "[2.0, 1.2, 1.2]" in editor.value)
        typed = editor.value.replace("250.0", "200.0") + "# mine\n"
        shown.choose(editor, typed)
        shown.fill("S1, x in m", 3.0)
        await until(lambda: shown.page._seen[1] == session.document.revision)
        assert editor.value == typed, "an edit elsewhere leaves typed words alone"
        shown.choose(editor, "schema = = 1")
        before = session.document.text
        press(shown, "Apply")
        assert session.document.text == before and any("no TOML" in one for one in shown.user.notify.messages)
        shown.choose(editor, typed)
        press(shown, "Apply")
        assert session.document.text == typed and session.document.undo_label == "edit the text"
        session.document.undo()
        await until(lambda: editor.value == before)

    on_a_page(session, look)


def test_the_button_of_the_appearance_and_the_system_are_followed(tmp_path):
    session = Session(tmp_path, debounce=0.05)

    async def look(shown):
        look_of_page, (editor,), (dark,) = shown.page._look_of_page, shown.all(ui.codemirror), shown.all(ui.dark_mode)
        for value, words in ((True, "dark"), (False, "light"), (None, "as the system")):
            shown.use([one for one in shown.all(ui.button) if (one.props.get("aria-label") or "").startswith("Appearance")][0])
            assert dark.value is value and shown.has(f"Appearance: {words}")
        repainted = []
        look_of_page.changed.append(lambda: repainted.append(look_of_page.dark))
        for seen in (True, True, False):
            with shown.user:
                look_of_page._seen(SimpleNamespace(args=seen))
            assert editor.theme == THEMES[seen]
        assert repainted == [True, False]

    on_a_page(session, look)
    assert charts.theme(False) != charts.theme(True)


def test_a_map_of_t20_is_asked_for_as_it_was_chosen(tmp_path, monkeypatch):
    path = tmp_path / "room.toml"
    path.write_text(COMMENTED.replace("# the end", '[[source]]\nname = "S2"\nposition = [2.0, 0.7, 1.1]\n[[receiver]]\nname = "R2"\nposition = [1.0, 1.7, 1.0]\n# the end'))
    session = Session(tmp_path, path, debounce=0.05)
    work = session.sensitivity
    if not work.possible:
        pytest.skip("a checkout without the extension")
    asked = []
    monkeypatch.setattr(work, "start", lambda text, folder, question: asked.append((text, question)))

    async def look(shown):
        shown.choose([one for one in shown.all(ui.expansion) if one.text == "Walls that decide T20"][0], True)
        await until(lambda: shown["Octave"].value is not None)
        for name, value in (("Source", "S2"), ("Receiver", "R2"), ("Octave", 31.5)):
            shown.choose(name, value)
        await until(lambda: any("up to 63 Hz" in one for one in shown.labels()))
        press(shown, "Compute the map")
        assert asked == [(session.document.text, Question("S2", "R2", 31.5))]
        stops = []
        monkeypatch.setattr(work, "stop", lambda: stops.append(1))
        work.status, work.revision = MapStatus("running", asked[0][1], session.document.text, "first run"), work.revision + 1
        await until(lambda: any(one.startswith("first run, ") for one in shown.labels()))
        assert not shown.button("Compute the map").enabled
        await asyncio.sleep(0)

    on_a_page(session, look)
