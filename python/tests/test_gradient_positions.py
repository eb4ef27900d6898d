"""Gradients by the positions of sources and receivers, and searches that move them."""

import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd import _engine, losses

RATE = 8000.0
inside = pytest.mark.skipif(_engine._core is None, reason="a checkout without the extension")


def pair(**options):
    """Of two receivers, the second a few cells from the source, whose near field rendering takes out."""
    return rf.Scene(
        rf.Room.box(2.2, 1.8, 1.5, {"default": rf.Material.admittance(0.1), "floor": "carpet"}),
        sources=[(0.52, 0.63, 0.71)],
        receivers=[(1.62, 1.13, 0.94), (0.81, 0.74, 0.88)],
        duration=0.1,
        max_frequency=280,
        precision="f64",
        output={"sample_rate": 8000},
        above={"method": "none"},
        materials={"carpet": rf.Material.admittance(0.2)},
        **options,
    )


def energy(responses):
    weights = np.linspace(0.5, 1.5, responses.shape[-1]) * np.array([[1.0], [0.3]])
    return 0.5 * float((weights * responses**2).sum()), weights * responses


@inside
def test_the_gradient_by_positions_is_a_difference():
    names = ["S1", "R1", "R2"]
    model = rf.WallModel(pair(), ["carpet"], positions=names)
    assert [(one.point, one.axis) for one in model.parameters[1:]] == [(name, axis) for name in names for axis in "xyz"]
    assert model.values == pytest.approx([0.2, 0.52, 0.63, 0.71, 1.62, 1.13, 0.94, 0.81, 0.74, 0.88])
    values = model.values + 0.001 * np.arange(10)  # away from where the plan was made
    found = model.gradient(values, energy)
    for k in range(1, 10):
        step = 2e-5 * np.eye(10)[k]
        up, down = (energy(model.responses(values + by))[0] for by in (step, -step))
        largest = np.abs(found.slopes[1:]).max()
        assert found.slopes[k] == pytest.approx((up - down) / 4e-5, abs=1e-6 * largest), model.parameters[k]
    there = [[float(one) for one in values[i : i + 3]] for i in (1, 4, 7)]
    keys = ("source.S1.position", "receiver.R1.position", "receiver.R2.position")
    moved = rf.WallModel(pair().replace(dict(zip(keys, there, strict=True))), ["carpet"])
    assert moved.responses([values[0]]) == pytest.approx(model.responses(values), abs=1e-9)
    alone = rf.gradient(pair(), energy, [], positions=["R2"])
    assert [(one.point, one.value) for one in alone.parameters] == [("R2", 0.81), ("R2", 0.74), ("R2", 0.88)]
    pytest.importorskip("pandas")  # of tables alone
    assert list(found.table().columns) == ["material", "band", "point", "axis", "value", "slope"]


@inside
def test_in_f32_the_slopes_by_positions_are_those_of_f64():
    slopes = []
    for precision in ("f64", "f32"):
        scene = pair().replace({"simulation.precision": precision, "simulation.stencil": "leggy-2"})  # one grid
        model = rf.WallModel(scene, ["carpet"], positions=["S1", "R1", "R2"])
        slopes.append(model.gradient(model.values + 0.001 * np.arange(10), energy).slopes)
    assert slopes[1] == pytest.approx(slopes[0], abs=1e-4 * np.abs(slopes[0]).max())


@inside
def test_on_walls_slopes_are_those_from_the_air():
    model = rf.WallModel(pair(), [], positions=["S1", "R1"])
    corners = np.array([0.0, 0.63, 0.0, 2.2, 1.8, 0.94])
    found = model.gradient(corners, energy).slopes
    largest = np.abs(found).max()
    assert largest > 1e-3
    for k, (first, second) in enumerate([(4, 0), (2, -2), (4, 0), (0, -4), (0, -4), (2, -2)]):  # of 10 um; 0: on the wall
        row = 1e-5 * np.eye(6)[k]
        up, down = (energy(model.responses(corners + by * row))[0] for by in (first, second))
        assert found[k] == pytest.approx((up - down) / 4e-5, abs=1e-4 * largest), k
    with pytest.raises(rf.SceneError, match="not in the room's air"):
        model.gradient(corners + [-0.001, 0, 0, 0, 0, 0], energy)


@inside
def test_beside_a_screen_of_a_mesh_slopes_are_differences():
    origin = np.array([0.3, -0.2, 0.15])
    corners = origin + [[i, j, k] for i in (0, 2.2) for j in (0, 1.8) for k in (0, 1.5)]
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    screen = origin + [[1.1, 0, 0], [1.1, 1.2, 0], [1.1, 1.2, 1.5], [1.1, 0, 1.5]]
    surfaces = {
        "shell": (corners, [face for a, b, c, d in sides for face in ((a, b, c), (a, c, d))]),
        "screen": (screen, [(0, 1, 2), (0, 2, 3)]),
    }
    scene = rf.Scene(
        rf.Room.from_mesh(surfaces, rf.Material.admittance(0.1)), [tuple(origin + [0.52, 0.63, 0.71])],
        [tuple(origin + [1.3, 0.61, 0.7]), tuple(origin + [1.6, 1.3, 0.88])], duration=0.05, max_frequency=280,
        precision="f64", output={"sample_rate": 8000}, above={"method": "none"},
    )  # fmt: skip
    model = rf.WallModel(scene, [], positions=["R1", "S1"])
    values = model.values + [0.013, -0.02, 0.03, 0.01, 0.02, 0.03]
    found = model.gradient(values, energy).slopes
    for k, row in enumerate(2e-5 * np.eye(6)):
        up, down = (energy(model.responses(values + by))[0] for by in (row, -row))
        assert found[k] == pytest.approx((up - down) / 4e-5, abs=1e-6 * np.abs(found).max()), model.parameters[k]
    there = [[float(one) for one in values[i : i + 3]] for i in (0, 3)]
    keys = ("receiver.R1.position", "source.S1.position")
    moved = rf.WallModel(scene.replace(dict(zip(keys, there, strict=True))), [])
    assert moved.responses([]) == pytest.approx(model.responses(values), abs=1e-9)


@inside
def test_responses_are_those_of_their_values_whatever_was_computed_before():
    def model():
        return rf.WallModel(pair(), ["carpet"], positions=["R2"])

    first, second = [0.2, 0.8, 0.75, 0.9], [0.7, 0.9, 0.7, 0.8]
    used = model()
    used.gradient(first, energy)
    used.gradient([second[0], *first[1:]], energy)
    assert np.array_equal(used.responses(second), model().responses(second))
    assert np.array_equal(used.responses(first), model().responses(first))


@inside
def test_positions_that_are_none_are_refused():
    for names, message in ((["X"], "no source or receiver X"), (["S1", "S1"], "twice")):
        with pytest.raises(rf.SceneError, match=message):
            rf.WallModel(pair(), [], positions=names)
    model = rf.WallModel(pair(), [], positions=["R1"])
    with pytest.raises(rf.SceneError, match="R1.*not in the room's air"):
        model.responses([3.0, 1.0, 1.0])
    with pytest.raises(rf.SceneError, match="not finite"):
        model.responses([np.nan, 1.0, 1.0])
    turned = pair().replace({"receiver.R1.pattern": "cardioid", "receiver.R1.direction": [1, 0, 0]})
    with pytest.raises(rf.SceneError, match="R1 is not omnidirectional"):
        rf.WallModel(turned, [], positions=["R1"])


@inside
def test_a_search_moves_a_receiver_within_its_box():
    pytest.importorskip("scipy.optimize")
    scene = pair().replace({"simulation.precision": "f32", "simulation.duration": 0.05})
    wanted = rf.WallModel(scene.replace({"receiver.R1.position": [1.5, 1.2, 0.94]}), []).responses([])
    box = ((1.3, 0.9, 0.94), (1.8, 1.4, 0.94))
    best = rf.optimise(scene, losses.waveform(wanted, RATE), [], positions={"R1": box}, pairs=8)
    assert best.loss < 0.02 * best.history[0]
    assert [one.value for one in best.parameters] == pytest.approx([1.5, 1.2, 0.94], abs=0.01)
    found = {one["name"]: one["position"] for one in best.scene.document["receiver"]}
    assert found["R1"] == pytest.approx([1.5, 1.2, 0.94], abs=0.01)
    pytest.importorskip("pandas")
    assert list(best.table().columns) == ["material", "band", "point", "axis", "value"]
    tight = ((1.58, 0.9, 0.94), (1.8, 1.4, 0.94))  # the wanted place is beyond it
    held = rf.optimise(scene, losses.waveform(wanted, RATE), [], positions={"R1": tight}, pairs=3)
    assert held.parameters[0].value == pytest.approx(1.58, abs=1e-9)
    with pytest.raises(rf.SceneError, match="two corners"):
        rf.optimise(scene, energy, [], positions={"R1": ((1.8, 0.9, 0.9), (1.3, 1.4, 0.9))})
    with pytest.raises(rf.SceneError, match="walls alone"):
        rf.optimise(scene, losses.waveform(wanted, RATE), [], positions={"R1": box}, method="least-squares")


class KnownPlaces:
    """In the extension's place: responses that are linear in a coefficient and in the places of two points."""

    EngineError = RuntimeError
    begin = {"S1": (0.5, 0.6, 0.7), "R1": (1.6, 1.1, 0.9)}
    by = {name: np.random.default_rng(seed).standard_normal((800, 3)) for seed, name in enumerate(begin)}
    by_wall = np.random.default_rng(7).standard_normal((800, 1))

    def __call__(self, *arguments):
        self.names = list(arguments[-1])
        self.matrix = np.hstack([self.by_wall, *(self.by[name] for name in self.names)])
        self.seen = []
        return self

    def parameters(self):
        return [("carpet", 0.0, 0.2)]

    def tables(self):
        return [("carpet", [0.0], [0.2])]

    def points(self):
        return [(name, name == "S1", *self.begin[name]) for name in self.names]

    def plan(self, *arguments):
        return '{"stencil": "leggy-1", "grid": [9, 8, 7], "spacing": 0.25, "valid_bandwidth": 280.0}'

    def responses(self, values):
        self.seen.append(list(values))
        return self.matrix @ values, 800, 8000.0

    def slopes(self, values, loss, with_map):
        value, slopes = loss(*self.responses(values))
        return value, list(slopes @ self.matrix), None

    Gradients = property(lambda self: self)


def test_a_search_keeps_every_point_in_its_own_box(monkeypatch):
    optimize = pytest.importorskip("scipy.optimize")
    core = KnownPlaces()
    monkeypatch.setattr(_engine, "_core", core)
    wanted = {"S1": (0.4, 0.8, 0.7), "R1": (1.9, 1.3, 0.9)}
    target = core.by["S1"] @ wanted["S1"] + core.by["R1"] @ wanted["R1"] + core.by_wall[:, 0] * 0.1
    loss = losses.waveform(target[None, None], RATE)
    minimize, checked = optimize.minimize, []

    def watched(function, begin, **options):
        value, slopes = function(begin)
        for k, row in enumerate(1e-5 * np.eye(len(begin))):
            difference = (function(begin + row)[0] - function(begin - row)[0]) / 2e-5
            if k not in (3, 6):  # heights, which stay
                assert slopes[k] == pytest.approx(difference, rel=1e-6), k
                checked.append(k)
        core.seen.clear()
        return minimize(function, begin, **options)

    monkeypatch.setattr(optimize, "minimize", watched)
    boxes = {"S1": ((0.3, 0.5, 0.7), (0.6, 0.9, 0.7)), "R1": ((1.5, 1.0, 0.9), (1.8, 1.4, 0.9))}
    for order in (["S1", "R1"], ["R1", "S1"]):
        best = rf.optimise(pair(), loss, positions={name: boxes[name] for name in order}, bounds=(0.16, 0.9), pairs=90)
        assert [one.point for one in best.parameters[1::3]] == order
        low, high = (np.concatenate([[limit], *(boxes[name][k] for name in order)]) for k, limit in ((0, 0.16), (1, 0.9)))
        assert (np.min(core.seen, axis=0) >= low).all()
        assert (np.max(core.seen, axis=0) <= high).all()
        document = best.scene.document
        places = {one["name"]: one["position"] for kind in ("source", "receiver") for one in document[kind]}
        assert places["S1"] == pytest.approx(wanted["S1"], abs=0.02)
        assert places["R1"] == pytest.approx((1.8, 1.3, 0.9), abs=0.02)  # the wanted place is beyond its box
        assert document["materials"]["carpet"]["admittance"] == pytest.approx(0.16, abs=1e-3)
    assert checked == [0, 1, 2, 4, 5] * 2
