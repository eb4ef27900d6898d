"""Responses and losses where JAX traces a function: under jit, grad and vmap."""

from typing import Any

import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd import _autograd, losses

jax = pytest.importorskip("jax")
RATE = 8000.0
HINT = "call it outside jax.jit, jax.grad and jax.vmap; WallModel.jax\\(\\) is a function for these"


class Linear:
    """A model of two values, whose responses are linear in them; counts its runs."""

    by = np.random.default_rng(3).standard_normal((1, 2, 64, 2))
    values = np.array([0.3, 0.5])
    runs = 0

    def responses(self, values: Any) -> Any:
        self.runs += 1
        assert isinstance(values, np.ndarray)
        if min(values) <= 0:
            raise rf.SceneError(f"{min(values):g} is not above 0")
        return self.by @ np.asarray(values, dtype=float)

    def pulled_back(self, values: Any, slopes: Any) -> Any:
        assert isinstance(slopes, np.ndarray) and slopes.dtype == float
        return np.tensordot(slopes, self.by, 3)


def test_responses_under_jit() -> None:
    model = Linear()
    walls = jax.jit(_autograd.jax_function(model))  # type: ignore[arg-type]
    at = jax.numpy.asarray([0.2, 0.7])
    assert np.asarray(walls(at)) == pytest.approx(model.by @ [0.2, 0.7], rel=1e-5, abs=1e-6)
    assert model.runs == 2  # one for the shape
    assert np.asarray(walls(2 * at)) == pytest.approx(model.by @ [0.4, 1.4], rel=1e-5, abs=1e-6)
    assert model.runs == 3
    with pytest.raises(Exception, match="-0.7 is not above 0"):
        walls(-at).block_until_ready()


def test_slopes_under_jit_and_vmap() -> None:
    model = Linear()
    walls = _autograd.jax_function(model)  # type: ignore[arg-type]
    slope = jax.grad(lambda values: (walls(values) ** 2).sum())
    at = jax.numpy.asarray([0.2, 0.7])
    wanted = 2 * np.tensordot(model.by @ [0.2, 0.7], model.by, 3)
    assert np.asarray(slope(at)) == pytest.approx(wanted, rel=1e-4)
    found = jax.jit(slope)(at)
    assert np.asarray(found) == pytest.approx(wanted, rel=1e-4) and found.dtype == at.dtype
    several = jax.vmap(walls)(jax.numpy.stack([at, 2 * at]))
    assert np.asarray(several) == pytest.approx(np.stack([model.by @ [0.2, 0.7], model.by @ [0.4, 1.4]]), rel=1e-5, abs=1e-6)


def test_losses_that_jax_traces_say_where_to_call_them() -> None:
    responses = Linear.by[..., 0].repeat(16, axis=-1)
    for loss, place in (
        (losses.waveform(responses, RATE), "losses.waveform"),
        (losses.decay(responses, RATE, [1000]), "losses.decay"),
        (losses.clarity(0.0, RATE, [1000]), "losses.clarity"),
        (losses.spectrum(responses, RATE, 500, 2000), "losses.spectrum"),
        (rf.differentiable(lambda one: (one**2).sum(), "jax"), "responses"),
    ):
        for traced in (jax.jit(loss), jax.grad(lambda one, loss=loss: loss(one)[0])):
            with pytest.raises(rf.SceneError, match=f"{place}: JAX traces them, so that their numbers are not known\n.*{HINT}"):
                traced(jax.numpy.asarray(responses))
    value, slopes = rf.differentiable(jax.jit(lambda one: (one**2).sum()), "jax")(responses)
    assert value == pytest.approx((responses**2).sum(), rel=1e-5) and slopes == pytest.approx(2 * responses, rel=1e-5)
