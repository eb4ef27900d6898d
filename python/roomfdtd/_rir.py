"""Responses as nested lists, and signals played through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import misplaced


def rir(responses: NDArray[np.float64]) -> list[list[NDArray[np.float64]]]:
    """Responses, (sources, receivers, samples), as lists by receiver and source."""
    return [list(of_receiver) for of_receiver in np.swapaxes(responses, 0, 1)]


def simulate(
    responses: NDArray[np.float64], rate: float, signals: Sequence[Any], delays: Sequence[float] | None
) -> NDArray[np.float64]:
    """The sound at receivers, (receivers, samples), of a signal for each source, None for silence."""
    if len(signals) != len(responses) or (delays is not None and len(delays) != len(responses)):
        raise misplaced("signals", f"{len(signals)} signals for {len(responses)} sources", "give one for each; None is silence")
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
