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


@pytest.mark.parametrize("name", ["decay", "waveform", "spectrum"])
def test_a_loss_is_zero_at_its_target(name):
    value, slopes = LOSSES[name](responses(1))(responses(1))
    assert value == pytest.approx(0.0, abs=1e-20)
    assert np.abs(slopes).max() < 1e-9


def test_losses_refuse_other_shapes_and_bands():
    with pytest.raises(rf.SceneError, match="shape"):
        losses.waveform(responses(1), RATE)(responses(1)[..., :100])
    with pytest.raises(rf.SceneError, match="not within"):
        losses.spectrum(0.0, RATE, 100, 5000)(responses(1))


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
    found.map.to_hdf5(tmp_path / "map.h5")
    import h5py

    with h5py.File(tmp_path / "map.h5") as file:
        assert file["value"].attrs["unit"] == "1/m2"
        assert file["position"].shape == (len(found.map.value), 3)


@inside
def test_a_search_finds_the_walls_of_a_response():
    target = rf.WallModel(room(floor=(0.3, 0.2)), ["carpet"])
    wanted = target.responses(target.values)
    seen = []
    best = rf.optimise(
        room(floor=(0.15, 0.3)),
        losses.waveform(wanted, RATE),
        ["carpet"],
        pairs=8,
        progress=lambda number, loss: seen.append(number),
    )
    assert seen == list(range(1, len(best.history) + 1))
    assert best.loss == min(best.history) < 0.2 * best.history[0]  # both scenes have grids of their own
    assert [one.value for one in best.parameters] == pytest.approx([0.3, 0.2], abs=0.02)
    assert best.scene.document["materials"]["carpet"]["absorption"]["alpha"] == pytest.approx([0.3, 0.2], abs=0.02)


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
    slopes = jax.grad(lambda values: (model.jax()(values) ** 2).sum())(model.values)
    assert np.asarray(slopes) == pytest.approx(found.slopes, rel=1e-3)


def test_a_checkout_without_the_extension_says_so(monkeypatch):
    monkeypatch.setattr(_engine, "_core", None)
    with pytest.raises(rf.ResourceError, match="in this process"):
        rf.WallModel(room(), ["carpet"])
