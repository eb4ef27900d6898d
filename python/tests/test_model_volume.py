"""The volume that a model encloses: of known shapes, however their facets face, and what is said where they are open."""

import itertools
from typing import Any

import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd.models._model import Model, model_of

SIDES = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
NAMES = ("floor", "ceiling", "front", "back", "left", "right")


class Shape:
    """Triangles by name."""

    def __init__(self) -> None:
        self.corners: list[Any] = []
        self.faces: list[Any] = []
        self.names: list[str] = []

    def polygon(self, name: str, *corners: Any, turn: int = 0) -> "Shape":
        """A convex polygon as a fan about its corner `turn`."""
        first, places = len(self.corners), [corners[(i + turn) % len(corners)] for i in range(len(corners))]
        self.corners += places
        self.faces += [(first, first + i, first + i + 1) for i in range(1, len(places) - 1)]
        self.names += [name] * (len(places) - 2)
        return self

    def box(self, low: Any, high: Any, leave: Any = (), turn: int = 0) -> "Shape":
        places = [tuple((low, high)[one][d] for d, one in enumerate((i, j, k))) for k in (0, 1) for j in (0, 1) for i in (0, 1)]
        for name, side in zip(NAMES, SIDES):
            if name not in leave:
                self.polygon(name, *(places[i] for i in side), turn=turn)
        return self

    def model(self, flip: int | None = None, offset: Any = (0, 0, 0)) -> Model:
        """Some of the triangles turned round, at random."""
        faces = np.array(self.faces)
        if flip is not None:
            chosen = np.random.default_rng(flip).random(len(faces)) < 0.5
            faces[chosen] = faces[chosen][:, ::-1]
        return model_of(np.array(self.corners) + offset, faces, self.names)


def l_room() -> Shape:
    """Its floor and ceiling are one polygon of two parts whose seam ends on the middle of a wall's edge."""
    outline = [(0, 0), (5, 0), (5, 3), (3, 3), (3, 4), (0, 4)]
    made = Shape()
    for z, name in ((0.0, "floor"), (2.5, "ceiling")):
        made.polygon(name, (0, 0, z), (5, 0, z), (5, 3, z), (0, 3, z)).polygon(name, (0, 3, z), (3, 3, z), (3, 4, z), (0, 4, z))
    for (x, y), (u, v) in zip(outline, [*outline[1:], outline[0]]):
        made.polygon("walls", (x, y, 0), (u, v, 0), (u, v, 2.5), (x, y, 2.5))
    return made


def rooms(double: bool) -> Shape:
    """Two rooms beside one another, with one wall between them or each with its own, which have other diagonals."""
    made = Shape().box((0, 0, 0), (4.1, 3, 2.5))
    return made.box((4.1, 0, 0), (7, 3, 2.5), () if double else ("left",), turn=1)


def walls_of_a_house(shared: bool) -> Shape:
    """A floor, a roof and four walls of 0.2 m around 5 x 4 x 2.7 m of air, each a body by itself, or a polygon soup."""
    made = Shape()
    bodies = [((-0.2, -0.2, 0), (5.2, 0, 2.7)), ((-0.2, 4, 0), (5.2, 4.2, 2.7)), ((-0.2, 0, 0), (0, 4, 2.7)), ((5, 0, 0), (5.2, 4, 2.7)),
              ((-0.2, -0.2, -0.2), (5.2, 4.2, 0)), ((-0.2, -0.2, 2.7), (5.2, 4.2, 2.9))]  # fmt: skip
    for low, high in bodies:
        one = Shape().box(low, high)
        corners, number = np.unique(one.corners, axis=0, return_inverse=True) if shared else (np.array(one.corners), np.arange(24))
        made.faces += (number.reshape(-1)[np.array(one.faces)] + len(made.corners)).tolist()
        made.corners += corners.tolist()
        made.names += one.names
    return made


CASES = {
    "box": (Shape().box((0, 0, 0), (5.1, 4, 2.7)), 5.1 * 4 * 2.7),
    "tetrahedron": (
        Shape().polygon("a", (0, 0, 0), (1, 0, 0), (0, 1, 0)).polygon("b", (0, 0, 0), (1, 0, 0), (0, 0, 1))
        .polygon("c", (0, 0, 0), (0, 1, 0), (0, 0, 1)).polygon("d", (1, 0, 0), (0, 1, 0), (0, 0, 1)), 1 / 6,
    ),
    "L": (l_room(), 18 * 2.5),
    "furniture": (Shape().box((0, 0, 0), (5, 4, 3)).box((1, 1, 0.5), (2, 3, 1.5)), 60 - 2),
    "furniture on the floor": (Shape().box((0, 0, 0), (5, 4, 3)).box((1, 1, 0), (2, 3, 1)), 60 - 2),
    "cupboard in a corner": (Shape().box((0, 0, 0), (5, 4, 3)).box((0, 1, 0), (1, 3, 1)).box((4, 3, 2), (4.5, 3.5, 2.5)), 60 - 2 - 1 / 8),
    "a room in a solid in a room": (Shape().box((0, 0, 0), (9, 9, 9)).box((1, 1, 1), (8, 8, 8)).box((2, 2, 2), (7, 7, 7)), 729 - 343 + 125),
    "two rooms apart": (Shape().box((0, 0, 0), (1, 1, 1)).box((3, 0, 0), (5, 1, 1)), 3.0),
    "two rooms with a wall": (rooms(False), 7 * 3 * 2.5),
    "two rooms with two walls": (rooms(True), 7 * 3 * 2.5),
    "two rooms along an edge": (Shape().box((0, 0, 0), (1, 1, 1)).box((1, 1, 0), (2, 2, 1)), 2.0),
    "doubled walls": (Shape().box((0, 0, 0), (5, 4, 3)).box((0, 0, 0), (5, 4, 3), turn=1), 60.0),
    "a curtain": (Shape().box((0, 0, 0), (5, 4, 3)).polygon("curtain", (1, 1, 1), (2, 1, 1), (2, 1, 2), (1, 1, 2)), 60.0),
    "a screen from the wall": (Shape().box((0, 0, 0), (5, 4, 3)).polygon("screen", (0, 0, 0), (0, 0, 3), (1, 1, 3), (1, 1, 0)), 60.0),
    "a shelf on a wall's edges": (Shape().box((0, 0, 0), (5, 4, 3)).polygon("shelf", (0, 0, 1), (0, 0, 2), (1, 1, 2), (1, 1, 1)), 60.0),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("flip", [None, 1, 2, 3])
def test_volumes_of_known_shapes(case: str, flip: int | None) -> None:
    shape, volume = CASES[case]
    assert shape.model(flip).volume() == pytest.approx(volume, rel=1e-12)
    assert shape.model(flip, (431200.5, 5411900.25, 100.0)).volume() == pytest.approx(volume, rel=1e-8)  # of a map
    angle = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
    turned = shape.model(flip)
    turned.surface.vertices[:] = turned.surface.vertices @ angle.T
    assert turned.volume() == pytest.approx(volume, rel=1e-12)


def test_bodies_that_touch_are_no_room() -> None:
    for shared in (True, False):
        with pytest.raises(rf.SceneError, match="6 closed bodies that touch: they do not say whether these are rooms, or walls around") as caught:
            walls_of_a_house(shared).model(6).volume()
        assert caught.value.hint == 'Scene.plan()["mesh"]["volume"] is that of the air that sound from the source reaches'
    rooms = Shape().box((0, 0, 0), (4, 3, 2)).box((4, 0, 0), (8, 4, 2)).box((8, 1, 0), (9, 2, 2))
    with pytest.raises(rf.SceneError, match="those of 3 closed bodies that touch"):
        rooms.model(7).volume()
    surface = rooms.model(7).surface
    assert model_of(surface.vertices, surface.faces, rooms.names, rooms=True).volume() == pytest.approx(24 + 32 + 2, rel=1e-12)
    apart = Shape().box((0, 0, 0), (4, 3, 2)).box((4.1, 0, 0), (8, 4, 2)).box((8.1, 1, 0), (9, 2, 2)).box((4.5, 1, 0), (5, 2, 1))
    assert apart.model(8).volume() == pytest.approx(24 + 3.9 * 8 + 1.8 - 0.5, rel=1e-12)


def _parts(filled: Any) -> Any:
    """The number of the part of space that each cell is in: cells are joined by faces."""
    part = np.arange(filled.size).reshape(filled.shape)
    for _ in range(filled.size):
        before = part.copy()
        for axis in range(3):
            low, high = np.take(part, range(len(part) - 1), axis), np.take(part, range(1, len(part)), axis)
            alike = np.take(filled, range(len(part) - 1), axis) == np.take(filled, range(1, len(part)), axis)
            least = np.where(alike, np.minimum(low, high), high)
            at = [slice(None)] * 3
            at[axis] = slice(1, None)
            part[tuple(at)] = np.minimum(high, least)
            at[axis] = slice(None, -1)
            part[tuple(at)] = np.where(alike, np.minimum(low, high), low)
        if np.array_equal(part, before):
            break
    return part


@pytest.mark.parametrize("seed", range(24))
def test_cubes_put_together_at_random(seed: int) -> None:
    """Surfaces that meet at edges and corners in every way: the volume is that of the cubes, with holes that their edges join at most."""
    rng = np.random.default_rng(seed)
    filled = np.zeros((6, 6, 6), dtype=bool)
    filled[1:-1, 1:-1, 1:-1] = rng.random((4, 4, 4)) < (0.2, 0.5, 0.8, 0.95)[seed % 4]
    part = _parts(filled)
    holes = int((~filled & (part != part[0, 0, 0])).sum())
    made = Shape()
    for place in zip(*np.nonzero(filled)):
        for axis, side in itertools.product(range(3), (0, 1)):
            beside = list(place)
            beside[axis] += 2 * side - 1
            if not filled[tuple(beside)]:
                low, (u, v) = np.array(place, dtype=float), np.delete(np.eye(3), axis, axis=0)
                low[axis] += side
                made.polygon("side", *(tuple(low + i * u + j * v) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))), turn=int(rng.integers(4)))
    try:
        volume = made.model(seed).volume()
    except rf.SceneError as error:
        assert "closed bodies that touch" in error.message
    else:
        assert filled.sum() - 1e-9 < volume < filled.sum() + holes + 1e-9


def test_a_wall_of_many_parts() -> None:
    """Windows beside one another on the floor's long edge, whose corners no other surface has."""
    made = Shape().box((0, 0, 0), (6, 4, 3), leave=("front",))
    for i, j in itertools.product(range(6), range(3)):
        made.polygon(f"pane {i}", (i, 0, j), (i + 1, 0, j), (i + 1, 0, j + 1), (i, 0, j + 1))
    assert made.model(4).volume() == pytest.approx(72, rel=1e-12)


def test_open_models_name_their_leaks() -> None:
    def said(shape: Shape) -> str:
        with pytest.raises(rf.SceneError) as caught:
            shape.model(5, (10, 20, 30)).volume()
        assert "`seal` of a room" in caught.value.hint
        return caught.value.message

    text = said(Shape().box((0, 0, 0), (5, 4, 3), leave=("ceiling",)))
    assert text == "the surfaces are not closed; their free edges: 18 m around (12.500, 22.000, 33.000) m of 'front', 'back', 'left' and others"
    # Closed chairs do not make a room of it, nor does a curtain hide the opening.
    open_room = Shape().box((0, 0, 0), (5, 4, 3), leave=("ceiling",)).box((1, 1, 0.5), (2, 3, 1.5))
    assert said(open_room) == text
    # One of two rooms; the floor of a terrace outside.
    made = rooms(False)
    made.polygon("terrace", (20, 0, 0), (21, 0, 0), (21, 1, 0), (20, 1, 0))
    assert said(made).endswith("their free edges: 4 m around (30.500, 20.500, 30.000) m of 'terrace'")
    leaky = Shape().box((0, 0, 0), (4, 3, 2.5), leave=("back",)).box((4, 0, 0), (7, 3, 2.5), leave=("left",))
    leaky.polygon("partition", (4, 0, 0), (4, 3, 0), (4, 3, 2.5), (4, 0, 2.5))
    assert "10.5 m around (12.000, 23.000, 31.250) m of " in said(leaky)
    many = Shape()
    for i in range(5):
        many.polygon(f"flag {i}", (i, 0, 0), (i + 0.5, 0, 0), (i + 0.5, 1 + i, 0), (i, 1 + i, 0))
    assert "11 m around (14.250, 22.500, 30.000) m of 'flag 4'; 9 m" in said(many) and said(many).endswith(", and 2 more")
