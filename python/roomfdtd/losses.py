"""Losses of responses for a search for walls: each a callable of responses, shape (sources, receivers, samples), that
returns its value and its derivatives by each sample, as :func:`roomfdtd.gradient` takes it.

Levels in dB vary smoothly with a room's walls; the waveforms of a late response do not, since thousands of modes pass
through each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _document
from .errors import SceneError, misplaced

__all__ = ["Squares", "clarity", "decay", "reverberation_time", "spectrum", "total", "waveform"]

Array = NDArray[np.float64]
Loss = Callable[[Array], tuple[float, Array]]
_DB = 10.0 / np.log(10.0)
_EARLY = "state seconds, such as 0.08 for C80"


class Squares:
    """A loss that is a sum of squares, as ``rf.optimise(..., method="least-squares")`` takes it.

    Parameters
    ----------
    loss : callable
        Of the responses: the value and its derivatives by each sample.
    residuals : callable
        Of the responses: a list of numbers, the sum of whose squares is the value.
    """

    def __init__(self, loss: Loss, residuals: Callable[[Array], Array]) -> None:
        for name, one in (("loss", loss), ("residuals", residuals)):
            if not callable(one):
                raise misplaced(f"losses.Squares: {name}", f"a function of the responses is needed, not {one!r}")
        self._loss = loss
        self.residuals = residuals

    def __call__(self, responses: Array) -> tuple[float, Array]:
        """The value and its derivatives."""
        return self._loss(responses)


def decay(target: ArrayLike, rate: float, bands: Sequence[float], range_db: float = 30.0, every: float = 0.01) -> Squares:
    """The mean square difference of energy decays in dB by octave: backward integrals of the filtered responses.

    Parameters
    ----------
    target : array_like, shape (sources, receivers, samples)
        Responses, such as measured ones.
    rate : float
        Of both, in Hz.
    bands : sequence of float
        Centres of octaves in Hz.
    range_db : float
        Down to where the target's decay counts, below its beginning.
    every : float
        Distance of the times in s at which decays are compared.
    """
    place = "losses.decay"
    wanted = _document.heard(place, target)
    range_db = _document.above_zero(place, "range_db", range_db, "state decibels below the beginning, such as 30")
    bands = _document.octaves(place, bands, rate)
    masks = [_octave(place, band, rate, wanted.shape[-1]) for band in bands]
    every = _document.above_zero(place, "every", every, "state seconds between two times, such as 0.01")
    if every * rate >= wanted.shape[-1]:
        what = f"{every:g} s is not within the target, {wanted.shape[-1] / rate:.3g} s long"
        raise misplaced(f"{place}: every", what, "state seconds between two times, such as 0.01")
    step = max(1, round(every * rate))
    levels = []
    for mask in masks:
        energy = _backward(_filtered(wanted, mask) ** 2)[..., ::step]
        level = _DB * np.log(np.maximum(energy, 1e-300))
        levels.append((level, level >= level[..., :1] - range_db))

    count = sum(int(counts.sum()) for _, counts in levels)

    def misses(responses: Array) -> list[tuple[Array, Array, Array]]:
        responses = same_shape(place, responses, wanted)
        found = []
        for mask, (level, counts) in zip(masks, levels, strict=True):
            sound = _filtered(responses, mask)
            energy = np.maximum(_backward(sound**2)[..., ::step], 1e-300)
            found.append((sound, energy, np.where(counts, _DB * np.log(energy) - level, 0.0)))
        return found

    def loss(responses: Array) -> tuple[float, Array]:
        value, slopes = 0.0, np.zeros_like(wanted)
        for mask, (sound, energy, miss) in zip(masks, misses(responses), strict=True):
            value += float((miss**2).sum()) / count
            by_energy = np.zeros_like(sound)
            by_energy[..., ::step] = 2.0 * miss / count * _DB / energy
            slopes += _filtered(2.0 * sound * np.cumsum(by_energy, axis=-1), mask)
        return value, slopes

    return Squares(loss, lambda responses: _row(miss for _, _, miss in misses(responses)) / np.sqrt(count))


def spectrum(
    target: ArrayLike, rate: float, low: float, high: float, width: float = 0.0, mean: bool = False
) -> Squares:
    """The mean square difference in dB between the responses' spectra and others, from `low` to `high` Hz.

    Parameters
    ----------
    target : array_like, or float
        Responses, shape (sources, receivers, samples), or one level in dB for all frequencies.
    rate : float
        Of the responses, in Hz.
    low, high : float
        Hz.
    width : float
        Hz, over which energies are averaged: a Gaussian of that standard deviation; 0: not at all.
    mean : bool
        Compare with the responses' own mean level instead of `target`: a flat spectrum at any level.
    """
    place = "losses.spectrum"
    wanted = _document.finite(target, place, "target")
    if wanted.ndim != 0:
        wanted = _document.heard(place, target)
    hint = "state frequencies in Hz, `low` below `high`"
    low, high = (_document.above_zero(place, name, one, hint) for name, one in (("low", low), ("high", high)))
    rate, width = _document.rate(place, rate), _document.real(place, "width", width, "state Hz, or 0")
    if width < 0.0:
        raise misplaced(f"{place}: width", f"{width:g} is below 0", "state Hz, or 0")
    if not isinstance(mean, (bool, np.bool_)):
        raise misplaced(f"{place}: mean", f"{mean!r} is neither True nor False")
    if not low < high < rate / 2.0:
        what = f"{low:g} to {high:g} Hz is no band within half the rate, {rate / 2.0:g} Hz"
        raise misplaced(f"{place}: low and high", what, hint)

    def power(responses: Array) -> tuple[NDArray[np.complex128], slice, Array | None, Array]:
        samples = responses.shape[-1]
        bins = np.fft.rfft(responses, axis=-1)
        first, last = int(np.ceil(low * samples / rate)), int(np.floor(high * samples / rate))
        if not 0 < first < last < bins.shape[-1] - 1:
            what = f"{low:g} to {high:g} Hz have no two frequencies of {samples} samples at {rate:g} Hz"
            raise misplaced(f"{place}: low and high", what, "take a wider band, or a longer duration")
        part = slice(first, last + 1)
        smooth = _gaussian(last + 1 - first, width * samples / rate) if width > 0.0 else None
        energy = np.abs(bins[..., part]) ** 2
        return bins, part, smooth, np.maximum(energy if smooth is None else energy @ smooth.T, 1e-300)

    level = _DB * np.log(power(wanted)[3]) if wanted.ndim == 3 else wanted

    def off(energy: Array) -> Array:
        decibels = _DB * np.log(energy)
        return np.asarray(decibels - (decibels.mean(axis=-1, keepdims=True) if mean else level))

    def checked(responses: Array) -> Array:
        return same_shape(place, responses, wanted) if wanted.ndim == 3 else _document.responses(place, responses)

    def residuals(responses: Array) -> Array:
        responses = checked(responses)
        miss = off(power(responses)[3])
        return np.asarray(miss.ravel() / np.sqrt(miss.size))

    def loss(responses: Array) -> tuple[float, Array]:
        responses = checked(responses)
        bins, part, smooth, energy = power(responses)
        miss = off(energy)
        by_energy = 2.0 * miss / miss.size * _DB  # the mean's own derivative sums to zero
        by_energy = by_energy / energy if smooth is None else (by_energy / energy) @ smooth
        by_bins = np.zeros_like(bins)
        by_bins[..., part] = 2.0 * by_energy * bins[..., part]
        return float((miss**2).mean()), _rfft_back(by_bins, responses.shape[-1])

    return Squares(loss, residuals)


def clarity(target: ArrayLike, rate: float, bands: Sequence[float], early: float = 0.08) -> Squares:
    """The mean square difference of clarity in dB by octave: C80, or C50 with ``early=0.05``.

    Times count from the largest sample of each response at the first call.

    Parameters
    ----------
    target : array_like
        dB, of a shape that broadcasts to (bands, sources, receivers).
    rate : float
        Of the responses, in Hz.
    bands : sequence of float
        Centres of octaves in Hz.
    early : float
        s, after which late sound begins.
    """
    place = "losses.clarity"
    wanted = _document.finite(target, place, "target", samples=False)
    bands = _document.octaves(place, bands, rate)
    early = _document.above_zero(place, "early", early, _EARLY)
    if round(early * rate) < 1:
        raise misplaced(f"{place}: early", f"{early:g} s is less than a sample at {rate:g} Hz", _EARLY)
    if wanted.size == 0 or wanted.ndim > 3 or (wanted.ndim == 3 and wanted.shape[0] not in (1, len(bands))):
        raise _no_goals(wanted, (len(bands), "sources", "receivers"))
    limits: list[NDArray[np.int64]] = []

    def parts(responses: Array) -> list[tuple[Array, Array, Array, Array]]:
        responses = _document.responses(place, responses)
        if not limits:
            limits.append(np.abs(responses).argmax(axis=-1) + round(early * rate))
        if limits[0].shape != responses.shape[:-1] or limits[0].max() >= responses.shape[-1]:
            raise misplaced(place, "the responses end before the late sound begins, or are others than before", _EARLY)
        is_early = np.arange(responses.shape[-1]) < limits[0][..., None]
        shape = (len(bands), *responses.shape[:-1])
        try:
            goals = np.broadcast_to(wanted, shape)
        except ValueError:
            raise _no_goals(wanted, shape) from None
        found = []
        for goal, mask in zip(goals, masks(responses), strict=True):
            sound = _filtered(responses, mask)
            first = np.maximum((sound**2 * is_early).sum(axis=-1), 1e-300)
            later = np.maximum((sound**2 * ~is_early).sum(axis=-1), 1e-300)
            by_energy = np.where(is_early, 1.0 / first[..., None], -1.0 / later[..., None])
            found.append((_DB * np.log(first / later) - goal, sound, by_energy, mask))
        return found

    def masks(responses: Array) -> list[Array]:
        return [_octave(place, band, rate, responses.shape[-1]) for band in bands]

    def loss(responses: Array) -> tuple[float, Array]:
        responses = _document.responses(place, responses)
        value, slopes = 0.0, np.zeros_like(responses)
        for miss, sound, by_energy, mask in parts(responses):
            count = len(bands) * miss.size
            value += float((miss**2).sum()) / count
            by = (2.0 * miss / count * _DB)[..., None]
            slopes += _filtered(2.0 * sound * by * by_energy, mask)
        return value, slopes

    def residuals(responses: Array) -> Array:
        misses = _row(miss for miss, *_ in parts(responses))
        return np.asarray(misses / np.sqrt(misses.size))

    return Squares(loss, residuals)


def reverberation_time(rate: float, band: float, source: int = 0, receiver: int = 0) -> Loss:
    """T20 of one response in an octave, in s: the decay of 60 dB at the slope from -5 to -25 dB (ISO 3382-1).

    For a sensitivity map: which walls decide it. Derivatives hold the times at which the range begins and ends.

    Parameters
    ----------
    rate : float
        Of the responses, in Hz.
    band : float
        Centre of the octave in Hz.
    source, receiver : int
        Numbers of the response.
    """
    place = "losses.reverberation_time"
    (band,) = _document.octaves(place, [_document.above_zero(place, "band", band, "state the centre of an octave in Hz")], rate, "band")
    for name, number in (("source", source), ("receiver", receiver)):
        _document.whole(number, f"{place}: {name}", 0)

    def loss(responses: Array) -> tuple[float, Array]:
        responses = _document.responses(place, responses)
        for name, number, count in zip(("source", "receiver"), (source, receiver), responses.shape[:2], strict=True):
            if number >= count:
                raise misplaced(f"{place}: {name}", f"{number} is none of 0 to {count - 1}")
        mask = _octave(place, band, rate, responses.shape[-1])
        sound = _filtered(responses[source, receiver], mask)
        energy = np.maximum(_backward(sound**2), 1e-300)
        level = _DB * np.log(energy / energy[0])
        part = np.flatnonzero((level <= -5.0) & (level >= -25.0))
        # Where the response ends, what is left of it falls by itself: 15 dB more are needed.
        if len(part) < 3 or level[int(0.95 * len(level))] > -40.0:
            raise misplaced(place, f"at {band:g} Hz the response ends before it has decayed by 40 dB", "a longer duration has more of it")
        times = part / rate - part.mean() / rate
        weights = times / (times**2).sum()
        slope = float(weights @ level[part])
        by_energy = np.zeros_like(energy)
        by_energy[part] = 60.0 / slope**2 * weights * _DB / energy[part]
        slopes = np.zeros_like(responses)
        slopes[source, receiver] = _filtered(2.0 * sound * np.cumsum(by_energy), mask)
        return -60.0 / slope, slopes

    return loss


def waveform(target: ArrayLike, rate: float, gain_db: float = 0.0) -> Squares:
    """The energy of the difference to other responses, over theirs.

    For walls that are known roughly: only as long as waves arrive when they do in the target.

    Parameters
    ----------
    target : array_like, shape (sources, receivers, samples)
    rate : float
        Of both, in Hz.
    gain_db : float
        dB a second, by which samples count the more the later they are, against their decay.
    """
    place = "losses.waveform"
    wanted = _document.target_of(place, target)
    if not wanted.any():
        raise misplaced(f"{place}: target", "the target is silent", "take responses that a source reaches")
    rate = _document.rate(place, rate)
    hint = "state decibels a second, such as 60 over the reverberation time"
    gain_db = _document.real(place, "gain_db", gain_db, hint)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        weights = 10.0 ** (gain_db / 10.0 * np.arange(wanted.shape[-1]) / rate)
        whole = float((weights * wanted**2).sum())
    if not (np.isfinite(weights).all() and 1e-300 < whole < np.inf):
        what = f"{gain_db:g} dB a second over {wanted.shape[-1] / rate:.3g} s of the target is too much to compute with"
        raise misplaced(f"{place}: gain_db", what, hint)
    scale = 1.0 / whole

    def loss(responses: Array) -> tuple[float, Array]:
        responses = same_shape(place, responses, wanted)
        miss = responses - wanted
        return scale * float((weights * miss**2).sum()), 2.0 * scale * weights * miss

    def residuals(responses: Array) -> Array:
        responses = same_shape(place, responses, wanted)
        return np.asarray((np.sqrt(scale * weights) * (responses - wanted)).ravel())

    return Squares(loss, residuals)


def total(*parts: tuple[float, Loss]) -> Loss:
    """A sum of losses, each with its weight: ``total((1.0, decay(...)), (0.1, clarity(...)))``.

    Parameters
    ----------
    *parts : tuple of float and loss
        Weights and losses.
    """
    place = "losses.total"
    for part in parts or (None,):
        if not isinstance(part, (tuple, list)) or len(part) != 2 or not callable(part[1]):
            raise misplaced(place, "pairs of a weight and a loss are needed", "total((1.0, decay(...)), ...)")
    weights = [_document.real(place, f"weight {k}", part[0], "weights are numbers") for k, part in enumerate(parts)]
    if not any(weights):
        raise misplaced(f"{place}: weights", "all are 0", "give one part at least a weight of its own")

    def loss(responses: Array) -> tuple[float, Array]:
        value, slopes = 0.0, np.zeros_like(responses, dtype=float)
        for k, (weight, (_, one)) in enumerate(zip(weights, parts, strict=True)):
            part, by = _document.loss_answer(one(responses), np.shape(responses), f"{place}: loss {k}")
            value += weight * part
            slopes += weight * by
        return value, slopes

    def residuals(responses: Array) -> Array:
        return _row(np.sqrt(weight) * one.residuals(responses) for weight, one in squares)

    squares = [(weight, one) for weight, (_, one) in zip(weights, parts, strict=True) if isinstance(one, Squares) and weight >= 0.0]
    return Squares(loss, residuals) if len(squares) == len(parts) else loss


def same_shape(place: str, responses: ArrayLike, wanted: Array) -> Array:
    """Responses of the shape of a target."""
    given = _document.responses(place, responses)
    if given.shape != wanted.shape:
        raise misplaced(place, f"the target has shape {wanted.shape}, the responses {given.shape}")
    return given


def _no_goals(wanted: Array, shape: tuple[object, ...]) -> SceneError:
    listed = ", ".join(map(str, shape))
    hint = f"give one number, or an array of (bands, sources, receivers) = ({listed}); a number a band: [[[1]], [[2]]]"
    return misplaced("losses.clarity: target", f"the target has shape {wanted.shape}", hint)


def _row(parts: Iterable[Array]) -> Array:
    return np.concatenate([one.ravel() for one in parts])


def _octave(place: str, band: float, rate: float, samples: int) -> Array:
    """The response of a zero-phase octave filter at the bins of a transform of twice the length: half a cosine a side."""
    if band * samples < rate:
        what = f"the octave of {band:g} Hz has a period longer than the responses, {samples / rate:.3g} s"
        raise misplaced(f"{place}: bands", what, "leave it out, or take a longer duration")
    frequency = np.fft.rfftfreq(2 * samples, 1.0 / rate)
    with np.errstate(divide="ignore"):
        octaves = np.abs(np.log2(frequency / band))
    edge = np.clip((octaves - 0.5) / 0.25 + 0.5, 0.0, 1.0)  # half way at the octave's edges
    return np.asarray(np.cos(0.5 * np.pi * edge))


def _filtered(signals: Array, mask: Array) -> Array:
    """Symmetric in time, so that it is its own transpose."""
    samples = signals.shape[-1]
    return np.asarray(np.fft.irfft(np.fft.rfft(signals, 2 * samples, axis=-1) * mask, 2 * samples, axis=-1)[..., :samples])


def _backward(energy: Array) -> Array:
    return np.asarray(np.cumsum(energy[..., ::-1], axis=-1)[..., ::-1])


def _gaussian(count: int, width: float) -> Array:
    distance = np.subtract.outer(np.arange(count), np.arange(count)) / width
    with np.errstate(over="ignore"):
        weights = np.exp(-0.5 * distance**2)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _rfft_back(by_bins: NDArray[Any], samples: int) -> Array:
    """The transpose of rfft(): of bins G, the real part of the sum of conj(G_k) exp(-2 pi i k n / N)."""
    scaled = np.array(by_bins)
    scaled[..., 1 : (samples + 1) // 2] *= 0.5
    return np.asarray(np.fft.irfft(scaled, samples, axis=-1) * samples)
