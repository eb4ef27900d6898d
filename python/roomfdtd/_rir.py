"""Responses as nested lists, and signals played through them."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import misplaced

if TYPE_CHECKING:
    from .scene import Scene


def rir(responses: NDArray[np.float64]) -> list[list[NDArray[np.float64]]]:
    """Responses, (sources, receivers, samples), as lists by receiver and source."""
    return [list(of_receiver) for of_receiver in np.swapaxes(responses, 0, 1)]


def _one_each(signals: Any, sources: int, delays: Sequence[float] | None) -> Sequence[Any]:
    """A signal for each source; one signal is that of the only source."""
    single = isinstance(signals, np.ndarray) and signals.ndim == 1 and signals.dtype != object
    single = single or (isinstance(signals, (list, tuple)) and len(signals) > 0 and isinstance(signals[0], Real))
    listed: Sequence[Any] = [signals] if single else signals
    if len(listed) != sources or (delays is not None and len(delays) != sources):
        given = len(listed) if len(listed) != sources or delays is None else len(delays)
        what = "signals" if given == len(listed) else "delays"
        raise misplaced(what, f"{given} for {sources} source{'s'[: sources != 1]}", "give one for each; None is silence")
    return listed


def simulate(
    responses: NDArray[np.float64], rate: float, signals: Any, delays: Sequence[float] | None
) -> NDArray[np.float64]:
    """The sound at receivers, (receivers, samples), of a signal for each source, None for silence."""
    signals = _one_each(signals, len(responses), delays)
    begins = [0 if delays is None else int(np.floor(float(delays[i]) * rate)) for i in range(len(signals))]
    if min(begins, default=0) < 0:
        raise misplaced("delays", "a delay is negative")
    sounds = {
        i: np.asarray(signal, dtype=float).ravel() for i, signal in enumerate(signals) if signal is not None
    }
    if not sounds:
        raise misplaced("signals", "all sources are silent")
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
        Of the only source, or of each; None is silence.
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
    signals = _one_each(signals, len(self.document["source"]), delays)  # before anything is computed
    overrides = [*options.pop("overrides", ()), *([] if rate is None else [f"output.sample_rate={rate}"])]
    return self.run(overrides=overrides, **options).simulate(signals, delays)
