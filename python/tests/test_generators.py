"""Random rooms: the same for the same seed, within their ranges, accepted by the engine; arguments that are refused."""

from pathlib import Path
from typing import Any

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


NAN = float("nan")


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        (generators.BoxRooms, {"length": (8, 3)}, "length: (8, 3) is no range above 0\n  hint: state the lower number first"),
        (generators.BoxRooms, {"width": (NAN, 3)}, "width: (nan, 3) is no range"),
        (generators.BoxRooms, {"height": (2, float("inf"))}, "height: (2, inf) is no range"),
        (generators.BoxRooms, {"length": (-3, 3)}, "length: (-3, 3) is no range"),
        (generators.BoxRooms, {"length": 5}, "length: a range is needed, not 5\n  hint: state (low, high)"),
        (generators.BoxRooms, {"sources": 0}, "sources: 0 is no whole number from 1 up"),
        (generators.BoxRooms, {"receivers": 2.5}, "receivers: a whole number is needed, not 2.5"),
        (generators.LRooms, {"margin": NAN}, "margin: nan is no distance"),
        (generators.LRooms, {"margin": -0.1}, "margin: -0.1 is no distance"),
        (generators.BoxRooms, {"floors": ()}, "floors: there is no material to draw from"),
        (generators.BoxRooms, {"walls": "marble"}, "walls: 'marble' is one text"),
        (generators.BoxRooms, {"duration": -1}, "duration: -1 is not a finite number above 0"),
        (generators.BoxRooms, {"max_frequency": "500"}, "max_frequency: a number is needed"),
        (generators.BoxRooms, {"sample_rate": 8000.5}, "sample_rate: a whole number is needed"),
        (generators.LRooms, {"notch": (0.3, 1.0)}, "notch: (0.3, 1.0) leaves no room"),
        (generators.LRooms, {"notch": (0, 0.5)}, "notch: (0, 0.5) is no range above 0"),
        (generators.FurnishedRooms, {"blocks": (5, 2)}, "blocks: (5, 2) does not rise"),
        (generators.FurnishedRooms, {"blocks": (1.5, 2)}, "blocks: a whole number is needed"),
        (generators.FurnishedRooms, {"block": (0, 1)}, "block: (0, 1) is no range above 0"),
        (generators.Mixture, {"parts": []}, "parts: pairs of a weight and a generator are needed"),
        (generators.Mixture, {"parts": [(1, generators.BoxRooms)]}, "parts: pairs"),
        (generators.Mixture, {"parts": [(generators.BoxRooms(), 1)]}, "parts: pairs"),
        (generators.Mixture, {"parts": [(-1, generators.BoxRooms())]}, "a weight of -1 is not from 0 up"),
        (generators.Mixture, {"parts": [(NAN, generators.BoxRooms())]}, "a weight of nan"),
        (generators.Mixture, {"parts": [(0, generators.BoxRooms())]}, "all weights are 0"),
    ],
)
def test_fields_that_no_room_can_be_drawn_from_are_refused_at_once(kind, fields, words) -> None:
    with pytest.raises(rf.SceneError) as caught:
        kind(**fields)
    assert words in str(caught.value)
    assert caught.value.problems[0]["place"] == next(iter(fields))


def test_fields_at_their_limits_are_taken() -> None:
    fixed = generators.FurnishedRooms(length=(3, 3), blocks=(0, 0), margin=0, duration="auto", receivers=np.int64(2))
    assert fixed(generator_of(1, 0)).scene.document["simulation"]["duration"] == "auto"
    generators.Mixture([(0, generators.BoxRooms()), (1, lambda rng: None)])


TINY = generators.BoxRooms(duration=0.1, max_frequency=300.0, stencil="leggy-1")


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({"count": 0}, "count: 0\n  hint: give a whole number, at least 1"),
        ({"count": 2.5}, "count: 2.5"),
        ({"seed": -1}, "seed: -1"),
        ({"workers": -1}, "workers: -1"),
        ({"rooms": generators.BoxRooms}, r"BoxRooms.*draws no rooms\n.*generators.BoxRooms\(\)"),
        ({"rooms": 3}, "rooms: 3 draws no rooms"),
        ({"format": "npz"}, "format: 'npz'"),
        ({"threads": "x"}, "threads: a whole number is needed, not 'x'"),
        ({"threads": -1}, "threads: -1 is no whole number from 0 up"),
        ({"progress": 3}, "progress: a function is needed, not 3"),
        ({"gpus": "al"}, r"gpus: 'al' names no GPUs\n.*\[0, 1\]"),
        ({"gpus": [0.5]}, r"gpus: \[0.5\] names no GPUs"),
    ],
)
def test_wrong_arguments_are_refused_at_once(argument: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(rf.SceneError, match=message):
        rf.dataset(tmp_path / "none", **({"rooms": TINY, "count": 1, "seed": 1, "workers": 0} | argument))
    assert not (tmp_path / "none").exists()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(rf.FileError, match=f"{place}: no folder can be made there"):
            rf.dataset(place, TINY, 1, seed=1, workers=0)
