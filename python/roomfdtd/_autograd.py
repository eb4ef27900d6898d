"""Gradients of walls for PyTorch and JAX; imported where one of them is wanted, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _document, _lazy

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
        responses = _document.finite(responses, "responses", "responses")
        value, slopes = jax.value_and_grad(function)(jax.numpy.asarray(responses))
        return float(value), np.asarray(slopes, dtype=float)

    return loss


def jax_function(model: WallModel) -> Callable[[Any], Any]:
    """Responses of an array of values: one run, and two more where they are differentiated.

    Where JAX traces it, as under jit, the first trace takes a run more, for the shape of the responses.
    """
    jax = _lazy.load("jax", "jax")
    shape: list[tuple[int, ...]] = []

    def computed(function: Callable[..., Any], shaped: Callable[[], Any], *given: Any) -> Any:
        """Now, or where JAX has the values of what it traces."""
        if not any(isinstance(one, jax.core.Tracer) for one in given):
            return jax.numpy.asarray(function(*given))
        return jax.pure_callback(function, shaped(), *given, vmap_method="sequential")

    def responses(values: Any) -> Any:
        found = np.asarray(model.responses(np.asarray(values)), dtype=jax.numpy.result_type(float))
        shape[:] = [found.shape]
        return found

    def pulled_back(values: Any, slopes: Any) -> Any:
        by = model.pulled_back(np.asarray(values), np.asarray(slopes, dtype=float))
        return by.reshape(values.shape).astype(values.dtype)

    def of_responses() -> Any:
        if not shape:
            responses(model.values)
        return jax.ShapeDtypeStruct(shape[0], jax.numpy.result_type(float))

    @jax.custom_vjp  # type: ignore[untyped-decorator,unused-ignore]
    def walls(values: Any) -> Any:
        return computed(responses, of_responses, values)

    def forward(values: Any) -> tuple[Any, Any]:
        values = jax.numpy.asarray(values)
        return walls(values), values

    def backward(at: Any, slopes: Any) -> tuple[Any]:
        return (computed(pulled_back, lambda: jax.ShapeDtypeStruct(at.shape, at.dtype), at, slopes),)

    walls.defvjp(forward, backward)
    return walls  # type: ignore[no-any-return,unused-ignore]
