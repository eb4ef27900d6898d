"""The map of walls that decide T20: the scene that is computed, its process, and its colours on the walls."""

import asyncio
import json
import time
import tomllib
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("tomlkit")
pytest.importorskip("trimesh")
pytest.importorskip("scipy")

import roomfdtd as rf  # noqa: E402
from roomfdtd import _engine  # noqa: E402
from roomfdtd.errors import FdtdError, SceneError  # noqa: E402
from roomfdtd.studio import painting, sensitivity  # noqa: E402
from roomfdtd.studio.sensitivity import Question, Sensitivity, Sites, octaves_of, reduced  # noqa: E402
from roomfdtd.studio.session import Session  # noqa: E402

inside = pytest.mark.skipif(_engine._core is None, reason="a checkout without the extension")
ROOM = """schema = 1
[simulation]
duration = 0.6
max_frequency = 400.0
[room]
box = [2.4, 2.0, 1.6]
[room.walls]
default = "hard"
floor = "soft"
[materials.hard]
admittance = 0.03
[materials.soft]
admittance = 0.1
[[source]]
name = "S1"
position = [0.5, 0.6, 0.7]
[[source]]
name = "S2"
position = [0.7, 0.6, 0.7]
[[receiver]]
name = "desk"
position = [1.6, 1.1, 0.9]
pattern = "cardioid"
direction = [1, 0, 0]
[[receiver]]
name = "door"
position = [2.1, 1.7, 1.0]
[output]
snapshots = [{ plane = "z", position = 0.8, every = 0.001, end = 0.02 }]
"""


def test_the_scene_of_a_map_is_one_response_of_the_waves_in_the_octave():
    scene = tomllib.loads(reduced(ROOM, Question("S2", "desk", 125.0)))
    assert scene["simulation"] == {"duration": 0.6, "max_frequency": 250.0}
    assert [one["name"] for one in scene["source"]] == ["S2"]
    assert scene["receiver"] == [{"name": "desk", "position": [1.6, 1.1, 0.9]}]
    assert scene["above"] == {"method": "none"}
    assert "snapshots" not in scene["output"]
    assert tomllib.loads(reduced(ROOM, Question("S1", "desk", 250.0)))["simulation"]["max_frequency"] == 400.0
    with pytest.raises(SceneError, match="no receiver nobody"):
        reduced(ROOM, Question("S1", "nobody", 125.0))
    assert octaves_of(250.0) == [31.5, 63.0, 125.0] and octaves_of(355.0)[-1] == 250.0 and octaves_of(20.0) == []


def ended(work, seconds=120.0):
    status = work.join(seconds)
    assert status.state != "running"
    return status


@inside
def test_the_process_gives_the_map_of_the_package(tmp_path):
    question = Question("S1", "desk", 125.0)
    work = Sensitivity()
    work.start(ROOM, tmp_path, question)
    with pytest.raises(FdtdError, match="already"):
        work.start(ROOM, tmp_path, question)
    status = ended(work)
    assert status.state == "finished", status.error
    model = rf.WallModel(rf.Scene.parse(reduced(ROOM, question), tmp_path), [])
    expected = model.gradient([], rf.losses.reverberation_time(48000.0, 125.0), sensitivity=True)
    assert status.t20 == pytest.approx(expected.loss, rel=1e-5)
    assert status.sites.value == pytest.approx(expected.map.value, rel=1e-3, abs=1e-3 * np.abs(expected.map.value).max())
    assert list(status.sites.material) == expected.map.material
    by = status.sites.by_material()
    assert {name for name, _, _ in by} == {"hard", "soft"}
    assert sum(area * each for _, area, each in by) == pytest.approx(status.sites.total)
    assert status.sites.total == pytest.approx(1000 * sensitivity.STEP * (expected.map.area * expected.map.value).sum(), rel=1e-4)
    assert status.sites.total < 0.0


@inside
def test_a_map_is_stopped_fails_with_a_reason_and_is_forgotten(tmp_path):
    session = Session(tmp_path)
    work = session.sensitivity
    work.start(ROOM.replace("400.0", "3000.0").replace("0.6\n", "20.0\n", 1), tmp_path, Question("S1", "desk", 1000.0))
    child = work._child
    work.stop()
    assert ended(work).state == "stopped"
    assert child.wait(10) != 0
    work.start(ROOM.replace("duration = 0.6", "duration = 0.05"), tmp_path, Question("S1", "desk", 125.0))
    status = ended(work)
    assert status.state == "failed" and "decayed by 40 dB" in status.error and "duration" in status.hint
    session.new_box()
    assert work.status.state == "idle" and work.status.error == ""


@inside
def test_the_process_ends_with_the_studio(tmp_path):
    work = Sensitivity()
    work.start(ROOM.replace("400.0", "3000.0").replace("0.6\n", "20.0\n", 1), tmp_path, Question("S1", "desk", 1000.0))
    time.sleep(0.2)
    work._child.stdin.close()  # as where the studio is killed
    assert work._child.wait(30) != 0
    assert ended(work).state == "failed"


def box_surface():
    """Two walls of a room: the floor z = 0 and the wall x = 0, 4 m by 3 m and 3 m by 2 m; fronts are in the room."""
    vertices = [[0, 0, 0], [4, 0, 0], [4, 3, 0], [0, 3, 0], [0, 0, 2], [0, 3, 2]]
    triangles = [[0, 1, 2], [0, 2, 3], [0, 3, 5], [0, 5, 4]]
    surfaces = [{"name": "floor", "material": "m"}, {"name": "wall", "material": "m"}]
    return {"vertices": vertices, "triangles": triangles, "surface": [0, 0, 1, 1], "surfaces": surfaces}


def test_a_map_is_painted_where_its_sites_are(monkeypatch):
    h = 0.2
    grid = np.arange(0.5 * h, 4.0, h)
    floor = [(x, y, 0.5 * h) for x in grid for y in grid if y < 3.0]
    wall = [(0.5 * h, y, z) for y in grid for z in grid if y < 3.0 and z < 2.0]
    position = np.array(floor + wall)
    # The floor shortens T20 the more the larger x is, by up to 4 ms; the wall lengthens it by 1 ms each square metre.
    value = np.concatenate([[-100.0 * x * 0.001 for x, _, _ in floor], [0.1] * len(wall)])
    axis = np.array([2] * len(floor) + [0] * len(wall))
    sites = Sites(position, np.full(len(value), h * h), value, axis, ("m",) * len(value))
    corners, of = painting._cut(box_surface(), h)
    names = painting._materials(box_surface())
    sides = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    assert sides.max() <= 1.5 * h and areas.sum() == pytest.approx(18.0)
    front, back = painting._values(corners, of, names, sites)  # the floor's front is above it, the wall's is in the room
    assert np.isnan(back).all()
    centre = corners.mean(axis=1)
    on_wall = np.abs(corners[:, :, 0]).max(axis=1) == 0.0
    assert front[on_wall] == pytest.approx(1.0, abs=0.02), "sites of the floor do not run into the wall"
    away = ~on_wall & (centre[:, 0] > 2 * h) & (centre[:, 0] < 3.6)
    assert front[away] == pytest.approx(-centre[away, 0], abs=0.15)
    turned = painting._values(corners[:, ::-1], of, names, sites)
    assert np.isnan(turned[0]).all() and turned[1] == pytest.approx(front)
    bodies, end = painting.painted(box_surface(), sites)
    assert end == pytest.approx(3.8, abs=0.2)
    assert len({body.colour for body in bodies}) == len(bodies) >= 8
    assert sum((len(body.stl) - 84) // 50 for body in bodies) == len(painting._cut(box_surface(), 0.6 * h)[0])
    monkeypatch.setattr(painting, "MOST_TRIANGLES", 100)
    assert len(painting._cut(box_surface(), h)[0]) <= 100


def test_a_panel_has_a_value_on_each_side():
    h = 0.2
    grid = np.arange(0.5 * h, 2.0, h)
    position = np.array([(x, y, z) for z in (0.9, 1.1) for x in grid for y in grid])
    value = np.where(position[:, 2] > 1.0, 0.1, -0.2)
    sites = Sites(position, np.full(len(value), h * h), value, np.full(len(value), 2), ("m",) * len(value))
    panel = {"vertices": [[0, 0, 1], [2, 0, 1], [2, 2, 1], [0, 2, 1]], "triangles": [[0, 1, 2], [0, 2, 3]], "surface": [0, 0]}
    panel |= {"surfaces": [{"name": "panel", "material": "m"}]}
    above, below = painting._values(*painting._cut(panel, h), painting._materials(panel), sites)
    assert above == pytest.approx(1.0) and below == pytest.approx(-2.0)


def test_changes_in_words():
    change_text = pytest.importorskip("roomfdtd.studio.panel_sensitivity").change_text
    assert [change_text(one) for one in (-231.4, 0.0312, -9.94, 12.6)] == ["−231", "+0.031", "−9.9", "+13"]


def test_the_legend_of_a_map_follows_edits():
    panels = pytest.importorskip("roomfdtd.studio.panel_sensitivity")
    status = sensitivity.MapStatus("finished", Question("S1", "desk", 125.0), "computed")
    assert panels.legend(status, "computed") == "ms of T20 at desk, 125 Hz, by each m² whose admittance grows by 0.01"
    assert panels.legend(status, "edited").endswith(", before the latest edits")
    panel, answered = object.__new__(panels.SensitivityPanel), []
    panel._session = SimpleNamespace(sensitivity=SimpleNamespace(status=status, revision=3), document=SimpleNamespace(text="computed"))
    panel._seen, panel._fill, panel._ask_for_time = None, lambda: None, lambda: None
    panel._answer = lambda _: answered.append(panel._session.document.text)
    for panel._session.document.text in ("computed", "computed", "edited", "edited"):
        panel.sync()
    assert answered == ["computed", "edited"]


def test_a_map_is_not_asked_for_where_its_scene_has_no_plan():
    panels = pytest.importorskip("roomfdtd.studio.panel_sensitivity")
    enabled, work = [], SimpleNamespace(possible=True, status=sensitivity.MapStatus())
    look = SimpleNamespace(text="wrong", error="")
    panel = object.__new__(panels.SensitivityPanel)
    panel._session = SimpleNamespace(sensitivity=work, document=look, planner=SimpleNamespace(look=look, busy=False, folder=None))
    panel._compute = SimpleNamespace(set_enabled=enabled.append)
    panel._time = SimpleNamespace(set_text=lambda words: texts.append(words), is_deleted=False)
    panel._opened, panel._estimated, panel._planned, texts = SimpleNamespace(value=True), None, True, []
    panel._question = lambda: None
    look.error = "the source is outside"
    panel._ask_for_time()
    panel._allow()  # as where a map of another scene ends now
    assert enabled == [False, False] and texts == ["It follows a plan without mistakes."]
    for planned, possible, state, expected in (
        (True, True, "idle", True), (True, True, "finished", True), (False, True, "idle", False), (True, False, "idle", False), (True, True, "running", False),
    ):  # fmt: skip
        panel._planned, work.possible, work.status = planned, possible, sensitivity.MapStatus(state)
        panel._allow()
        assert enabled[-1] is expected


@pytest.mark.parametrize("fails", [True, False])
def test_a_plan_that_fails_leaves_no_map_to_ask_for(monkeypatch, fails):
    panels = pytest.importorskip("roomfdtd.studio.panel_sensitivity")

    class Call:
        def __init__(self, *_):
            pass

        def document(self):
            if fails:
                raise FdtdError("too large")
            return {"max_frequency": 126.0, "nodes": 12345, "predicted_seconds": 10.0}

    monkeypatch.setattr(panels, "SceneCall", Call)
    enabled, texts = [], []
    panel = object.__new__(panels.SensitivityPanel)
    panel._session = SimpleNamespace(sensitivity=SimpleNamespace(possible=True, status=sensitivity.MapStatus()), planner=SimpleNamespace(folder=None))
    panel._compute = SimpleNamespace(set_enabled=enabled.append)
    panel._time = SimpleNamespace(set_text=texts.append, is_deleted=False)
    panel._estimated, panel._planned = "key", False
    asyncio.run(panel._estimate("key", "text"))
    assert enabled == [not fails]
    expected = "No plan: too large" if fails else "About 27 s: two runs of the waves alone, up to 126 Hz, 12,345 nodes."
    assert texts == [expected]


def test_the_time_and_the_step_of_a_map_are_as_stated(root):
    """The time lies within measured ones; the absorption is Paris' integral over a real admittance."""
    ratios = [row["ratio"] for row in json.loads((root / "bench/results/epyc-2/gradient-cost.json").read_text())["rows"]]
    assert min(ratios) <= sensitivity.RUNS <= max(ratios)
    assert sensitivity.seconds_of({"predicted_seconds": 10.0}) == pytest.approx(10.0 * sensitivity.RUNS)
    assert sensitivity.seconds_of({}) is None
    z = 1.0 / sensitivity.STEP
    assert 8.0 / z * (1.0 + 1.0 / (1.0 + z) - 2.0 / z * np.log(1.0 + z)) == pytest.approx(sensitivity.ABSORPTION, abs=0.005)


def test_the_end_of_a_stopped_process_is_not_that_of_the_next_one():
    work, stopped = Sensitivity(), object()
    work._child, work.status = object(), sensitivity.MapStatus("running")
    work._take(stopped, {"error": "of the stopped one", "hint": ""})
    assert work.status.state == "running" and not work._at_work(stopped)
    work._take(work._child, {"error": "its own", "hint": ""})
    assert work.status.state == "failed" and work.status.error == "its own"
