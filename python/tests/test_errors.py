"""Errors of the engine name what the user has written: the lines of a scene's file, or the keys of a scene built in Python."""

import json
import pickle
from pathlib import Path

import pytest
import roomfdtd as rf
from roomfdtd import _engine, _toml
from roomfdtd.errors import key_of_line

inside = pytest.mark.skipif(_engine._core is None, reason="a checkout without the extension")

TEXT = """schema = 1

[simulation]
duration = 0.1
max_frequency = 400.0

[room]
box = [2.5, 2.0, 1.5]

[room.walls]
default = "plasterboard"

[[source]]
name = "S1"
position = [0.8, 0.7, 0.6]

[[source]]
name = "s1"
position = [0.8, 0.7, 7.6]

[[receiver]]
name = "R1"
position = [
  1.7,
  1.2,
  0.9,
]
"""


def built(**options):
    sources = [rf.Source("S1", (0.8, 0.7, 0.6)), rf.Source("s1", (0.8, 0.7, 7.6))]
    room = rf.Room.box(2.5, 2.0, 1.5, "plasterboard")
    return rf.Scene(room, sources, [(1.7, 1.2, 0.9)], duration=0.1, max_frequency=400.0, stencil="leggy-1", **options)


def test_the_key_of_a_line():
    lines = TEXT.splitlines()
    expected = {
        "schema = 1": "schema",
        "[simulation]": "simulation",
        "max_frequency = 400.0": "simulation.max_frequency",
        "[room.walls]": "room.walls",
        'default = "plasterboard"': "room.walls.default",
        "[[source]]": "source[0]",
        'name = "s1"': "source[1].name",
        "position = [0.8, 0.7, 7.6]": "source[1].position",
        "  1.2,": "receiver[0].position",
    }
    for line, key in expected.items():
        assert key_of_line(TEXT, lines.index(line) + 1) == key, line
    assert key_of_line(TEXT, 0) == ""
    odd = _toml.dumps({"materials": {"a = b [c]": {"alpha": 0.1}, 'q"': {"alpha": 0.2}}})
    assert key_of_line(odd, odd.splitlines().index("alpha = 0.2") + 1) == 'materials."q\\"".alpha'


class EngineError(Exception):
    """That of the extension; Dask pickles it with the exception that it became."""


class Refusing:
    """In the extension's place: problems of a scene as the engine states them."""

    EngineError = EngineError

    def check(self, text, name, overrides):
        lines = text.splitlines()
        at = lines.index("position = [0.8, 0.7, 7.6]") + 1
        named = lines.index('name = "S1"') + 1
        problems = [
            ("source.s1.position", at, 12, "is outside the box", "move it"),
            ("source.s1", at - 1, 8, f'the name "s1" is taken (line {named})', ""),
            ("", at, 1, "something odd", "mend it"),
            ("output.rate", 0, 1, "unknown key", ""),
        ]
        words = f"4 problems in {name}\n"
        for place, line, column, message, hint in problems:
            words += f"{name}:{line}:{column}: " if line else "--set output.rate=3: "
            words += (f"{place}: " if place else "") + message + "\n"
            words += f"{line or '':>5} | {lines[line - 1] if line else 'output.rate=3'}\n      | {' ' * column}^~~\n"
            words += f"  hint: {hint}\n" if hint else ""
        keys = ("place", "line", "column", "message", "hint")
        raise self.EngineError(2, words, "", json.dumps([dict(zip(keys, one, strict=True)) for one in problems]))

    def plan(self, text, name, overrides, device, threads):
        raise self.EngineError(3, f"{name}: the room has no space", "", "[]")


@pytest.fixture
def refusing(monkeypatch):
    monkeypatch.setattr(_engine, "_core", Refusing())


def error_of(call):
    with pytest.raises(rf.FdtdError) as caught:
        call()
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    return caught.value


def test_a_scene_built_in_python_has_keys_in_its_errors(refusing):
    error = error_of(built().check)
    assert str(error) == error.message == (
        "4 problems in the scene\n"
        "source.s1.position: is outside the box\n"
        "  hint: move it\n"
        'source.s1: the name "s1" is taken (source[0].name)\n'
        "source[1].position: something odd\n"
        "  hint: mend it\n"
        "overrides output.rate=3: output.rate: unknown key\n"
        "      | output.rate=3\n"
        "      |  ^~~"
    )
    assert [one["place"] for one in error.problems] == [
        "source.s1.position",
        "source.s1",
        "source[1].position",
        "output.rate",
    ]
    assert "source[0].name" in error.problems[1]["message"]
    assert str(error_of(built().plan)) == "the room has no space"
    again = rf.Scene.parse(TEXT, check=False).replace({"simulation.duration": 0.2})  # whose lines nobody wrote
    assert str(error_of(again.check)).startswith("4 problems in the scene\nsource.s1.position: is outside")


def test_a_file_and_a_text_have_their_names_and_lines(refusing, tmp_path: Path):
    path = tmp_path / "hall.toml"
    path.write_text(TEXT)
    line = TEXT.splitlines().index("position = [0.8, 0.7, 7.6]") + 1
    for call, name in ((lambda: rf.Scene.from_toml(path), str(path)), (lambda: rf.Scene.parse(TEXT), "<text>")):
        error = error_of(call)
        begin = f"4 problems in {name}\n{name}:{line}:12: source.s1.position: is outside the box\n   19 | position = [0.8"
        assert error.message.startswith(begin)
        assert error.problems[2]["place"] == ""
    scene = rf.Scene.parse(TEXT, check=False)
    assert str(error_of(scene.plan)) == "<text>: the room has no space"


def test_a_scene_of_the_engine_has_keys_in_its_errors():
    error = error_of(built().check)
    assert error.message.startswith('2 problems in the scene\nsource.s1: the name differs from "S1" (source[0].name) by')
    assert "\nsource.s1: position (0.8, 0.7, 7.6) is outside the room" in error.message
    assert "scene.toml" not in error.message and " | " not in error.message
    lost = rf.Scene(rf.Room.from_file("no.obj", "plasterboard"), [(1, 1, 1)], [(1, 2, 1)], duration=0.1, max_frequency=99)
    error = error_of(lost.check)
    for words in (error.message, error.problems[0]["hint"]):
        assert "relative to `folder` of the scene, or to the current folder" in words
    assert error.message.startswith('1 problem in the scene\nroom.mesh: "no.obj" does not exist')


def test_notes_of_a_plan_have_keys():
    spare = rf.Material.absorption([125], [0.1])
    scene = rf.Scene(
        rf.Room.box(2.5, 2, 1.5, "plasterboard"),
        [(1, 1, 1)],
        [(2, 1, 1)],
        duration=0.1,
        max_frequency=99,
        materials={"spare": spare},
    )
    (note,) = (one for one in scene.plan().warnings if "spare" in one)
    assert 'no wall has the material "spare" (materials.spare' in note and "(line" not in note
    (note,) = (one for one in rf.Scene.parse(scene.to_toml()).plan().warnings if "spare" in one)
    assert '"spare" (line ' in note


@inside
def test_a_model_of_gradients_has_keys_in_its_errors():
    scene = built(above={"method": "none"})
    error = error_of(lambda: rf.WallModel(scene))
    assert "source.s1: position " in error.message and "scene.toml" not in error.message and "/" not in error.message
