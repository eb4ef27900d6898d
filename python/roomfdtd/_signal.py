"""Filters and decay curves of responses, to draw."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ORDER = 6  # of the Butterworth band-pass whose magnitude the filter has


def octave(response: NDArray[np.float64], rate: float, centre: float) -> NDArray[np.float64]:
    """A response (samples,) at `rate` Hz in the octave band about `centre` Hz, without delay."""
    length = 2 * len(response)
    frequencies = np.fft.rfftfreq(length, 1.0 / rate)
    with np.errstate(divide="ignore"):
        distance = (frequencies**2 - centre**2) / (np.maximum(frequencies, 1e-9) * centre * (2**0.5 - 0.5**0.5))
    gain = 1.0 / np.sqrt(1.0 + distance**ORDER)
    return np.asarray(np.fft.irfft(np.fft.rfft(response, length) * gain, length)[: len(response)])


def backward_level(response: NDArray[np.float64]) -> NDArray[np.float64]:
    """Energy from each sample on, in dB below the whole."""
    energy = np.cumsum(response[::-1] ** 2)[::-1]
    if energy[0] <= 0.0:
        return np.full(len(response), -np.inf)
    with np.errstate(divide="ignore"):
        return np.asarray(10.0 * np.log10(energy / energy[0]))
