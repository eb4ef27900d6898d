"""The speech transmission index beside a computation of its own: IEC 60268-16:2020 from a filtered response alone.

Nothing of the program's way is used: Butterworth filters forwards and backwards instead of a zero-phase spectrum, the modulated
integral of the squared response over all its samples instead of sums over parts with a rest, and the standard's tables as
they are printed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from roomfdtd import _engine

RATE = 48000
OCTAVES = 1000.0 * 10 ** (0.3 * np.arange(-3, 4))  # exact midband frequencies
FREQUENCIES = np.array([0.63, 0.8, 1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8, 10, 12.5])
STIPA = ((1.6, 8), (1, 5), (0.63, 3.15), (2, 10), (1.25, 6.25), (0.8, 4), (2.5, 12.5))
ALPHA = np.array([0.085, 0.127, 0.230, 0.233, 0.309, 0.224, 0.173])
BETA = np.array([0.085, 0.078, 0.065, 0.011, 0.047, 0.095])
MALE = np.array([-2.5, 0.5, 0.0, -6.0, -12.0, -18.0, -24.0])
RECEPTION = np.array([46.0, 27.0, 12.0, 6.5, 7.5, 8.0, 12.0])


def response(times: NDArray[np.float64], direct: float) -> NDArray[np.float64]:
    """Direct sound after 20 ms, then noise with a decay time of its own in each octave."""
    scipy_signal = pytest.importorskip("scipy.signal")
    t = np.arange(2 * RATE) / RATE
    noise = np.random.default_rng(11).standard_normal(len(t))
    sound = np.zeros(len(t) + RATE // 50)
    sound[RATE // 50] = direct
    for centre, time in zip(OCTAVES, times, strict=True):
        edges = [centre / 2**0.5, min(centre * 2**0.5, 0.49 * RATE)]
        part = scipy_signal.sosfiltfilt(scipy_signal.butter(2, edges, "band", fs=RATE, output="sos"), noise)
        sound[RATE // 50 :] += 0.05 * part * 10 ** (-3 * t / time) / np.sqrt(np.mean(part**2))
    return sound


def octave(sound: NDArray[np.float64], centre: float) -> NDArray[np.float64]:
    from scipy import signal

    padded = np.concatenate([np.zeros(RATE // 5), sound, np.zeros(RATE // 5)])
    edges = [centre / 2**0.5, min(centre * 2**0.5, 0.499 * RATE)]
    return np.asarray(signal.sosfiltfilt(signal.butter(2, edges, "band", fs=RATE, output="sos"), padded, padlen=0))


def modulation(sound: NDArray[np.float64], frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
    energy = sound**2
    t = np.arange(len(sound)) / RATE
    turns = 2 * np.pi * np.asarray(frequencies)[:, None] * t
    return np.asarray(np.hypot((np.cos(turns) * energy).sum(1), (np.sin(turns) * energy).sum(1)) / energy.sum())


def index(modulations: list[NDArray[np.float64]]) -> float:
    mti = []
    for m in modulations:
        ratio = 10 * np.log10(np.clip(m, 1e-12, 1 - 1e-12) / (1 - np.clip(m, 1e-12, 1 - 1e-12)))
        mti.append(np.mean((np.clip(ratio, -15, 15) + 15) / 30))
    octaves = np.array(mti)
    return float(ALPHA @ octaves - BETA @ np.sqrt(octaves[:-1] * octaves[1:]))


def factors(speech: NDArray[np.float64], noise: NDArray[np.float64]) -> NDArray[np.float64]:
    """The part of m that noise, masking from the octave below and the threshold of hearing leave."""
    all_sound = 10 ** (speech / 10) + 10 ** (noise / 10)
    level = 10 * np.log10(all_sound)
    slope = np.select(
        [level < 63, level < 67, level < 100], [0.5 * level - 65, 1.8 * level - 146.9, 0.5 * level - 59.8], -10.0
    )
    masking = np.concatenate([[0.0], (all_sound * 10 ** (slope / 10))[:-1]])
    return np.asarray(10 ** (speech / 10) / (all_sound + masking + 10 ** (RECEPTION / 10)))


@pytest.mark.parametrize("direct", [0.0, 20.0])
def test_the_index_is_that_of_the_modulated_integral(tmp_path: Path, direct: float) -> None:
    wavfile = pytest.importorskip("scipy.io.wavfile")
    sound = response(np.array([1.6, 1.4, 1.1, 0.9, 0.8, 0.6, 0.5]), direct)
    path = tmp_path / "ir.wav"
    wavfile.write(path, RATE, sound.astype(np.float32))
    parts = [octave(sound, centre) for centre in OCTAVES]
    m = [modulation(part, FREQUENCIES) for part in parts]
    room = _engine.metrics(str(path))
    assert room["STI"] == pytest.approx(index(m), abs=0.01)
    pairs = [modulation(part, np.array(pair)) for part, pair in zip(parts, STIPA, strict=True)]
    assert room["STIPA"] == pytest.approx(index(pairs), abs=0.01)

    # Levels: G is the energy over that of a unit sample at 10 m, where speech is 20 dB below that of 1 m.
    pulse = np.zeros(RATE)
    pulse[RATE // 2] = 1.0
    gain = np.array(
        [np.sum(part**2) / np.sum(octave(pulse, centre) ** 2) for part, centre in zip(parts, OCTAVES, strict=True)]
    )
    noise = np.array([55.0, 50, 48, 45, 40, 35, 30])
    left = factors(60 + MALE + 10 * np.log10(gain), noise)
    noisy = _engine.metrics(str(path), scale=1.0, speech=60.0, noise=list(noise))
    assert noisy["STI"] == pytest.approx(index([a * b for a, b in zip(m, left, strict=True)]), abs=0.01)
    assert noisy["STI"] < room["STI"] - 0.02
