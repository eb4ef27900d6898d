"""Gradients of walls for PyTorch and JAX; imported where one of them is wanted, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _lazy

if TYPE_CHECKING:
    from ._gradient import Loss, WallModel


def torch_loss(function: Callable[[Any], Any]) -> Loss:
    """A function of a tensor of responses as a loss of arrays."""
    torch = _lazy.load("torch", "torch")

    def loss(responses: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        leaf = torch.from_numpy(np.array(responses)).requires_grad_()
        value = function(leaf)
        value.backward()
        return float(value.detach()), leaf.grad.numpy()

    return loss


def torch_function(model: WallModel) -> Callable[[Any], Any]:
    """Responses of a tensor of values: one run, and two more where they are differentiated."""
    torch = _lazy.load("torch", "torch")

    class Walls(torch.autograd.Function):  # type: ignore[misc,name-defined]  # torch need not be installed
        @staticmethod
        def forward(context: Any, values: Any) -> Any:
            at = values.detach().cpu().double().numpy()
            context.at = at
            return torch.from_numpy(np.array(model.responses(at))).to(values)

        @staticmethod
        def backward(context: Any, slopes: Any) -> Any:
            by = model.pulled_back(context.at, slopes.detach().cpu().double().numpy())
            return torch.from_numpy(by.reshape(context.at.shape)).to(slopes)

    return lambda values: Walls.apply(values)


def jax_loss(function: Callable[[Any], Any]) -> Loss:
    """A function of an array of responses as a loss of arrays."""
    jax = _lazy.load("jax", "jax")

    def loss(responses: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, slopes = jax.value_and_grad(function)(jax.numpy.asarray(responses))
        return float(value), np.asarray(slopes, dtype=float)

    return loss


def jax_function(model: WallModel) -> Callable[[Any], Any]:
    """Responses of an array of values: one run, and two more where they are differentiated. Outside jit."""
    jax = _lazy.load("jax", "jax")

    @jax.custom_vjp  # type: ignore[untyped-decorator,unused-ignore]
    def walls(values: Any) -> Any:
        return jax.numpy.asarray(model.responses(np.asarray(values)))

    def forward(values: Any) -> tuple[Any, Any]:
        return walls(values), np.asarray(values)

    def backward(at: Any, slopes: Any) -> tuple[Any]:
        by = model.pulled_back(at, np.asarray(slopes, dtype=float))
        return (jax.numpy.asarray(by.reshape(at.shape), dtype=at.dtype),)

    walls.defvjp(forward, backward)
    return walls  # type: ignore[no-any-return,unused-ignore]
