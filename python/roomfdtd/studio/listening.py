"""Listening: a dry sound through a response, as ``fdtd auralize`` computes it, and frames of a snapshot as pictures."""

from __future__ import annotations

import re
import wave
from pathlib import Path

import numpy as np

from ..result import Result
from .job import Job

RATE = 48000
CLICK = "a click: the response itself"
BLOCKS = "wood blocks and a voice-like glide"
BUILT_IN = (BLOCKS, CLICK)


def listen(result: Result, source: str, receiver: str, dry: str | Path) -> Path:
    """A WAV file of the dry sound as the receiver hears it, beside the result; its loudest sample is 1.

    Parameters
    ----------
    result : Result
    source, receiver : str
        Names; of a binaural receiver the file has both ears.
    dry : str or Path
        One of BUILT_IN, or an audio file without reverberation.

    Raises
    ------
    FdtdError
        The sound cannot be read or written.
    """
    folder = result.path.parent / "listening"
    folder.mkdir(exist_ok=True)
    path = _written(folder, dry) if isinstance(dry, str) else dry
    heard = folder / f"{_plain(source)}_{_plain(receiver)}_{_plain(path.stem)}.wav"
    owner = receiver.partition(":")[0]
    options = ["--source", source, "--receiver", owner, "--normalize", "--format", "pcm24", "--force"]
    Job(["auralize", str(result.path), str(path), *options, "-o", str(heard)]).wait()
    return heard


def frames(result: Result, snapshot: str = "") -> list[Path]:
    """Pictures of a snapshot, drawn once; none where the run has no snapshots."""
    file = result.path.with_name("snapshots.h5")
    if not file.exists():
        return []
    folder = result.path.parent / "film"
    if not any(folder.glob("*.png")):
        named = ["--snapshot", snapshot] if snapshot else []
        Job(["movie", str(file), *named, "-o", str(folder), "--pixels", "720", "--force"]).wait()
    return sorted(folder.glob("*.png"))


def channels(path: Path) -> int:
    """Channels of a WAV file."""
    with path.open("rb") as file:
        head = file.read(24)
    return int.from_bytes(head[22:24], "little")


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
