"""The panels as a user finds them, on the server's side alone: values, edits, and controls that can be used."""

import asyncio
from types import SimpleNamespace

import pytest

pytest.importorskip("nicegui")
pytest.importorskip("trimesh")

from nicegui import ui  # noqa: E402
from nicegui.testing import user_simulation  # noqa: E402
from roomfdtd.studio.panel_points import PointsPanel  # noqa: E402
from roomfdtd.studio.runner import RunStatus  # noqa: E402
from roomfdtd.studio.session import Session  # noqa: E402
from studio_user import Shown, on_a_page, until  # noqa: E402

EARS = """
[[receiver]]
name = "head"
position = [2.0, 2.0, 1.2]
pattern = "binaural"
hrtf = "none.sofa"
"""


def test_fields_show_the_scene_and_change_it(tmp_path):
    session = Session(tmp_path, debounce=0.05)
    first = session.document.text

    async def look(shown):
        labels = shown.labels()
        plan = session.planner.look.plan
        assert labels[labels.index("Waves valid to") + 1] == f"{plan['valid_bandwidth']:.4g} Hz"
        assert labels[labels.index("Memory") + 1].endswith("MiB") and labels[labels.index("Grid") + 1].endswith(" mm")
        assert labels[labels.index("Duration") + 1] == f"{plan['duration']:.3g} s, {plan['steps']} steps"
        assert "new scene (not saved)" in labels and not shown["Undo"].enabled
        for axis, value in (("x", 1.5), ("y", 1.25), ("z", 1.0)):
            shown.fill(f"S1, {axis} in m", value)
        assert shown.point("source")["position"] == [1.5, 1.25, 1.0] and shown.point("receiver")["position"] == [3.5, 2.6, 1.2]
        for axis, value in (("x", 3.25), ("y", 2.5), ("z", 1.1)):
            shown.fill(f"R1, {axis} in m", value)
        assert shown.point("source")["position"] == [1.5, 1.25, 1.0] and shown.point("receiver")["position"] == [3.25, 2.5, 1.1]
        assert session.document.undo_label == "move R1"
        shown.fill("Name of receiver R1", "desk")
        await until(lambda: shown.has("desk, x in m"))
        with shown.user:
            shown["Pattern of desk"].set_value("cardioid")
        assert shown.point("receiver")["pattern"] == "cardioid" and shown.point("receiver")["direction"] == [1, 0, 0]
        await until(lambda: shown["Pattern of desk"].value == "cardioid")
        with shown.user:
            shown["Pattern of desk"].set_value("omni")
        assert set(shown.point("receiver")) == {"name", "position"}
        shown.use(shown.button("Add a receiver"))
        assert shown.point("receiver", 1)["name"] == "R1" and shown.point("receiver", 1)["position"] != shown.point("receiver")["position"]
        with shown.user:
            shown["Material of z_min"].set_value("carpet-heavy")
            shown["Above that"].set_value("none")
        for name, value in (("Waves up to / Hz", 200), ("Duration / s", "0.4"), ("Air / °C", 25), ("Width / m", 4.5)):
            shown.fill(name, value)
        before = session.document.text
        shown.fill("Duration / s", "long")
        assert session.document.text == before and any("number of seconds" in one for one in shown.user.notify.messages)
        tables = session.document.tables
        assert tables["room"] == {"box": [5.0, 4.5, 3.0], "walls": {"default": "plasterboard", "z_min": "carpet-heavy"}}
        assert tables["simulation"] == {"duration": 0.4, "max_frequency": 200} and tables["air"] == {"temperature": 25}
        assert tables["above"] == {"method": "none"}
        shown.fill("At / m", 1.1)
        assert "output" not in session.document.tables, "a place alone makes no film"
        (film,) = [one for one in shown.user.client.elements.values() if isinstance(one, ui.switch) and one.text == "Film of a slice"]
        with shown.user:
            film.set_value(True)
            assert session.document.tables["output"]["snapshots"][0]["position"] == 1.1
            film.set_value(False)
        assert "snapshots" not in session.document.tables["output"]
        await until(lambda: shown.has("Undo: no film"))
        while session.document.undo_label:
            shown.use(shown.button("Undo"))
        assert session.document.text == first
        await until(lambda: shown.has("Undo") and not shown["Undo"].enabled and shown["S1, x in m"].value == 1.25)

    on_a_page(session, look)


def test_a_field_that_is_left_after_an_undo_does_not_bring_its_value_back(tmp_path):
    session = Session(tmp_path, debounce=0.05)

    async def look(shown):
        for name, value, before in (("S1, x in m", 1.5, 1.25), ("Air / °C", 25, 20.0), ("Duration / s", "0.4", "auto")):
            with shown.user:
                shown[name].set_value(value)
                shown.use(shown[name], "keydown.enter")
                assert session.document.undo_label
                shown.use(shown["Undo"])
                shown.use(shown[name], "focusout")  # the click has taken the focus away
            assert not session.document.undo_label, name
            await until(lambda name=name, before=before: shown[name].value == before)

    on_a_page(session, look)


def test_a_run_can_be_stopped_resumed_and_is_not_begun_twice(tmp_path):
    session = Session(tmp_path, debounce=0.05)

    async def look(shown):
        runner, run, resume = session.runner, shown.button("Run"), shown.button("Resume")
        stop = next(one for one in shown.user.client.elements.values() if isinstance(one, ui.button) and one.text == "Stop")
        folder = tmp_path / "out/scene"
        folder.mkdir(parents=True)
        for status, checkpoint, words, can in (
            (RunStatus("running", folder, "", 0.25, "step 1 of 4"), False, "25 %, step 1 of 4", (False, True, False)),
            (RunStatus("stopping", folder, "", 0.25, "writing a checkpoint"), False, "25 %, writing a checkpoint", (False, False, False)),
            (RunStatus("stopped", folder, error="after step 1"), True, "Stopped: after step 1", (True, False, True)),
            (RunStatus("failed", folder, error="no room", hint="buy one"), False, "Failed: no room – buy one", (True, False, False)),
        ):
            (folder / "checkpoint.h5").unlink(missing_ok=True)
            if checkpoint:
                (folder / "checkpoint.h5").touch()
            runner.status, runner.revision = status, runner.revision + 1
            await until(lambda words=words: words in shown.labels())
            assert (run.enabled, stop.visible and stop.enabled, resume.visible) == can
        assert shown["Progress of the run"].visible is False

    on_a_page(session, look)


def test_a_mistake_is_shown_and_the_map_of_t20_waits_for_a_plan(tmp_path):
    session = Session(tmp_path, debounce=0.05)

    async def look(shown):
        shown.fill("S1, x in m", 50)
        await until(lambda: any("outside" in words for words in shown.labels()) and not session.planner.busy)
        alerts = [one for one in shown.user.client.elements.values() if one.props.get("role") == "alert"]
        assert len(alerts) == 1 and "Waves valid to" not in shown.labels()
        with shown.user:
            next(one for one in shown.user.client.elements.values() if isinstance(one, ui.expansion) and one.text == "Walls that decide T20").set_value(True)
        await until(lambda: "It follows a plan without mistakes." in shown.labels() or not session.sensitivity.possible)
        assert not shown.button("Compute the map").enabled
        shown.use(shown["Remove S1"])
        assert any("needs one source" in one for one in shown.user.notify.messages)

    on_a_page(session, look)


def test_a_pattern_that_has_no_choice_is_named(tmp_path):
    session = Session(tmp_path)
    session.document.replace_text("head", session.document.text + EARS)

    async def look():
        async with user_simulation() as user:

            @ui.page("/")
            def index():
                PointsPanel(session).sync()

            await user.open("/")
            assert "binaural" in Shown(user, SimpleNamespace()).labels()

    asyncio.run(look())
