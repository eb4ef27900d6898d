"""Gradients of losses by walls, and the losses' own derivatives."""

import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd import _engine, losses

RATE = 8000.0
inside = pytest.mark.skipif(_engine._core is None, reason="a checkout without the extension")


def responses(seed):
    noise = np.random.default_rng(seed).standard_normal((1, 2, 1600))
    return noise * np.exp(-np.arange(1600) / 300.0)


LOSSES = {
    "decay": lambda target: losses.decay(target, RATE, [250, 500]),
    "spectrum": lambda target: losses.spectrum(target, RATE, 100, 900, width=8),
    "spectrum at one level": lambda target: losses.spectrum(-20.0, RATE, 100, 900),
    "flat spectrum": lambda target: losses.spectrum(0.0, RATE, 100, 900, width=8, mean=True),
    "clarity": lambda target: losses.clarity(3.0, RATE, [250, 500], early=0.02),
    "reverberation time": lambda target: losses.reverberation_time(RATE, 250, receiver=1),
    "waveform": lambda target: losses.waveform(target, RATE, gain_db=20),
    "total": lambda target: losses.total((1.0, losses.waveform(target, RATE)), (0.1, losses.decay(target, RATE, [500]))),
}


@pytest.mark.parametrize("name", LOSSES)
def test_derivatives_of_a_loss_are_its_differences(name):
    loss, at = LOSSES[name](responses(1)), responses(2)
    value, slopes = loss(at)
    assert value > 0.0
    assert slopes.shape == at.shape
    for seed in (3, 4):
        way = responses(seed)
        step = 1e-4
        difference = (loss(at + step * way)[0] - loss(at - step * way)[0]) / (2 * step)
        assert np.vdot(slopes, way) == pytest.approx(difference, rel=1e-5)


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_takes_samples_of_any_kind_of_number(name):
    counts = np.round(1e4 * responses(2)).astype(int)
    value, slopes = LOSSES[name](responses(1))(counts.astype(float))
    for given in (counts, counts.tolist()):
        found, by = LOSSES[name](responses(1))(given)
        assert found == value and by.dtype == float and (by == slopes).all()


@pytest.mark.parametrize("name", [name for name in LOSSES if name != "reverberation time"])
def test_a_loss_is_the_sum_of_the_squares_of_its_residuals(name):
    loss, at = LOSSES[name](responses(1)), responses(2)
    found = loss.residuals(at)
    assert found.ndim == 1
    assert found @ found == pytest.approx(loss(at)[0], rel=1e-12)


def test_a_sum_with_a_loss_that_is_no_sum_of_squares_is_none():
    squares, other = losses.waveform(responses(1), RATE), losses.reverberation_time(RATE, 250)
    assert isinstance(losses.total((1.0, squares)), losses.Squares)
    for parts in (((1.0, squares), (1.0, other)), ((-1.0, squares),)):
        assert not isinstance(losses.total(*parts), losses.Squares)


@pytest.mark.parametrize("name", ["decay", "waveform", "spectrum"])
def test_a_loss_is_zero_at_its_target(name):
    value, slopes = LOSSES[name](responses(1))(responses(1))
    assert value == pytest.approx(0.0, abs=1e-20)
    assert np.abs(slopes).max() < 1e-9


TIMES = np.arange(8000) / RATE
TWICE = (20 * np.log10(2)) ** 2  # of an amplitude that is twice the wanted one, dB^2


def tone(frequency, t60=1.0):
    return (np.cos(2 * np.pi * frequency * TIMES) * 10 ** (-3 * TIMES / t60))[None, None]


def test_a_decay_is_in_db_by_octave_within_its_range():
    wanted = tone(250) + tone(500)
    assert losses.decay(wanted, RATE, [250, 500])(2 * wanted)[0] == pytest.approx(TWICE, rel=1e-9)
    other = tone(250) + 2 * tone(500)
    assert losses.decay(wanted, RATE, [250])(other)[0] < 0.01
    assert losses.decay(wanted, RATE, [500])(other)[0] == pytest.approx(TWICE, rel=0.05)
    late = wanted * np.where(TIMES < 0.7, 1.0, 2.0)  # 42 dB below the beginning
    assert losses.decay(wanted, RATE, [250], range_db=20)(late)[0] < 0.01
    assert losses.decay(wanted, RATE, [250], range_db=50)(late)[0] > 0.5


def test_a_reverberation_time_is_that_of_the_decay_in_its_octave():
    both = np.concatenate([tone(250, 0.4), tone(250, 0.6) + tone(1000, 0.2)], axis=1)
    for receiver, seconds in ((0, 0.4), (1, 0.6)):
        value, slopes = losses.reverberation_time(RATE, 250, receiver=receiver)(both)
        assert value == pytest.approx(seconds, rel=0.01)
        assert np.abs(slopes[0, 1 - receiver]).max() == 0.0
    with pytest.raises(rf.SceneError, match="ends before"):
        losses.reverberation_time(RATE, 250)(tone(250, 2.0))


def test_a_clarity_is_that_of_an_exponential_decay():
    for early in (0.05, 0.08):
        wanted = 10 * np.log10(10 ** (6 * early) - 1)  # T60 = 1 s
        assert losses.clarity(wanted, RATE, [500], early=early)(tone(500))[0] < 0.5**2
        assert losses.clarity(wanted + 3, RATE, [500], early=early)(tone(500))[0] == pytest.approx(9, abs=3)


def test_a_spectrum_is_in_db_and_averages_energies_over_its_width():
    impulse = (TIMES[:1600] == 0)[None, None] * 1.0  # 0 dB; bins of 5 Hz
    flat = losses.spectrum(0.0, RATE, 100, 900)
    assert flat(impulse)[0] == pytest.approx(0.0, abs=1e-12)
    assert flat(2 * impulse)[0] == pytest.approx(TWICE)
    assert losses.spectrum(0.0, RATE, 100, 900, mean=True)(2 * impulse)[0] == pytest.approx(0.0, abs=1e-12)
    for frequency in (60, 95, 905, 960):
        assert flat(impulse + 0.1 * np.cos(2 * np.pi * frequency * TIMES[:1600]))[0] < 1e-9
    sound = impulse + 0.1 * np.sin(2 * np.pi * 500 * TIMES[:1600])  # 80 at its bin
    distance = np.arange(100, 901, 5) - 500.0
    energy = 1 + 80.0**2 * 5 / (8 * np.sqrt(2 * np.pi)) * np.exp(-(distance**2) / 128)
    expected = np.mean((10 * np.log10(energy)) ** 2)
    assert losses.spectrum(0.0, RATE, 100, 900, width=8)(sound)[0] == pytest.approx(expected, rel=1e-4)


def test_a_waveform_counts_late_samples_by_its_gain():
    wanted = (TIMES == 0)[None, None] * 1.0
    later = wanted + (np.arange(8000) == 800)
    assert losses.waveform(wanted, RATE, gain_db=20)(later)[0] == pytest.approx(10**0.2)  # 2 dB at 0.1 s


def test_losses_refuse_other_shapes_and_bands():
    with pytest.raises(rf.SceneError, match="shape"):
        losses.waveform(responses(1), RATE)(responses(1)[..., :100])
    with pytest.raises(rf.SceneError, match="no two frequencies of 1600 samples"):
        losses.spectrum(0.0, RATE, 1, 3)(responses(1))  # between two bins


def room(floor=(0.2, 0.3), **options):
    walls = {"default": rf.Material.absorption([125, 250], [0.1, 0.1]), "floor": "carpet"}
    above = {"above": {"method": "none"}} | options
    return rf.Scene(
        rf.Room.box(2.2, 1.8, 1.5, walls),
        sources=[(0.5, 0.6, 0.7)],
        receivers=[(1.6, 1.1, 0.9)],
        duration=0.1,
        max_frequency=280,
        output={"sample_rate": 8000},
        materials={"carpet": rf.Material.absorption([125, 250], list(floor))},
        **above,
    )


@inside
def test_the_gradient_of_a_room_is_a_difference_and_maps_walls(tmp_path):
    model = rf.WallModel(room(), ["carpet"])
    assert [(one.material, one.band) for one in model.parameters] == [("carpet", 125.0), ("carpet", 250.0)]
    at = model.responses(model.values)
    assert at.shape == (1, 1, 800)
    loss = losses.decay(model.responses([0.3, 0.2]), RATE, [125])
    found = model.gradient(model.values, loss, sensitivity=True)
    assert found.loss == pytest.approx(loss(at)[0], rel=1e-5)
    up, down = (loss(model.responses([0.2 * by, 0.3]))[0] for by in (1.02, 0.98))
    assert found.slopes[0] == pytest.approx((up - down) / (0.04 * 0.2), rel=1e-2)
    assert found.map.area[np.array(found.map.material) == "carpet"].sum() == pytest.approx(2.2 * 1.8, rel=0.1)
    assert np.array_equal(model.responses(model.values), at)  # a law that is known is that of its own values
    found.map.to_hdf5(tmp_path / "map.h5")
    import h5py

    with h5py.File(tmp_path / "map.h5") as file:
        assert file["value"].attrs["unit"] == "1/m2"
        assert file["position"].shape == (len(found.map.value), 3)


@inside
def test_a_map_of_a_reverberation_time_is_a_difference():
    """The derivative by the admittance of a wall is the sum over its part of the map."""
    scene = rf.Scene(
        rf.Room.box(2.2, 1.8, 1.5, {"default": rf.Material.admittance(0.05), "floor": "carpet"}), [(0.5, 0.6, 0.7)],
        [(1.6, 1.1, 0.9)], duration=0.5, max_frequency=200, above={"method": "none"}, output={"sample_rate": 8000},
        materials={"carpet": rf.Material.admittance(0.06)},
    )  # fmt: skip
    loss = losses.reverberation_time(8000.0, 125.0)
    model = rf.WallModel(scene, ["carpet"])
    found = model.gradient([0.06], loss, sensitivity=True)
    floor = found.map.position[:, 2] < 0.4
    floor &= found.map.axis == 2
    slope = (found.map.area * found.map.value)[floor].sum()
    assert slope == pytest.approx(found.slopes[0], rel=1e-4)
    up, here, down = (model.responses([one])[0, 0] for one in (0.062, 0.06, 0.058))
    near = [loss(model.responses([one]))[0] for one in (0.0605, 0.0595)]  # further off T20 jumps with a sample of its range
    assert slope == pytest.approx((near[0] - near[1]) / 0.001, rel=0.1)

    def level(response):
        sound = losses._filtered(response, losses._octave("", 125.0, 8000.0, len(response)))
        return 10.0 * np.log10(np.cumsum(sound[::-1] ** 2)[::-1] / (sound**2).sum())

    held = np.flatnonzero((level(here) <= -5.0) & (level(here) >= -25.0))  # the range of times of the derivative
    up, down = (-60.0 / np.polyfit(held / 8000.0, level(one)[held], 1)[0] for one in (up, down))
    assert slope == pytest.approx((up - down) / 0.004, rel=0.01)
    still = rf.WallModel(scene, [])  # no material moves
    assert still.parameters == []
    of_still = still.gradient([], loss, sensitivity=True)
    assert len(of_still.slopes) == 0
    assert (of_still.map.area * of_still.map.value)[floor].sum() == pytest.approx(slope, rel=0.1)


@inside
def test_the_gradient_of_two_sources_is_a_difference_in_the_default_precision():
    """It was 1 % off, and differences jumped, while the fit of a wall on the grid did not end where its slope is 0."""
    scene = rf.Scene(
        rf.Room.box(2.2, 1.8, 1.5, {"default": rf.Material.absorption([63, 125, 250], [0.1] * 3), "floor": "carpet"}),
        sources=[(0.5, 0.6, 0.7), (1.1, 0.3, 0.4)],
        receivers=[(1.6, 1.1, 0.9)],
        duration=0.15,
        max_frequency=280,
        output={"sample_rate": 8000},
        materials={"carpet": rf.Material.absorption([63, 125, 250], [0.1] * 3)},
        above={"method": "none"},
    )
    model = rf.WallModel(scene, ["carpet"])
    values = np.array([0.1, 0.15, 0.2])
    loss = losses.decay(model.responses(1.5 * values), RATE, [125])
    way = np.array([0.5, -1.0, 0.7]) * values
    found = model.gradient(values, loss)
    up, down = (loss(model.responses(values + by * way))[0] for by in (0.01, -0.01))
    largest = np.abs(found.slopes * values).max()
    assert found.slopes @ way == pytest.approx((up - down) / 0.02, abs=2e-3 * largest)


@inside
def test_a_search_finds_the_walls_of_a_response():
    pytest.importorskip("scipy.optimize")
    target = rf.WallModel(room(floor=(0.3, 0.2)), ["carpet"])
    wanted = target.responses(target.values)
    seen = []
    best = rf.optimise(
        room(floor=(0.15, 0.3)),
        losses.waveform(wanted, RATE),
        ["carpet"],
        pairs=14,
        progress=lambda number, loss: seen.append(number),
    )
    assert seen == list(range(1, len(best.history) + 1))
    assert best.loss == min(best.history) < 1e-6 * best.history[0]  # one law, wherever a search begins
    assert [one.value for one in best.parameters] == pytest.approx([0.3, 0.2], abs=1e-4)
    assert best.scene.document["materials"]["carpet"]["absorption"]["alpha"] == [one.value for one in best.parameters]


@inside
def test_least_squares_find_the_walls_of_a_response():
    pytest.importorskip("scipy.optimize")
    target = rf.WallModel(room(floor=(0.3, 0.2)), ["carpet"])
    loss = losses.waveform(target.responses(target.values), RATE)
    best = rf.optimise(room(floor=(0.15, 0.3)), loss, ["carpet"], method="least-squares", pairs=12)
    assert [one.value for one in best.parameters] == pytest.approx([0.3, 0.2], abs=1e-3)
    assert best.loss < 1e-6


@inside
def test_gradients_refuse_what_they_cannot_do():
    with pytest.raises(rf.SceneError, match="waves alone"):
        rf.WallModel(room(above={"method": "rays"}), ["carpet"])
    with pytest.raises(rf.SceneError, match="no material curtain"):
        rf.WallModel(room(), ["curtain"])
    model = rf.WallModel(room(), ["carpet"])
    with pytest.raises(rf.SceneError, match="2 parameters"):
        model.responses([0.1])
    with pytest.raises(rf.SceneError, match="shape"):
        model.gradient(model.values, lambda r: (0.0, np.zeros(3)))
    with pytest.raises(ZeroDivisionError):
        model.gradient(model.values, lambda r: 1 / 0)
    with pytest.raises(rf.SceneError, match="bounds"):
        rf.optimise(room(), losses.waveform(np.ones((1, 1, 800)), RATE), ["carpet"], bounds=(0.5, 0.1))


class KnownRoom:
    """In the extension's place: responses that are linear in two absorption coefficients."""

    EngineError = RuntimeError
    by = np.random.default_rng(5).standard_normal((800, 2))

    def __init__(self, *_):
        self.seen = []

    def parameters(self):
        return [("carpet", 125.0, 0.2), ("carpet", 250.0, 0.3)]

    def tables(self):
        return [("carpet", [125.0, 250.0], [0.2, 0.3])]

    def points(self):
        return []

    def plan(self, *arguments):
        return '{"stencil": "leggy-1", "grid": [9, 8, 7], "spacing": 0.25, "valid_bandwidth": 280.0}'

    def responses(self, values):
        self.seen.append(list(values))
        return self.by @ values, 800, 8000.0

    def slopes(self, values, loss, with_map):
        value, slopes = loss(*self.responses(values))
        return value, list(slopes @ self.by), None

    Gradients = property(lambda self: lambda *_: self)


def test_a_search_in_a_known_room(monkeypatch):
    optimize = pytest.importorskip("scipy.optimize")
    core = KnownRoom()
    monkeypatch.setattr(_engine, "_core", core)
    loss = losses.waveform((core.by @ [0.5, 0.1])[None, None], 8000.0)
    minimize, checked = optimize.minimize, []

    def watched(function, begin, **options):
        assert np.exp(begin) == pytest.approx([0.2, 0.3])
        value, slopes = function(begin)
        for k in (0, 1):
            step = 1e-5 * np.eye(2)[k]
            difference = (function(begin + step)[0] - function(begin - step)[0]) / 2e-5
            assert slopes[k] == pytest.approx(difference, rel=1e-6)
            checked.append(k)
        return minimize(function, begin, **options)

    monkeypatch.setattr(optimize, "minimize", watched)
    best = rf.optimise(room(), loss, ["carpet"], pairs=60)
    assert checked == [0, 1]
    assert [one.value for one in best.parameters] == pytest.approx([0.5, 0.1], rel=1e-3)
    assert best.scene.document["materials"]["carpet"]["absorption"] == {
        "bands": [125.0, 250.0],
        "alpha": pytest.approx([0.5, 0.1], rel=1e-3),
    }
    assert best.loss == min(best.history) == pytest.approx(0.0, abs=1e-6)
    monkeypatch.setattr(optimize, "minimize", minimize)
    core.seen.clear()
    best = rf.optimise(room(), loss, ["carpet"], bounds=[(0.1, 0.4), (0.2, 0.6)])
    assert [one.value for one in best.parameters] == pytest.approx([0.4, 0.2], rel=1e-3)
    assert (np.min(core.seen, axis=0) >= [0.1, 0.2]).all()
    assert (np.max(core.seen, axis=0) <= [0.4, 0.6]).all()
    overshot = False  # the best pair is not always the last
    for pairs in range(1, 9):
        best = rf.optimise(room(), loss, ["carpet"], pairs=pairs)
        assert len(best.history) == pairs and best.message == f"{pairs} pairs of runs are made"
        overshot |= best.history[-1] > best.loss
        assert loss(core.by @ [one.value for one in best.parameters] + np.zeros((1, 1, 1)))[0] == min(best.history)
    assert overshot


def test_least_squares_in_a_known_room(monkeypatch):
    pytest.importorskip("scipy.optimize")
    core = KnownRoom()
    monkeypatch.setattr(_engine, "_core", core)
    loss = losses.waveform((core.by @ [0.5, 0.1])[None, None], 8000.0)
    best = rf.optimise(room(), loss, ["carpet"], method="least-squares", pairs=20)
    assert [one.value for one in best.parameters] == pytest.approx([0.5, 0.1], rel=1e-3)
    assert best.message == "the walls stay where they are"
    assert best.loss == min(best.history) < 1e-6
    assert len(best.history) + 2 <= len(core.seen) <= 40  # the others are differences
    core.seen.clear()
    best = rf.optimise(room(), loss, ["carpet"], method="least-squares", bounds=[(0.1, 0.4), (0.2, 0.6)])
    assert [one.value for one in best.parameters] == pytest.approx([0.4, 0.2], rel=1e-2)
    assert (np.min(core.seen, axis=0) >= [0.1, 0.2]).all()
    assert (np.max(core.seen, axis=0) <= [0.4, 0.6]).all()
    core.seen.clear()
    best = rf.optimise(room(), loss, ["carpet"], method="least-squares", pairs=2)
    assert len(core.seen) == 4 and best.message == "2 pairs of runs are made"
    with pytest.raises(rf.SceneError, match="sum of squares"):
        rf.optimise(room(), lambda responses: loss(responses), ["carpet"], method="least-squares")
    with pytest.raises(rf.SceneError, match="neither"):
        rf.optimise(room(), loss, ["carpet"], method="simplex")


@inside
def test_pytorch_differentiates_responses():
    torch = pytest.importorskip("torch")
    model = rf.WallModel(room(), ["carpet"])
    found = model.gradient(model.values, rf.differentiable(lambda r: (r**2).sum(), "torch"))
    values = torch.tensor(model.values, requires_grad=True)
    (model.torch()(values) ** 2).sum().backward()
    assert values.grad.numpy() == pytest.approx(found.slopes, rel=1e-4)


@inside
def test_jax_differentiates_responses():
    jax = pytest.importorskip("jax")
    model = rf.WallModel(room(), ["carpet"])
    found = model.gradient(model.values, rf.differentiable(lambda r: (r**2).sum(), "jax"))
    column = jax.numpy.asarray(model.values[:, None], dtype="float32")
    slopes = jax.grad(lambda values: (model.jax()(values) ** 2).sum())(column)
    assert slopes.shape == column.shape and slopes.dtype == column.dtype
    assert np.asarray(slopes)[:, 0] == pytest.approx(found.slopes, rel=1e-3)


def test_a_checkout_without_the_extension_says_so(monkeypatch):
    monkeypatch.setattr(_engine, "_core", None)
    with pytest.raises(rf.ResourceError, match="in this process"):
        rf.WallModel(room(), ["carpet"])


@inside
def test_a_model_states_what_its_gradient_takes():
    scene = room()
    free = rf.WallModel(scene, threads=1).cost()
    assert free["runs"] == 2.0
    assert free["predicted_seconds"] > 0.0
    assert free["history_bytes"] < free["bytes"] <= free["allowed_bytes"]
    little = rf.WallModel(scene, threads=1, memory=0.6 * free["bytes"])
    assert little.cost()["runs"] > 2.0 or little.cost()["history_format"] == "i16"
    assert little.cost()["bytes"] <= 0.6 * free["bytes"]
    with pytest.raises(rf.ResourceError, match="the gradient needs") as refused:
        rf.WallModel(scene, memory=1e4)
    assert "memory=" in str(refused.value.hint)
    with pytest.raises(rf.SceneError, match="no number of bytes"):
        rf.WallModel(scene, memory=-1)


def test_a_clarity_counts_from_the_largest_sample_to_80_ms():
    decay = np.exp(-np.arange(4000) / 500.0) * np.random.default_rng(6).standard_normal(4000)
    decay[0] = 30.0
    late = np.concatenate([np.zeros(600), decay])[None, None]
    wanted = losses.clarity(0.0, RATE, [500])(np.concatenate([np.zeros(200), decay, np.zeros(400)])[None, None])[0]
    assert losses.clarity(0.0, RATE, [500])(late)[0] == pytest.approx(wanted, rel=0.01)
    assert losses.clarity(0.0, RATE, [500], early=0.08)(late)[0] == losses.clarity(0.0, RATE, [500])(late)[0]
    assert losses.clarity(0.0, RATE, [500], early=0.05)(late)[0] != pytest.approx(wanted, rel=0.05)


def test_a_decay_counts_30_db_every_10_ms_and_a_spectrum_the_bins_between_its_limits():
    wanted, other = responses(1), responses(2)
    stated = losses.decay(wanted, RATE, [500], range_db=30, every=0.01)(other)[0]
    assert losses.decay(wanted, RATE, [500])(other)[0] == stated
    energies = losses._backward(losses._filtered(np.stack([wanted, other]), losses._octave("", 500, RATE, 1600)) ** 2)[..., ::80]
    level = 10 * np.log10(energies)
    counts = level[0] >= level[0][..., :1] - 30
    assert stated == pytest.approx(((level[1] - level[0])[counts] ** 2).mean(), rel=1e-9)
    bins = 20 * np.log10(np.abs(np.fft.rfft(other)))[..., 21:180]  # 5 Hz each: 105 to 895 Hz
    assert losses.spectrum(3.0, RATE, 101, 899)(other)[0] == pytest.approx(((bins - 3.0) ** 2).mean(), rel=1e-9)
