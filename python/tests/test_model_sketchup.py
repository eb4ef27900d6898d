"""SketchUp models as openskp writes them: what is hidden, and faces whose sides differ."""

from pathlib import Path
from typing import Any

import pytest
import roomfdtd as rf
from roomfdtd.models import import_model

openskp = pytest.importorskip("openskp")
pytest.importorskip("mapbox_earcut")


def square(z: float) -> list[tuple[float, float, float]]:
    """Of 1 m2 at a height in m, in inches."""
    return [(x / 0.0254, y / 0.0254, z / 0.0254) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]


def saved(builder: Any, path: Path) -> Path:
    builder.save(str(path))
    return path


def test_hidden_faces_groups_and_tags_are_left_out_with_their_number(tmp_path: Path) -> None:
    builder = openskp.create()
    wood, brick = builder.add_material("wood", (1, 2, 3)), builder.add_material("brick", (4, 5, 6))
    off, people, shown = builder.add_layer("furniture", hidden=True), builder.add_layer("people", hidden=True), builder.add_layer("walls")
    with builder.add_component_definition("Chair") as chair:
        for z in (0.0, 0.1, 0.2):
            chair.add_face(square(z), material=wood)
        chair.add_face(square(0.3), material=wood, layer=off)
    with builder.add_component_definition("Row") as row:
        row.add_instance(chair)
        row.add_instance(chair, translation=(0, 0, 40))
    builder.add_instance(chair, translation=(0, 0, 100))  # three faces of four are shown
    builder.add_instance(row, translation=(0, 0, 200), layer=people)
    builder.add_instance(chair, translation=(0, 0, 300), hidden=True)
    builder.add_face(square(0), material=brick, layer=shown)
    builder.add_face(square(1), material=brick, layer=off)
    builder.add_face(square(2), material=brick, hidden=True)
    model = import_model(saved(builder, tmp_path / "room.skp"))
    assert model.areas() == pytest.approx({"wood": 3.0, "brick": 1.0}, rel=1e-9)
    assert model.notes == [
        "15 faces left out: 5 hidden or in hidden groups, 10 on hidden tags ('furniture', 'people'); make them visible in SketchUp "
        "and save to include them"
    ]


def test_a_model_of_hidden_faces_alone(tmp_path: Path) -> None:
    builder = openskp.create()
    builder.add_face(square(0), layer=builder.add_layer("shell", hidden=True))
    with pytest.raises(rf.FileError, match=r"it has no visible faces\n.*1 face left out: 1 on hidden tags \('shell'\); make them visible"):
        import_model(saved(builder, tmp_path / "hidden.skp"))
    builder = openskp.create()
    builder.add_polyline([(0, 0, 0), (1, 0, 0)])
    with pytest.raises(rf.FileError, match=r"it has no faces\n"):
        import_model(saved(builder, tmp_path / "none.skp"))


@pytest.mark.parametrize("inwards", [False, True])
def test_of_a_closed_model_the_side_toward_the_room_is_taken(inwards: bool, tmp_path: Path) -> None:
    """A room whose fronts face outwards, as SketchUp draws a box, or inwards, and a cupboard in it, painted inside too."""
    builder = openskp.create()
    paints = {name: builder.add_material(name, (i, 9, 9)) for i, name in enumerate(("brick", "plaster", "oak", "paper"))}
    sides = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))  # outwards
    for (low, high), front, back in (((0.0, 4.0), "brick", "plaster"), ((1.0, 2.0), "oak", "paper")):
        corners = [[x / 0.0254 for x in ((low, high)[i], (low, high)[j], (low, high)[k])] for k in (0, 1) for j in (0, 1) for i in (0, 1)]
        for side in sides:
            ring = [corners[i] for i in (side[::-1] if inwards else side)]
            outer, inner = (back, front) if inwards else (front, back)
            builder.add_face(ring, material=paints[outer], back_material=paints[inner])
    model = import_model(saved(builder, tmp_path / "room.skp"))
    assert model.areas() == pytest.approx({"plaster": 6 * 16.0, "oak": 6.0}, rel=1e-9)
    pairs = "'plaster' in front and 'brick' behind (6 faces), 'paper' in front and 'oak' behind (6 faces)" if inwards else (
        "'brick' in front and 'plaster' behind (6 faces), 'oak' in front and 'paper' behind (6 faces)"
    )  # fmt: skip
    assert model.notes == [f"materials of the two sides of faces differ: {pairs}: the side toward the room is taken"]
    assert model.volume() == pytest.approx(63, rel=1e-9)


def test_a_face_that_crosses_itself_does_not_stop_the_others(tmp_path: Path) -> None:
    builder = openskp.create()
    builder.add_face(square(0))
    a, b, c, d = square(1)
    builder.add_face([a, c, b, d, (20, 80, d[2])])
    model = import_model(saved(builder, tmp_path / "room.skp"))
    assert model.areas() == pytest.approx({"default": 1.0}, rel=1e-9)
    assert model.notes == ["1 face without an area or with edges that cross left out"]


def test_sides_with_different_materials(tmp_path: Path) -> None:
    builder = openskp.create()
    brick, plaster = builder.add_material("brick", (1, 2, 3)), builder.add_material("plaster", (4, 5, 6))
    builder.add_face(square(0), material=brick, back_material=plaster)
    builder.add_face(square(1), material=brick, back_material=plaster)
    builder.add_face(square(2), material=plaster, back_material=brick)
    builder.add_face(square(3), material=plaster, back_material=plaster)
    builder.add_face(square(4), back_material=brick)  # the front has none
    model = import_model(saved(builder, tmp_path / "room.skp"))
    assert model.areas() == pytest.approx({"brick": 3.0, "plaster": 2.0}, rel=1e-9)
    assert model.notes == [
        "materials of the two sides of faces differ: 'brick' in front and 'plaster' behind (2 faces), 'plaster' in front and 'brick' "
        "behind (1 face): the front is taken; Reverse Faces in SketchUp where the back is toward the room"
    ]
