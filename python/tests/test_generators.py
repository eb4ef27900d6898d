"""Random rooms: the same for the same seed, within their ranges, accepted by the engine."""

import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd import generators
from roomfdtd._rooms import generator_of

KINDS = [generators.BoxRooms, generators.LRooms, generators.FurnishedRooms]


@pytest.mark.parametrize("kind", KINDS)
def test_rooms_are_drawn_within_their_ranges(kind: type[generators.RandomRooms]) -> None:
    rooms = kind(length=(3, 5), width=(2.5, 4), height=(2.4, 3), receivers=3, margin=0.3)
    first = rooms(generator_of(7, 0))
    assert first.scene.to_toml() == rooms(generator_of(7, 0)).scene.to_toml()
    assert first.scene.to_toml() != rooms(generator_of(7, 1)).scene.to_toml()
    for number in range(20):
        sample = rooms(generator_of(7, number))
        document = sample.scene.document
        size = [sample.labels[name] for name in ("length", "width", "height")]
        assert all(low <= side <= high for side, (low, high) in zip(size, ((3, 5), (2.5, 4), (2.4, 3)), strict=True))
        places = np.array([table["position"] for table in document["source"] + document["receiver"]])
        assert len(places) == 4 and places.min() >= 0.3 and np.all(places <= np.array(size) - 0.3)
        apart = np.linalg.norm(places[:, None] - places[None], axis=2)
        assert np.min(apart[~np.eye(4, dtype=bool)]) >= 0.3


@pytest.mark.parametrize("kind", KINDS)
def test_the_engine_finds_the_volume_that_labels_state(kind: type[generators.RandomRooms]) -> None:
    sample = kind(max_frequency=200.0, duration=0.1)(generator_of(3, 0))
    plan = sample.scene.plan()  # sources and receivers are inside, or this is an error
    if "mesh" in plan:
        assert plan["mesh"]["volume"] == pytest.approx(sample.labels["volume"], rel=0.01)
        assert plan["mesh"]["open_edges"] == 0
        assert len(plan["mesh"]["materials"]) == sum(name.startswith("material_") for name in sample.labels)


def test_materials_are_those_of_the_library() -> None:
    known = {entry["name"] for entry in rf.materials()}
    assert known.issuperset(
        generators.FLOORS + generators.CEILINGS + generators.WALLS + generators.FURNITURE
    )


def test_mixtures() -> None:
    mixture = generators.Mixture([(3, generators.BoxRooms()), (1, generators.LRooms())])
    kinds = [mixture(generator_of(1, number)).labels["kind"] for number in range(200)]
    assert set(kinds) == {"box", "l"} and 125 < kinds.count("box") < 175


def test_rooms_that_are_too_small_are_refused() -> None:
    crowded = generators.BoxRooms(length=(1, 1), width=(1, 1), height=(1, 1), receivers=50)
    with pytest.raises(rf.FdtdError, match="no place for 1 sources and 50 receivers"):
        crowded(generator_of(1, 0))
