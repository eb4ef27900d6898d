"""Figures of merit of five made responses by pyrato 1.1 (https://pypi.org/project/pyrato): the table in
tests/unit/engine/test_metrics_reference.cpp. Run by hand: python metrics.py"""
import numpy as np
import pyfar
import pyrato.edc
import pyrato.parameters
import scipy.signal

rate = 48000


def noise(n, seed):
    """Knuth's MMIX generator, its 53 highest bits to -1..1."""
    out = np.empty(n)
    for i in range(n):
        seed = (seed * 6364136223846793005 + 1442695040888963407) & (2**64 - 1)
        out[i] = (seed >> 11) * 2.0**-52 - 1.0
    return out


def decay(n, time):
    return 10.0 ** (-3.0 * np.arange(n) / rate / time)


def responses():
    a = noise(24000, 1) * decay(24000, 0.3)
    b = noise(57600, 2) * decay(57600, 0.8)
    c = noise(115200, 3) * decay(115200, 1.8)
    d = noise(57600, 4) * (decay(57600, 0.35) + 0.12 * decay(57600, 1.0))  # bent
    d[0] = 6.0
    e = noise(57600, 5) * decay(57600, 0.9)  # direct sound after 10 ms, two echoes
    e[:960] = 0.0
    e[480] = 8.0
    e[1500] -= 5.0
    e[2600] += 4.0
    return [a, b, c, d, e]


def figures(x):
    onset = int(np.argmax(np.abs(x) >= 0.1 * np.abs(x).max()))
    signal = pyfar.Signal(x[onset:], rate)
    edc = pyrato.edc.schroeder_integration(signal)
    edc = pyfar.TimeData(edc.time / edc.time[..., :1], edc.times)
    p = pyrato.parameters
    times = [p.reverberation_time_linear_regression(edc, T=t) for t in ("EDT", "T20", "T30")]
    rest = [p.clarity(edc, 50), p.clarity(edc, 80), p.definition(edc, 50), p.center_time(edc)]
    return [float(np.ravel(v)[0]) for v in times + rest]


def octave(x, centre):
    """Around 1 kHz: a Butterworth filter of the sixth order."""
    edges = [centre / 2**0.5, centre * 2**0.5]
    sos = scipy.signal.butter(6, edges, "bandpass", fs=rate, output="sos")
    return scipy.signal.sosfilt(sos, np.concatenate([x, np.zeros(rate // 5)]))


for x in responses():
    broad, band = figures(x), figures(octave(x, 1000.0))
    print("{" + ", ".join(f"{v:.5g}" for v in broad + band[1:3]) + "},")
