"""A session without a page: plans of edits, runs with a checkpoint, the program's bytes, charts, listening."""

import asyncio
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tomlkit")

import roomfdtd as rf  # noqa: E402
from roomfdtd import _engine  # noqa: E402
from roomfdtd.errors import FdtdError, FileError, Interrupted, SceneError  # noqa: E402
from roomfdtd.studio import drawing, edits  # noqa: E402
from roomfdtd.studio.folder import OutsideFolder  # noqa: E402
from roomfdtd.studio.job import Job  # noqa: E402
from roomfdtd.studio.panel_notches import rows_of  # noqa: E402
from roomfdtd.studio.planner import Planner, places_of_faults  # noqa: E402
from roomfdtd.studio.problems import area_text, in_words  # noqa: E402
from roomfdtd.studio.runner import Runner, RunStatus  # noqa: E402
from roomfdtd.studio.session import Session  # noqa: E402
from roomfdtd.studio.view_keys import ViewKeys  # noqa: E402
from studio_scenes import BOX  # noqa: E402

ROOM = BOX.replace("0.2\n", "0.5\n").replace("100.0", "150.0   # Hz")
LID = (  # a box of 4 x 3 x 2 m without its lid
    "v 0 0 0\nv 4 0 0\nv 4 3 0\nv 0 3 0\nv 0 0 2\nv 4 0 2\nv 4 3 2\nv 0 3 2\nusemtl walls\nf 1 2 6 5\nf 2 3 7 6\n"
    "f 3 4 8 7\nf 4 1 5 8\nusemtl floor\nf 1 2 3 4\n"
)


def looked(folder, *texts):
    """The look of the last of these texts, asked for one after the other, and how often it was shown."""

    async def look():
        planner = Planner(folder, debounce=0.05)
        for text in texts:
            planner.request(text)
        return await planner.settled(), planner

    return asyncio.run(look())


def test_the_plan_is_that_of_the_latest_text(tmp_path):
    finer = ROOM.replace("150.0", "200.0")
    look, planner = looked(tmp_path, ROOM, ROOM.replace("150.0", "170.0"), finer)
    assert look.text == finer and look.error == ""
    assert look.plan["max_frequency"] == 200.0
    assert [one["name"] for one in look.surface["surfaces"]] == list(("x_min", "x_max", "y_min", "y_max", "z_min", "z_max"))
    assert not planner.busy and list(tmp_path.iterdir()) == [], "no file of a plan is left"


def test_mistakes_have_their_lines(tmp_path):
    look, _ = looked(tmp_path, ROOM.replace('"plasterboard"', '"plastrboard"'))
    (problem,) = look.problems
    assert look.plan is None and problem["line"] == 10 and "plasterboard" in problem["hint"]


def test_an_unknown_key_is_shown_with_its_line_and_the_nearest_one(tmp_path):
    look, _ = looked(tmp_path, ROOM.replace('method = "none"', 'methode = "none"'))
    (problem,) = look.problems
    assert problem["line"] == 6 and 'unknown key "methode"' in problem["message"] and problem["hint"] == "did you mean method?"


def test_a_folder_without_permission_to_write_is_named_with_a_remedy(tmp_path, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "room.toml").write_text(ROOM)
    session = Session(tmp_path, tmp_path / "room.toml")
    monkeypatch.setattr("tempfile.mkstemp", refused)
    look, _ = looked(tmp_path, ROOM)
    session.runner.start(ROOM, "room")
    status = session.runner.join(30)
    for error, hint in ((look.error, look.hint), (status.error, status.hint)):
        assert error == f"{tmp_path}: no scene can be written there: Permission denied" and "that you can write to" in hint
    with pytest.raises(FileError, match="other.toml: cannot be written: Permission denied\n.*that you can write to"):
        session.save("other")
    assert status.state == "failed" and (tmp_path / "room.toml").read_text() == ROOM


def test_faults_at_the_start_name_a_place_and_a_remedy(tmp_path):
    pytest.importorskip("nicegui")
    (tmp_path / "room.toml").write_text(ROOM)
    (tmp_path / "broken.toml").write_text("schema = = 1\n")
    for arguments, status, words, remedy in (
        (["none.toml"], 5, "none.toml: there is no such file", "begins with a box"),
        (["away/none.toml"], 5, "away: No such file or directory", "open a folder that exists"),
        (["broken.toml"], 2, "broken.toml: the scene is no TOML: ", "(at line 1, column 10)"),
        (["--port", "70000"], 2, "70000 is no port", "give 0 to 65535"),
        (["room.toml"], 3, "FDTD_PROGRAM = none: there is no such program", "set FDTD_PROGRAM to the path"),
    ):
        command = [sys.executable, "-m", "roomfdtd.studio", "--no-browser", *arguments]
        path = os.pathsep.join([str(Path(rf.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        env = os.environ | {"FDTD_PROGRAM": "none", "PYTHONPATH": path}
        ended = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60)
        assert ended.returncode == status and words in ended.stderr and remedy in ended.stderr, ended.stderr
        assert "Traceback" not in ended.stderr


def test_a_browser_that_comes_before_the_server_accepts_waits(tmp_path):
    pytest.importorskip("nicegui")
    code = (
        "import pathlib, socket; from roomfdtd.studio.server import Studio; from roomfdtd.studio.session import Session\n"
        f"studio = Studio(Session(pathlib.Path({str(tmp_path)!r})))\n"
        "socket.create_connection(('127.0.0.1', studio.port)).close()  # not refused"
    )
    path = os.pathsep.join([str(Path(rf.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    ended = subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def test_a_room_that_leaks_is_drawn_with_its_hole_and_the_leak(tmp_path):
    (tmp_path / "lid.obj").write_text(LID)
    look, _ = looked(tmp_path, ROOM.replace("box = [3.0, 2.5, 2.2]", 'mesh = "lid.obj"'))
    assert look.plan is None and "leaks" in look.error
    found = drawing.marks(look.surface, look.plan, look.places)
    assert any("hole" in mark.words and mark.position == (2.0, 1.5, 2.0) for mark in found)
    assert any(mark.words == "named by the error" for mark in found)
    assert len({mark.position for mark in found}) == len(found), "words do not lie upon each other"
    pytest.importorskip("trimesh")
    assert len(drawing.edges(look.surface, "open").stl) == 84 + 50 * 4 * 8, "four open edges, eight triangles each"
    assert {body.name for body in drawing.bodies(look.surface)} == {"walls", "floor"}
    assert len(drawing.normals(look.surface).stl) == 84 + 50 * 10 * 8


def test_places_of_a_grid_are_those_of_the_program(computed):
    grid = {"from": [0.5, 0.5, 1.0], "to": [2.5, 2.0, 1.0], "count": [3, 2, 1]}
    assert np.allclose(sorted(drawing.grid_places(grid)), sorted(computed.receiver_positions.tolist()))
    for wrong in (None, {}, {"from": 1, "to": 2, "count": 3}, grid | {"count": [3, 2]}, grid | {"count": [10**6, 10**6, 1]}):
        assert drawing.grid_places(wrong) == []


def test_positions_in_messages():
    assert places_of_faults("a leak near (1.5, -2, 3e-05): close it; at (1.2.3, 1, 1), at (-1e+08, 2, 3)") == [(1.5, -2.0, 3e-05), (-1e8, 2.0, 3.0)]


def test_coordinates_that_are_no_place_of_a_fault_are_not_marked(tmp_path):
    for message, faults in (
        ("sound gets out through an opening near (1, 2, 3); 2 holes: 2 m across at (4, 5, 6), 1 m across at (7, 8, 9)", 3),
        ("the mesh reaches from (0, 0, 0) to (3, 2.5, 2.2) m, with units and up as the scene gives them", 0),
        ("position (1, 1, 9) is outside the mesh, which reaches from (0, 0, 0) to (3, 2, 2) m the nearest point inside is (1, 1, 2)", 1),
        ("position (1, 1, 1) m is not in the room's air the nearest air is at (1, 1, 2) m, 1 m away", 1),
        ("node (3, 4, 5) at (0.3, 0.4, 0.5) m, pressure 1e+09", 1),
        ("the first beyond (1, 2, 3)", 1),
        ("turns the receivers: (0, 0, 1)", 0),
    ):
        assert len(places_of_faults(message)) == faults, message
    (tmp_path / "wedge.obj").write_text("v 0 0 0\nv 4 0 0\nv 0 3 0\nv 0 0 2\nv 4 0 2\nv 0 3 2\nf 1 3 2\nf 4 5 6\nf 1 2 5 4\nf 2 3 6 5\nf 3 1 4 6\n")
    wedge = ROOM.replace("box = [3.0, 2.5, 2.2]", 'mesh = "wedge.obj"').replace("[2.1, 1.7, 1.0]", "[1.0, 0.5, 1.0]")
    for place, words in (([3.5, 2.5, 1.0], "outside the room that the mesh encloses"), ([1.0, 1.0, 9.0], "outside the mesh")):
        look, _ = looked(tmp_path, wedge.replace("[0.8, 0.7, 1.1]", str(place)))
        assert words in look.error and "reaches from" in f"{look.error} {look.hint}" and list(look.places) == [tuple(place)], look


def test_a_run_gives_the_bytes_of_the_program_and_of_the_saved_file(tmp_path):
    (tmp_path / "room.toml").write_text(ROOM)
    session = Session(tmp_path, tmp_path / "room.toml")
    session.edit("move", lambda doc: edits.move(doc, "source", "S1", (1.0, 0.75, 1.2)))
    session.edit("carpet", lambda doc: edits.assign(doc, "floor", "carpet-heavy"))
    folder = session.runner.start(session.document.text, session.stem)
    status = session.runner.join(60)
    assert (status.state, status.error) == ("finished", "") and folder == tmp_path / "out/room"
    assert (tmp_path / "room.toml").read_text() == ROOM, "a run saves nothing"
    session.save()
    command = [_engine.program(), "run", "room.toml", "-o", "by_hand", "--quiet"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert (folder / "ir_R1.wav").read_bytes() == (tmp_path / "by_hand/ir_R1.wav").read_bytes()
    assert session.runner.start(session.document.text, session.stem) == tmp_path / "out/room-2", "no result is replaced"
    session.runner.join(60)
    assert session.runs() == ["out/room-2", "by_hand", "out/room"]


def test_a_run_is_stopped_and_resumed_to_the_same_bytes(tmp_path):
    # Seconds of steps, and a short response: the run is stopped long before its last step.
    text = ROOM.replace("duration = 0.5", "duration = 5.0").replace("150.0", "600.0").replace("[above]", 'stencil = "leggy-2"\n[above]')
    runner = Runner(tmp_path)
    folder = runner.start(text, "long")
    with pytest.raises(FdtdError, match="already"):
        runner.start(text, "other")
    deadline = time.monotonic() + 30
    while not runner.status.fraction and runner.status.active and time.monotonic() < deadline:
        time.sleep(0.01)
    assert runner.status.fraction is not None and "step" in runner.status.stage
    runner.stop()
    status = runner.join(30)
    assert status.state == "stopped" and runner.can_resume and not (folder / "result.h5").exists()
    runner.resume()
    assert runner.join(60).state == "finished" and not runner.can_resume
    whole = Runner(tmp_path)
    other = whole.start(text, "whole")
    assert whole.join(60).state == "finished"
    assert (folder / "ir_R1.wav").read_bytes() == (other / "ir_R1.wav").read_bytes()


class SceneCallOfRays:
    """A run that ends as one does that is stopped in its rays."""

    def __init__(self, hear):
        self.hear = hear

    def stop(self):
        pass

    def document(self):
        raise Interrupted("the program was ended by signal 2")


def test_a_run_that_is_ended_at_once_says_where(tmp_path):
    runner = Runner(tmp_path)
    runner._call = SceneCallOfRays(runner._hear)

    def ended():
        runner.status = RunStatus("running", tmp_path, ROOM, None, "rays and image sources: source 1 of 1, 9 rays")
        runner.stop()
        runner._work(runner._call.document)
        return runner.status.error

    assert "no checkpoint" in ended() and not runner.can_resume
    (tmp_path / "checkpoint.h5").touch()
    assert ended() == "in rays and image sources: source 1 of 1, 9 rays; Resume goes on from the latest checkpoint"
    assert runner.can_resume and runner.status.state == "stopped"


def test_lines_of_progress_are_no_message(tmp_path, monkeypatch):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho 'planning, 1 s: timing some steps' >&2\necho ' above, 2 s: source 1 of 1, 9 rays' >&2\necho 'fdtd: no room' >&2\nkill -INT $$\n")
    program.chmod(0o755)
    monkeypatch.setenv("FDTD_PROGRAM", str(program))
    heard = []
    job = Job(["run"], hear=heard.append)
    job._asked = True
    with pytest.raises(Interrupted) as raised:
        job.wait()
    assert heard[:2] == ["planning, 1 s: timing some steps", " above, 2 s: source 1 of 1, 9 rays"]
    assert "signal 2" in raised.value.message and "fdtd: no room" in raised.value.message
    assert "planning" not in raised.value.message and "rays" not in raised.value.message


def test_errors_and_areas_in_words(tmp_path):
    problems = [{"place": "room.mesh", "line": 8, "column": 8, "message": "is empty", "hint": "export it"}, {"place": "", "line": 1, "column": 1, "message": "schema", "hint": ""}]
    raw = "2 problems in scene.toml\nscene.toml:8:8: room.mesh: is empty\n   8 | mesh\n     | ^~~~"
    assert in_words(SceneError(raw, problems=problems)) == ("room.mesh: is empty; schema", "export it")
    assert in_words(FdtdError(" leaks\n", "close it")) == ("leaks", "close it")
    assert [area_text(area) for area in (0.534, 28.2, 1234.4, 2.8e7)] == ["0.534 m²", "28.2 m²", "1,234 m²", "28,000,000 m²"]
    (tmp_path / "empty.obj").write_text("")
    session = Session(tmp_path)
    with pytest.raises(FileError) as raised:
        session.new_mesh("empty.obj")
    assert in_words(raised.value) == (f"{tmp_path.resolve()}/empty.obj: is empty", "export the model again, or mend the file")
    assert [one.name for one in tmp_path.iterdir()] == ["empty.obj"]
    runner = Runner(tmp_path)
    runner.start(ROOM.replace('"plasterboard"', '"plastrboard"'))
    assert runner.join(30).error.count("\n") == 0 and "plastrboard" in runner.status.error and "^" not in runner.status.error


def test_a_run_is_stopped_while_rays_are_traced(tmp_path):
    runner = Runner(tmp_path)
    rays = ROOM.replace('method = "none"', 'method = "rays"\nrays = 100000000').replace("0.5", "0.1")
    runner.start(rays + "[materials.plasterboard]\nadmittance = 0.02\nscattering = 0.3\n")
    deadline = time.monotonic() + 60.0
    while "rays and image sources: source" not in runner.status.stage:
        assert time.monotonic() < deadline and runner.status.active, runner.status
        time.sleep(0.02)
    time.sleep(0.3)
    runner.stop()
    assert runner.status.state == "stopping" and runner.status.stage == "ending"
    before = time.monotonic()
    assert runner.join(20.0).state == "stopped"
    assert time.monotonic() - before < 5.0
    assert runner.can_resume and "after the last step" in runner.status.error
    runner.start(ROOM)
    assert runner.join(60.0).state == "finished", "the next run is not held up"


def test_notches_follow_the_plan(tmp_path):
    look, _ = looked(tmp_path, ROOM)
    rows = rows_of(look.notches)
    assert rows and {row["pair"] for row in rows} == {"S1 at R1"}
    assert [float(row["frequency"]) for row in rows] == sorted(float(row["frequency"]) for row in rows)
    assert rows[0]["wall"] in ("x_min", "x_max", "y_min", "y_max", "z_min", "z_max")
    assert rows_of(None) == []


class _Viewed:
    """A view of two points and a wall, which notes its messages."""

    def __init__(self):
        self.places = {("source", "S1"): (1.0, 1.0, 1.0), ("receiver", "R1"): (2.0, 1.0, 1.0)}
        self.done = []

    def selectable(self):
        return [*self.places, ("surface", "floor")]

    def place_of(self, key):
        return self.places.get(key)

    def move_to(self, key, place):
        self.places[key] = place

    def __getattr__(self, name):
        return lambda *values: self.done.append((name, *values))


def test_the_view_is_used_by_keys():
    view, said = _Viewed(), []
    keys = ViewKeys(view, lambda: 0.5, said.append)
    keys.press("ArrowUp")
    assert "first" in said[-1] and view.places["source", "S1"] == (1.0, 1.0, 1.0)
    for key, shift in (("n", False), ("ArrowRight", False), ("ArrowDown", False), ("PageUp", True), ("ArrowLeft", True)):
        keys.press(key, shift)
    assert view.places["source", "S1"] == (1.45, 0.5, 1.05) and said[-1] == "Source S1 at 1.45, 0.5, 1.05 m"
    keys.press("p")
    assert keys.selected == ("surface", "floor") and said[-1] == "Surface floor"
    keys.press("ArrowUp")
    assert "Select" in said[-1]
    for key in ("Enter", "d", "w", "+", "Home", "Escape"):
        keys.press(key)
    assert view.done[-6:] == [
        ("open_fields", ("surface", "floor")), ("turn", 10.0, 0.0), ("turn", 0.0, 10.0), ("zoom", 1.0 / 1.15), ("look_from", "corner"), ("select", None),
    ]  # fmt: skip
    assert keys.selected is None


def test_a_value_that_is_being_typed_is_not_replaced(monkeypatch):
    """Another edit arrives while a field holds a value that is not finished yet."""
    fields = pytest.importorskip("roomfdtd.studio.fields")

    class Props(dict):
        def __init__(self, element):
            self.element = element

        def __call__(self, _):
            return self.element

    class Field:
        def __init__(self, label, value, **_):
            self.value, self.calls, self.props = value, {}, Props(self)

        def classes(self, _):
            return self

        def on(self, name, call):
            self.calls[name] = call

        def set_value(self, value):
            self.value = value

    monkeypatch.setattr(fields.ui, "number", Field)
    taken = []
    field = fields.number("Waves up to / Hz", 300.0, taken.append)
    fields.show(field, 310.0)
    assert field.value == 310.0
    field.value = 250.0  # typed
    fields.show(field, 310.0)
    assert field.value == 250.0
    field.calls["keydown.enter"]()
    assert taken == [250.0]
    fields.show(field, 310.0)  # the scene has refused it, or an undo followed
    assert field.value == 310.0


def test_a_run_that_fails_says_why(tmp_path):
    runner = Runner(tmp_path)
    runner.start(ROOM.replace("[0.8, 0.7, 1.1]", "[8, 7, 1]"), "wrong")
    status = runner.join(30)
    assert status.state == "failed" and "outside" in status.error and not runner.can_resume


def test_a_mesh_is_opened_in_its_unit_with_materials_by_name_and_places_inside(tmp_path):
    plan = [(0, 0), (6000, 0), (6000, 3000), (3000, 3000), (3000, 5000), (0, 5000)]  # an L, in mm, whose middle lies at its corner
    lines = [f"v {x} {y} {z}" for z in (0, 2800) for x, y in plan] + ["usemtl carpet_floor", "f 1 6 5 4", "f 1 4 3 2", "usemtl Ceiling tiles", "f 7 8 9 10", "f 7 10 11 12"]
    lines += ["usemtl plaster_wall", *(f"f {i + 1} {(i + 1) % 6 + 1} {(i + 1) % 6 + 7} {i + 7}" for i in range(6))]
    (tmp_path / "models").mkdir()
    (tmp_path / 'models/a "b".obj').write_text("\n".join(lines))
    session = Session(tmp_path)
    notes = session.new_mesh('models/a "b".obj')
    assert 'units = "mm" is found by the size of rooms' in notes and not any("--" in one for one in notes)
    room = session.document.tables["room"]
    assert (room["mesh"], room["units"], room["up"]) == ('models/a "b".obj', "mm", "z")
    assert room["walls"] == {"carpet_floor": "carpet-thin", "Ceiling tiles": "ceiling-tile", "plaster_wall": "plaster-on-brick"}
    look, _ = looked(tmp_path, session.document.text)
    assert look.plan is not None, look.error
    for (x, y, _) in (session.points(kind)[0]["position"] for kind in ("source", "receiver")):
        assert 0.3 < x < 5.7 and 0.3 < y < 4.7 and (x < 2.7 or y < 2.7)
    session.new_mesh('models/a "b".obj', "cm")
    assert session.document.tables["room"]["units"] == "cm"
    (tmp_path / "open.obj").write_text(LID.replace("usemtl floor\nf 1 2 3 4\n", ""))
    assert any("no closed space was found" in one for one in session.new_mesh("open.obj"))
    assert {one.name for one in tmp_path.iterdir()} == {"models", "open.obj"}


def test_scenes_are_begun_opened_and_saved_in_the_folder_alone(tmp_path):
    opened = tmp_path / "opened"
    opened.mkdir()
    (opened / "lid.obj").write_text(LID)
    (tmp_path / "other.toml").write_text(ROOM)
    session = Session(opened)
    session.new_mesh("lid.obj")
    source, receiver = session.points("source")[0]["position"], session.points("receiver")[0]["position"]
    assert source != receiver and all(0.3 < x < side - 0.3 for place in (source, receiver) for x, side in zip(place, (4.0, 3.0, 2.0)))
    for attempt in (lambda: session.open("../other.toml"), lambda: session.new_mesh("../x.obj"), lambda: session.save("../x")):
        with pytest.raises(OutsideFolder):
            attempt()
    with pytest.raises(FileError):
        session.open("none.toml")
    with pytest.raises(FdtdError, match="no mesh"):
        session.new_mesh("none.obj")
    assert session.save("mine") == opened.resolve() / "mine.toml" and session.name == "mine.toml"
    assert tomllib.loads((opened / "mine.toml").read_text())["room"]["mesh"] == "lid.obj"
    with pytest.raises(SceneError):
        session.document.replace_text("typed", "schema = = 1")
