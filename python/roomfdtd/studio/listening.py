"""Listening: a dry sound through a response, as ``fdtd auralize`` computes it, and frames of a snapshot as pictures."""

from __future__ import annotations

import json
import re
import warnings
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from .._store import text
from ..errors import FdtdError
from ..result import Result
from .job import Job

RATE = 48000
PIXELS = 360  # of a film's picture, whose words are as large on the page as they are drawn
MOST_VALUES = 20_000_000  # of a film, from which its scale is found
CLICK = "a click: the response itself"
BLOCKS = "wood blocks and a voice-like glide"
BUILT_IN = (BLOCKS, CLICK)


@dataclass(frozen=True)
class Film:
    """Pictures of a slice: their ``times`` in s, ``where`` in words, ``scale``: the pressure of the darkest red, 1 being
    the peak of the source's pulse at 1 m."""

    pictures: tuple[Path, ...]
    times: tuple[float, ...]
    where: str
    scale: float


def rotations(result: Result, receiver: str) -> list[float]:
    """Degrees by which the head of a binaural receiver is turned to its left; none of another receiver."""
    return result._store.rotations(receiver)


def rotation_of(result: Result, receiver: str, wanted: float | None) -> float | None:
    """The rotation that is heard: the wanted one, or the first where the head has not been turned so; None: no head."""
    found = rotations(result, receiver)
    return wanted if wanted in found else next(iter(found), None)


def turn_text(angle: float) -> str:
    """A rotation of a head in words: "30° to the left"."""
    return f"{abs(angle):g}° to the {'left' if angle > 0 else 'right'}" if angle else "0°, ahead"


def listen(
    results: Sequence[Result], pairs: Sequence[tuple[str, str]], dry: str | Path, rotation: float | None = None
) -> list[Path]:
    """WAV files of the dry sound as a receiver hears it in each run, beside the results.

    All have the same gain, by which the loudest sample of all of them is 1, so that their levels compare.

    Parameters
    ----------
    results : sequence of Result
    pairs : sequence of (str, str)
        Names of source and receiver in each; of a binaural receiver the file has both ears, of others with several channels the first one.
    dry : str or Path
        One of BUILT_IN, or an audio file without reverberation.
    rotation : float, optional
        Of a binaural receiver, as :func:`rotation_of` takes it, in degrees.

    Raises
    ------
    FdtdError
        The sound cannot be read or written.
    """
    heard = []
    for result, (source, receiver) in zip(results, pairs, strict=True):
        folder = result.path.parent / "listening"
        folder.mkdir(exist_ok=True)
        path = _written(folder, dry) if isinstance(dry, str) else dry
        owner = result._channels(receiver)[0].owner
        turned = rotation_of(result, owner, rotation)
        yaw = f"_yaw{turned:g}" if turned else ""
        to = folder / f"{_plain(source)}_{_plain(receiver)}{yaw}_{_plain(path.stem)}.wav"
        options = ["--source", source, "--receiver", owner, "--format", "float", "--force"]
        options += [] if turned is None else [f"--rotation={turned:.17g}"]
        Job(["auralize", str(result.path), str(path), *options, "-o", str(to)]).wait()
        samples, rate = _floats(to)
        heard.append((to, samples if samples.shape[1] == 2 else samples[:, :1], rate))
    loudest = max(float(np.abs(samples).max(initial=0.0)) for _, samples, _ in heard) or 1.0
    for path, samples, rate in heard:
        _write_24_bit(path, samples / loudest, rate)
    return [path for path, _, _ in heard]


def slices(result: Result) -> list[str]:
    """Names of the run's snapshots."""
    file = result.path.with_name("snapshots.h5")
    if not file.exists():
        return []
    with h5py.File(file, "r") as opened:
        return [text(one) for one in opened.attrs["snapshots"]]


def film(result: Result, source: str, snapshot: str) -> Film:
    """Pictures of a snapshot, drawn once into ``film`` beside the result."""
    file = result.path.with_name("snapshots.h5")
    folder = result.path.parent / "film" / f"{_plain(source)}_{_plain(snapshot)}"
    notes = folder / "film.json"  # written when the pictures are complete
    if not notes.exists() or notes.stat().st_mtime < file.stat().st_mtime:
        scale, times, where = _about(file, source, snapshot)
        options = ["--snapshot", snapshot, "--source", source, "--scale", f"{scale:.3g}", "--pixels", str(PIXELS)]
        Job(["movie", str(file), *options, "-o", str(folder), "--force"]).wait()
        notes.write_text(json.dumps({"scale": scale, "times": times, "where": where}), encoding="utf-8")
    about = json.loads(notes.read_text(encoding="utf-8"))
    pictures = sorted(folder.glob("*.png"))
    if len(pictures) != len(about["times"]):
        raise FdtdError(f"{folder}: some pictures are missing", "remove the folder, and they are drawn again")
    return Film(tuple(pictures), tuple(about["times"]), about["where"], float(about["scale"]))


def _about(file: Path, source: str, snapshot: str) -> tuple[float, list[float], str]:
    """The pressure that 1 % of a snapshot's values exceed, its times in s, and its place in words."""
    with h5py.File(file, "r") as opened:
        group = opened[snapshot]
        frames = group[source]["pressure"]
        part = max(1, frames.size // MOST_VALUES)  # of a long film some of the frames
        size = np.abs(np.asarray(frames[::part]))[:, np.asarray(group["air"]) != 0]
        axis = int(group.attrs["axis"])
        where = f"{'xyz'[axis]} = {float(group.attrs['origin'][axis]):.3g} m" if axis < 3 else "z in the middle of the volume"
        times = [round(float(one), 6) for one in group["times"]]
    return float(f"{np.quantile(size, 0.99) if size.size else 1.0:.3g}") or 1.0, times, where


def _floats(path: Path) -> tuple[NDArray[np.float32], int]:
    """Samples (samples, channels) of a WAV file of 32-bit floats, and their rate."""
    from scipy.io import wavfile

    warnings.filterwarnings("ignore", "Chunk", wavfile.WavFileWarning)  # PEAK, which libsndfile adds
    rate, samples = wavfile.read(path)
    return samples.reshape(len(samples), -1), rate


def _write_24_bit(path: Path, samples: NDArray[np.float32], rate: int) -> None:
    whole = np.round(np.clip(samples, -1.0, 1.0) * (2**23 - 1)).astype("<i4")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(3)
        file.setframerate(rate)
        file.writeframes(whole.reshape(-1, 1).view(np.uint8)[:, :3].tobytes())


def channels(path: Path) -> int:
    """Channels of a WAV file of whole numbers."""
    with wave.open(str(path)) as file:
        return int(file.getnchannels())


def dry_sound(name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """A built-in dry sound, shape (samples,), at RATE Hz."""
    if name == CLICK:
        click = np.zeros(64)
        click[0] = 1.0
        return click
    sound = np.zeros(3 * RATE)
    for beat, pitch in ((0.0, 880.0), (0.4, 660.0), (0.6, 660.0), (0.8, 990.0)):
        time = np.arange(int(0.12 * RATE)) / RATE
        block = np.exp(-time / 0.02) * (np.sin(2 * np.pi * pitch * time) + 0.5 * np.sin(2 * np.pi * 0.25 * pitch * time))
        at = int(beat * RATE)
        sound[at : at + len(block)] += block
    time = np.arange(int(0.9 * RATE)) / RATE
    phase = 2 * np.pi * np.cumsum(110.0 + 60.0 * np.sin(np.pi * time / 0.9)) / RATE
    voice = np.sum([np.sin(k * phase) / k for k in range(1, 25)], axis=0) * np.sin(np.pi * time / 0.9) ** 2
    at = int(1.4 * RATE)
    sound[at : at + len(voice)] += 0.5 * voice
    return np.asarray(sound / np.abs(sound).max())


def _written(folder: Path, name: str) -> Path:
    """A built-in sound as a file."""
    path = folder / ("click.wav" if name == CLICK else "blocks.wav")
    samples = (np.clip(dry_sound(name), -1.0, 1.0) * 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())
    return path


def _plain(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name)
