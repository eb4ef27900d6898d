"""Responses as nested lists, and signals played through them."""

from __future__ import annotations

from collections.abc import Sequence
from reprlib import repr as short
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._document import finite, whole
from .errors import misplaced

if TYPE_CHECKING:
    from .scene import Scene


def rir(responses: NDArray[np.float64]) -> list[list[NDArray[np.float64]]]:
    """Responses, (sources, receivers, samples), as lists by receiver and source."""
    return [list(of_receiver) for of_receiver in np.swapaxes(responses, 0, 1)]


def _played(
    signals: Any, sources: int, delays: Sequence[float] | None
) -> tuple[dict[int, NDArray[np.float64]], NDArray[np.float64]]:
    """Signals by the number of their source, without those that are silent, and the delay of each source in s."""
    listed = _listed(signals)
    late = np.zeros(sources) if delays is None else finite(delays, "delays", "delays", samples=False).ravel()
    for what, given in (("signals", len(listed)), ("delays", len(late))):
        if given != sources:
            hint = "give one for each" + ("; None is silence" if what == "signals" else "")
            raise misplaced(what, f"{given} for {sources} source{'s'[: sources != 1]}", hint)
    if late.min(initial=0.0) < 0.0:
        raise misplaced("delays", "a delay is negative")
    sounds = {i: _sound(signal, f"signal {i}") for i, signal in enumerate(listed) if signal is not None}
    if not sounds:
        raise misplaced("signals", "all sources are silent")
    return sounds, late


def _listed(signals: Any) -> Sequence[Any]:
    """One signal is that of the only source."""
    if isinstance(signals, (list, tuple)):
        scalars = len(signals) > 0 and signals[0] is not None and not hasattr(signals[0], "__len__")
        return [signals] if scalars or (signals and isinstance(signals[0], str)) else signals
    array = np.asarray(signals)
    if array.ndim == 0:
        raise misplaced("signals", f"samples are needed, not {short(signals)}", "give an array for each source")
    return [array] if array.ndim == 1 and array.dtype != object else list(array)


def _sound(signal: Any, name: str) -> NDArray[np.float64]:
    found = finite(signal, "signals", name)
    if found.size != max(found.shape, default=0):
        raise misplaced("signals", f"{name} has the shape {found.shape}, and a source one channel", "give one of them")
    return found.ravel()


def simulate(
    responses: NDArray[np.float64], rate: float, signals: Any, delays: Sequence[float] | None
) -> NDArray[np.float64]:
    """The sound at receivers, (receivers, samples), of a signal for each source, None for silence."""
    sounds, delayed = _played(signals, len(responses), delays)
    begins = [int(np.floor(delay * rate)) for delay in delayed]
    length = responses.shape[-1] - 1 + max(begins[i] + len(sound) for i, sound in sounds.items())
    padded = 1 << (length - 1).bit_length()
    total = np.zeros((responses.shape[1], padded // 2 + 1), dtype=complex)
    for i, sound in sounds.items():
        late = np.concatenate([np.zeros(begins[i]), sound])
        total += np.fft.rfft(responses[i], padded) * np.fft.rfft(late, padded)
    return np.asarray(np.fft.irfft(total, padded)[:, :length])


def simulate_scene(
    self: Scene,
    signals: ArrayLike | Sequence[ArrayLike | None],
    delays: Sequence[float] | None = None,
    *,
    rate: int | None = None,
    **options: Any,
) -> NDArray[np.float64]:
    """Run the scene, and return the sound at all receivers while its sources play signals.

    Parameters
    ----------
    signals : array_like, shape (samples,), or sequence of them and of None
        Of the only source, or of each: finite numbers; None is silence.
    delays : sequence of float, optional
        When each begins, in s, to the sample before.
    rate : int, optional
        Sample rate of the signals and of the sound in Hz; by default that of the scene's responses, 48 000.
    options : optional
        Those of :meth:`run`.

    Returns
    -------
    ndarray, shape (receivers, samples)
    """
    _played(signals, len(self.document["source"]), delays)  # before anything is computed
    overrides = [*options.pop("overrides", ()), *([] if rate is None else [f"output.sample_rate={whole(rate, 'rate')}"])]
    return self.run(overrides=overrides, **options).simulate(signals, delays)
