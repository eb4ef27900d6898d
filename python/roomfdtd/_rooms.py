"""One room of a data set: computed by a worker, kept as a file by the client."""

from __future__ import annotations

import json
import os
import tempfile
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _engine
from .errors import FdtdError, of_scene
from .generators import Generator
from .result import Result, open_result
from .room import Surface
from .scene import Scene


@dataclass(frozen=True)
class Job:
    """The options that all rooms of a data set share."""

    rooms: Generator
    seed: int
    device: str | None
    threads: int
    batch: int = 1  # rooms at a time of a process on a GPU


@dataclass
class Outcome:
    """A room that was computed, or why it was not.

    ``geometry`` is the room as the text of an OBJ file, ``facts`` a row of the table of rooms; ``figures`` and
    ``estimates`` are rows of the tables of these names; ``responses`` has the shape (sources, receivers, samples),
    single precision. ``seconds`` is the time on the worker, ``parts`` its parts by name: ``drawing`` by the generator,
    ``run`` of the engine, ``steps`` and ``geometry`` of the run's time steps and of geometry above, all in seconds.
    """

    room: int
    worker: str
    seconds: float
    parts: dict[str, float] = field(default_factory=dict)
    scene: str = ""
    geometry: str = ""
    facts: dict[str, Any] | None = None
    figures: list[dict[str, Any]] | None = None
    estimates: list[dict[str, Any]] | None = None
    arrays: dict[str, NDArray[Any]] | None = None
    failure: dict[str, Any] | None = None


def generator_of(seed: int, room: int) -> np.random.Generator:
    """The random numbers of a room: they depend on the seed and its number alone."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(room,)))


def compute(job: Job, room: int) -> Outcome:
    """Draw and simulate a room. Whatever goes wrong with it is its outcome, and no exception."""
    began = time.perf_counter()
    outcome = Outcome(room, f"{os.uname().nodename}:{os.getpid()}", 0.0)
    try:
        sample = job.rooms(generator_of(job.seed, room))
        outcome.scene = sample.scene.to_toml()
        drawn = time.perf_counter()
        outcome.parts["drawing"] = drawn - began
        result = _run(sample.scene, job)
        outcome.parts["run"] = time.perf_counter() - drawn
        timing = result.document["timing"]
        outcome.parts |= {"steps": float(timing["seconds"]), "geometry": float(timing["above_seconds"])}
        outcome.facts = dict(sample.labels) | _facts(result.plan) | _band(result)
        outcome.figures = list(result._store.figures())
        outcome.estimates = _estimates(result.plan)
        outcome.geometry = (sample.scene._surface or _surface(result)).obj()
        outcome.arrays = {
            "responses": result.responses.astype(np.float32),
            "source_position": result.source_positions,
            "receiver_position": result.receiver_positions,
            "sample_rate": np.array(result.sample_rate),
        }
    except FdtdError as error:
        kind = type(error).__name__
        outcome.failure = {"kind": kind, "status": error.status, "message": error.message, "hint": error.hint}
    except Exception as error:  # of the generator: the other rooms go on
        text = traceback.format_exc(limit=-3)
        outcome.failure = {"kind": type(error).__name__, "status": None, "message": text, "hint": ""}
    outcome.seconds = time.perf_counter() - began
    return outcome


def _run(scene: Scene, job: Job) -> Result:
    """As :meth:`Scene.run`, beside others of the job's batch."""
    temporary = tempfile.TemporaryDirectory(prefix="roomfdtd-")
    with of_scene(scene):
        document = _engine.run(
            scene._text,
            scene._place(),
            output=temporary.name,
            device=job.device,
            threads=job.threads,
            rooms_at_once=job.batch,
        )
    return open_result(Path(temporary.name) / "result.h5", _document=document, _temporary=temporary)


def _surface(result: Result) -> Surface:
    """The room that was computed; its surfaces are named by their materials."""
    vertices, faces, material, names = result.surface
    return Surface(vertices, faces, names, material)


def _facts(plan: Mapping[str, Any]) -> dict[str, Any]:
    names = ("stencil", "nodes", "steps", "spacing", "valid_bandwidth", "sound_speed")
    return {name: plan[name] for name in names}


def _band(result: Result) -> dict[str, Any]:
    """The end of the responses, and where geometry takes over, as far as it agrees with the waves."""
    above = result.above
    found: dict[str, Any] = {"valid_to": result.valid_to}
    if above is not None:
        found |= {"waves_to": above.waves_to, "geometry_from": above.geometry_from, "trust": above.trust}
        found |= {f"agreement_{name}": above.agreement[name]["mean"] for name in ("G", "C80", "T20") if above.agreement}
    return found


def _estimates(plan: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of the reverberation times that the plan expects before anything is simulated, one an octave (Hz)."""
    names = {"estimated_T30": "seconds", "eyring_T": "eyring", "model": "model", "modes": "modes"}
    return [
        {"band": float(octave["centre"])} | {name: octave[key] for name, key in names.items()}
        for octave in plan["reverberation"]
    ]


class Shelf:
    """The rooms of a data set on disk: each a file that is there whole or not at all.

    Parameters
    ----------
    folder : Path
        ``rooms/NNNNNN.npz`` of rooms that are done and ``geometry/NNNNNN.obj``, ``failures/NNNNNN.json`` of those that
        failed, and ``journal.jsonl``, a line for every room that was put there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("rooms", "geometry", "failures"):
            (folder / name).mkdir(parents=True, exist_ok=True)

    def done(self) -> list[int]:
        """Numbers of the rooms that are done, ascending."""
        return sorted(int(path.stem) for path in (self.folder / "rooms").glob("*.npz"))

    def failed(self) -> list[int]:
        """Numbers of the rooms that failed, ascending."""
        return sorted(int(path.stem) for path in (self.folder / "failures").glob("*.json"))

    def put(self, outcome: Outcome) -> bool:
        """Keep an outcome; False for a room that is there already, which stays as it is."""
        target = self._path(outcome.room)
        if target.exists():
            return False
        failure = self.folder / "failures" / f"{outcome.room:06}.json"
        if outcome.failure is not None:
            record = {"room": outcome.room, "scene": outcome.scene} | outcome.failure
            _write(failure, json.dumps(record, indent=2).encode())
        else:
            arrays = outcome.arrays or {}
            document = {
                "facts": outcome.facts,
                "figures": outcome.figures,
                "estimates": outcome.estimates,
                "scene": outcome.scene,
                "shape": arrays["responses"].shape,
                "sample_rate": float(arrays["sample_rate"]),
            }
            _write(self.geometry(outcome.room), outcome.geometry.encode())
            aside = target.with_name(target.name + ".part")
            with aside.open("wb") as file:
                content: dict[str, Any] = {"document": np.array(json.dumps(document))} | arrays
                np.savez(file, **content)
            aside.replace(target)
            failure.unlink(missing_ok=True)
        state = "failed" if outcome.failure else "done"
        line = {"room": outcome.room, "state": state, "worker": outcome.worker, "seconds": round(outcome.seconds, 3)}
        line |= {name: round(seconds, 4) for name, seconds in outcome.parts.items()}
        with (self.folder / "journal.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
        return True

    def arrays(self, room: int) -> dict[str, NDArray[Any]]:
        """The arrays of a room by name."""
        with np.load(self._path(room)) as file:
            return {name: file[name] for name in file.files if name != "document"}

    def document(self, room: int) -> dict[str, Any]:
        """``facts``, ``figures``, ``estimates``, ``scene``, and ``shape`` and ``sample_rate`` of the responses."""
        with np.load(self._path(room)) as file:
            document: dict[str, Any] = json.loads(str(file["document"]))
            return document

    def failures(self) -> list[dict[str, Any]]:
        """Records of the rooms that failed."""
        return [json.loads((self.folder / "failures" / f"{room:06}.json").read_text()) for room in self.failed()]

    def geometry(self, room: int) -> Path:
        """The OBJ file of a room."""
        return self.folder / "geometry" / f"{room:06}.obj"

    def _path(self, room: int) -> Path:
        return self.folder / "rooms" / f"{room:06}.npz"


def _write(target: Path, content: bytes) -> None:
    aside = target.with_name(target.name + ".part")
    aside.write_bytes(content)
    aside.replace(target)
