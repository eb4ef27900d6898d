"""Scenes in code and from TOML: the same checks, the same bytes."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import roomfdtd as rf


def test_code_and_text_make_the_same_scene(box: rf.Scene, tmp_path: Path) -> None:
    path = box.save(tmp_path / "box.toml")
    again = rf.Scene.from_toml(path)
    assert again.to_toml() == box.to_toml()
    assert again.document["room"]["walls"] == {"default": "default", "floor": "carpet-heavy"}
    assert again.document["materials"] == {"default": {"admittance": 0.05}}
    with pytest.raises(rf.FileError, match="exists already"):
        box.save(path)
    box.save(path, force=True)


def test_plan_has_the_fields_of_the_program(box: rf.Scene) -> None:
    plan = box.plan(threads=1)
    assert plan.nodes == np.prod(plan.grid) == np.prod(plan["grid"])
    assert plan.valid_bandwidth <= 500.0
    assert plan.memory_bytes > 0
    assert "memory" in repr(plan) and "<table>" in plan._repr_html_()
    with pytest.raises(AttributeError, match="no field 'nonsense'"):
        _ = plan.nonsense
    finer = box.plan(overrides=["simulation.max_frequency=1000"])
    assert finer.nodes > 4 * plan.nodes


def test_all_problems_are_listed_with_place_and_hint() -> None:
    scene = rf.Scene(
        rf.Room.box(5, 4, 3, "plasterbord"), sources=[(1, 1, 1)], receivers=[(7, 1, 1)], duration=0.1, max_frequency=-3
    )
    with pytest.raises(rf.SceneError) as caught:
        scene.check()
    error = caught.value
    assert error.status == 2
    problems = {problem["place"].split(".")[0]: problem for problem in error.problems}
    assert set(problems) >= {"receiver", "simulation"}
    assert len(error.problems) == 3
    outside = problems["receiver"]
    lines = scene.to_toml().splitlines()
    assert "position" in lines[outside["line"] - 1] and outside["column"] > 1
    assert "outside the room" in outside["message"] and "nearest point inside" in outside["hint"]
    assert any("plasterboard" in problem["hint"] for problem in error.problems)
    assert "outside the room" in str(error) and "^" not in str(error)  # the user has written no line
    copy = pickle.loads(pickle.dumps(error))
    assert copy.problems == error.problems and str(copy) == str(error)


def test_a_file_with_problems_raises_at_once(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("schema = 1\n[simulation]\ndurashun = 1\n")
    with pytest.raises(rf.SceneError) as caught:
        rf.Scene.from_toml(path)
    assert any("did you mean duration" in problem["hint"] for problem in caught.value.problems)
    path.write_text("schema = ")
    with pytest.raises(rf.SceneError):
        rf.Scene.from_toml(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(rf.SceneError, match="UTF-8"):
        rf.Scene.from_toml(path)
    with pytest.raises(rf.FileError):
        rf.Scene.from_toml(tmp_path / "absent.toml")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["bad.toml"]  # nothing is left behind


def test_replace(box: rf.Scene) -> None:
    other = box.replace(
        {
            "simulation.duration": 0.1,
            "source.left.position": [0.7, 0.7, 0.7],
            "receiver.1.name": "second",
            "air.temperature": 25.0,
            "materials.default": rf.Material.rigid(),
            "simulation.stencil": None,
        }
    )
    document = other.document
    assert document["simulation"] == {"duration": 0.1, "max_frequency": 500.0}
    assert document["source"][0]["position"] == [0.7, 0.7, 0.7]
    assert document["receiver"][1]["name"] == "second"
    assert document["air"] == {"temperature": 25.0}
    assert document["materials"]["default"] == {"rigid": True}
    assert box.document["simulation"]["duration"] == 0.25
    with pytest.raises(rf.SceneError, match="'middle'"):
        box.replace({"source.middle.position": [1, 1, 1]})
    with pytest.raises(rf.SceneError, match="no table"):
        box.replace({"simulation.duration.seconds": 1})


def test_materials_of_every_kind(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("frequency, alpha\n125, 0.1\n250, 0.2\n500, 0.3\n")
    walls = {
        "x_min": rf.Material.absorption([125, 250, 500], [0.1, 0.2, 0.3]),
        "x_max": rf.Material.impedance([125, 500, 2000], [4 - 9j, 2 - 2.2j, 1.1 - 0.3j]),
        "y_min": rf.Material.porous(12000, 0.05, 0.1),
        "y_max": rf.Material.branches([(1e-3, 0.8, 120.0)]),
        "z_min": rf.Material.library("carpet-heavy"),
        "z_max": rf.Material.file("own.csv"),
    }
    how = {"duration": 0.05, "grid_spacing": 0.2, "stencil": "leggy-1"}
    scene = rf.Scene(rf.Room.box(2, 2, 2, walls), [(0.5, 0.5, 0.5)], [(1, 1, 1)], folder=tmp_path, **how)
    assert {material["name"] for material in scene.plan()["materials"]} == set(walls)
    shared = rf.Material.rigid()
    names = rf.Scene(
        rf.Room.box(2, 2, 2, {"default": shared, "floor": shared}),
        [(0.5, 0.5, 0.5)],
        [(1, 1, 1)],
        duration=0.05,
        max_frequency=400,
        materials={"concrete": shared},
    ).document
    assert names["room"]["walls"] == {"default": "concrete", "floor": "concrete"}
    assert list(names["materials"]) == ["concrete"]


def test_receivers_in_one_table() -> None:
    scene = rf.Scene(
        rf.Room.box(6, 5, 3, "plasterboard"),
        [(1, 1, 1)],
        [
            rf.Receiver.grid("grid", (1, 1, 1.2), (3, 2, 1.2), (3, 2, 1)),
            rf.Receiver.line("line", (1, 3, 1), (4, 3, 1), 4),
            rf.Receiver.arc("arc", (3, 2.5, 1), (4, 2.5, 1), 90, 3, pattern="cardioid", direction=(0, 1, 0)),
            rf.Receiver.at("list", [(2, 4, 1), (3, 4, 1)]),
            (5, 4, 2),
        ],
        duration=0.05,
        max_frequency=150,
        stencil="leggy-1",
    )
    result = scene.run()
    places = dict(zip(result.receivers, result.receiver_positions.tolist(), strict=True))
    assert len(places) == 6 + 4 + 3 + 2 + 1
    assert places["grid_6"] == [3, 2, 1.2] and places["line_2"] == [2, 3, 1]
    assert places["arc_3"] == pytest.approx([3, 3.5, 1])
    assert places["list_2"] == [3, 4, 1] and places["R5"] == [5, 4, 2]
    with pytest.raises(rf.SceneError, match=r"source\.S\.position: three numbers"):
        rf.Source("S", (1, 2)).table()


def test_a_receiver_moves(tmp_path: Path) -> None:
    (tmp_path / "walk.csv").write_text("t,x,y,z\n0,2,2,1\n1,3,2,1\n")
    scene = rf.Scene(
        rf.Room.box(6, 5, 3, "plasterboard"),
        [(1, 1, 1)],
        [rf.Receiver.along("walk", "walk.csv")],
        duration=0.05,
        max_frequency=150,
        stencil="leggy-1",
        folder=tmp_path,
    )
    assert scene.document["receiver"] == [{"name": "walk", "path": "walk.csv"}] and scene._repr_html_()
    places = scene.run().receiver_positions
    assert places[0].tolist() == [2, 2, 1] and len(places) > 2 and (places[:, 1:] == [2, 1]).all()


def test_measured_source() -> None:
    table = rf.Source(
        "S",
        (1, 2, 1),
        direction=(1, 0, 0),
        directivity="a.sofa",
        up=(0, 1, 0),
        on_axis="as measured",
        measurement="sum",
        order=2,
    ).table()
    assert table == {
        "name": "S",
        "position": [1, 2, 1],
        "direction": [1, 0, 0],
        "directivity": "a.sofa",
        "up": [0, 1, 0],
        "on_axis": "as measured",
        "measurement": "sum",
        "order": 2,
    }


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({"sources": (1, 1, 1)}, "sources: a list is needed, not (1, 1, 1)"),
        ({"sources": rf.Source("S", (1, 1, 1))}, "sources: a list is needed"),
        ({"receivers": rf.Receiver("R", (1, 1, 1))}, "receivers: a list is needed"),
        ({"sources": [(1, 1)]}, "source.S1.position: three numbers are needed, not (1, 1)"),
        ({"receivers": [rf.Receiver("R", ("a", 1, 1))]}, "receiver.R.position: three numbers are needed"),
        ({"receivers": [rf.Receiver("R", (1, 1, 1), "cardioid", 3)]}, "receiver.R.direction: three numbers"),
        ({"room": {"box": [3, 3, 3]}}, "room: a Room is needed"),
        ({"room": rf.Room.box("a", 3, 3, "plasterboard")}, 'room.box[0]: must be a number, not the text "a"'),
        ({"air": [20]}, "air: a mapping is needed, not [20]"),
        ({"materials": {"own": "plasterboard"}}, "materials.own: a Material is needed, not 'plasterboard'"),
        ({"max_frequency": 3j}, "simulation.max_frequency: 3j of type complex is no value of a scene"),
        ({"duration": "long"}, 'simulation.duration: must be a number, not the text "long"'),
    ],
)
def test_a_wrong_argument_has_its_place(argument: dict[str, Any], message: str) -> None:
    right = {"room": rf.Room.box(3, 3, 3, "plasterboard"), "sources": [(1, 1, 1)], "receivers": [(2, 2, 2)]}
    with pytest.raises(rf.SceneError) as caught:
        rf.Scene(**(right | {"duration": 0.1, "max_frequency": 200} | argument)).check()
    assert message in str(caught.value)
    assert message.startswith(caught.value.problems[0]["place"])


def test_walls_and_overrides_of_another_type(box: rf.Scene) -> None:
    with pytest.raises(rf.SceneError, match=r"room\.walls: a material, or .* not None"):
        rf.Room.box(3, 3, 3, None)  # type: ignore[arg-type]
    with pytest.raises(rf.SceneError, match="is one text\n  hint: give a list"):
        box.plan(overrides="simulation.duration=1")


def test_numbers_of_numpy_and_paths(tmp_path: Path) -> None:
    (tmp_path / "Stoß.csv").write_text("frequency,alpha\n125,0.1\n250,0.2\n500,0.3\n")
    scene = rf.Scene(
        rf.Room.box(np.float32(3.5), np.int64(3), np.float64(2.5), rf.Material.file(Path("Stoß.csv"))),
        np.array([[1, 1, 1], [2, 1, 1]]),
        [rf.Receiver("Hörer ß", np.array([1.5, 2, 1]))],
        duration=np.float32(0.125),
        max_frequency=np.int32(200),
        remove_time_dispersion=np.bool_(True),
        output={"sample_rate": np.int64(8000)},
        folder=tmp_path,
    )
    result = scene.run(tmp_path / "Größe")
    assert result.receivers == ["Hörer ß"] and result.response("Hörer ß", "S2").shape == (1000,)
    assert rf.open_result(tmp_path / "Größe").scene.document == scene.document


def test_a_scene_without_check_is_shown() -> None:
    for text in ("x = 1", "x = [", "room = 3\nsource = 1\nreceiver = 1\nsimulation = 1"):
        scene = rf.Scene.parse(text, check=False)
        assert "check() lists them" in repr(scene) and "check() lists them" in scene._repr_html_()


def test_shown_in_notebooks(box: rf.Scene) -> None:
    html = box._repr_html_()
    assert html.count("<circle") == 5 and "<svg" in html and "leggy-2" in html
    line = rf.Receiver.line("l", (1, 1, 1), (2, 1, 1), 5)
    seats = [rf.Receiver.grid("seat", (0.5, 0.5, 1), (2, 1.5, 1), (4, 3, 1)), line]
    many = rf.Scene(rf.Room.box(2.4, 2, 1.6, "plasterboard"), [(1, 1, 1)], seats, duration=0.1, max_frequency=300)
    assert many._repr_html_().count("<circle") == 1 + 12 + 5
    assert "sources left, right" in repr(box)
    assert "<table>" in rf.materials()._repr_html_()


def test_the_catalogue() -> None:
    stencils = {entry["name"]: entry for entry in rf.stencils()}
    assert len(stencils) > 200 and stencils["leggy-4/taylor"]["points"] == 25


def test_scenes_travel_between_processes(box: rf.Scene) -> None:
    assert pickle.loads(pickle.dumps(box)).to_toml() == box.to_toml()
