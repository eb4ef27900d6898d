"""Which square metre of wall decides T20 at a receiver: the map of a gradient, computed by a process that can be ended.

``python -m roomfdtd.studio.sensitivity`` is that process. It takes a request as a line of JSON, prints an event a line,
and ends when its input does, so that it does not outlive the studio.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import tomlkit
from numpy.typing import NDArray

from .. import _engine
from ..errors import FdtdError, SceneError

OCTAVES = (31.5, 63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0)
RATE = 48000  # Hz, of the responses
RUNS = 2.7  # of the waves, that a gradient costs: 2.4 to 2.9 were measured (docs/explanation/adjoint.md)
STEP = 0.01  # of the admittance, by which the page states changes
ABSORPTION = 0.07  # of a hard wall in a diffuse field, which STEP adds
TO_MS = 1000.0 * STEP

State = Literal["idle", "running", "stopped", "finished", "failed"]


@dataclass(frozen=True)
class Sites:
    """Derivatives of T20 by the wall at each node: ``position`` (sites, 3) in m, ``area`` in m2, ``value`` in s by m2 and
    admittance (over that of air), ``axis`` across which the wall lies, ``material`` by name."""

    position: NDArray[np.float64]
    area: NDArray[np.float64]
    value: NDArray[np.float64]
    axis: NDArray[np.int64]
    material: tuple[str, ...]

    def by_material(self) -> list[tuple[str, float, float]]:
        """Names, areas in m2, and the change of T20 in ms by each square metre, the strongest first."""
        names = np.array(self.material)
        found = []
        for name in dict.fromkeys(self.material):
            own = names == name
            area = float(self.area[own].sum())
            found.append((name, area, TO_MS * float((self.area * self.value)[own].sum()) / max(area, 1e-9)))
        return sorted(found, key=lambda one: -abs(one[2]))

    @property
    def total(self) -> float:
        """The change of T20 in ms where the admittance of all walls grows by STEP."""
        return TO_MS * float((self.area * self.value).sum())


@dataclass(frozen=True)
class Question:
    """T20 of which response: ``source`` and ``receiver`` by name, the octave's centre ``band`` in Hz."""

    source: str
    receiver: str
    band: float


@dataclass(frozen=True)
class MapStatus:
    """How far the computation is; ``text`` is the scene that it is of, ``seconds`` those since its beginning."""

    state: State = "idle"
    question: Question | None = None
    text: str = ""
    stage: str = ""
    seconds: float = 0.0
    t20: float = 0.0
    sites: Sites | None = None
    error: str = ""
    hint: str = ""


def octaves_of(valid_to: float) -> list[float]:
    """Octaves that lie within waves up to this frequency (Hz)."""
    return [band for band in OCTAVES if band * 2**0.5 <= 1.01 * valid_to]


def reduced(text: str, question: Question) -> str:
    """The scene of waves alone, up to an octave above the one that is asked for, with one source and one receiver."""
    document = tomlkit.parse(text).unwrap()
    for kind, name in (("source", question.source), ("receiver", question.receiver)):
        chosen = [one for one in document.get(kind, []) if one.get("name") == name and "position" in one]
        if not chosen:
            raise SceneError(f"there is no {kind} {name} with one position", "choose another one")
        document[kind] = chosen[:1]
    document["receiver"][0] = {"name": question.receiver, "position": document["receiver"][0]["position"]}
    simulation = document.setdefault("simulation", {})
    if "max_frequency" in simulation:
        simulation["max_frequency"] = min(float(simulation["max_frequency"]), 2.0 * question.band)
    document["above"] = {"method": "none"}
    document["output"] = {"sample_rate": RATE}
    return tomlkit.dumps(document)


class Sensitivity:
    """One computation at a time, in a process of its own.

    Attributes
    ----------
    status : MapStatus
    revision : int
        Grows with every change of `status`.
    """

    def __init__(self) -> None:
        self.status = MapStatus()
        self.revision = 0
        self._child: subprocess.Popen[str] | None = None
        self._thread: threading.Thread | None = None
        self._began = 0.0

    @property
    def possible(self) -> bool:
        """Is the engine in this process? A checkout without the extension lacks it."""
        return _engine._core is not None

    @property
    def passed(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._began

    def start(self, text: str, folder: Path, question: Question) -> None:
        """Begin; FdtdError where one is at work."""
        if self.status.state == "running":
            raise FdtdError("a map is being computed already", "stop it first")
        request = json.dumps({"text": reduced(text, question), "folder": str(folder), "band": question.band})
        self._began = time.monotonic()
        self.status = MapStatus("running", question, text, "planning")
        self.revision += 1
        places = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._child = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, start_new_session=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(places)},
        )  # fmt: skip
        assert self._child.stdin is not None
        self._child.stdin.write(request + "\n")
        self._child.stdin.flush()  # it stays open as long as the studio lives
        self._thread = threading.Thread(target=self._listen, args=(self._child,), daemon=True)
        self._thread.start()

    def forget(self) -> None:
        """End it, and forget what it has found: another scene is opened."""
        self.stop()
        self.status = MapStatus()
        self.revision += 1

    def stop(self) -> None:
        """End it at once."""
        if self.status.state == "running" and self._child is not None:
            self._set(state="stopped", stage="stopped")
            self._child.kill()

    def join(self, seconds: float | None = None) -> MapStatus:
        """The status once it has ended."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self.status

    def _listen(self, child: subprocess.Popen[str]) -> None:
        assert child.stdout is not None and child.stdin is not None
        for line in child.stdout:
            with contextlib.suppress(ValueError, KeyError):
                self._take(child, json.loads(line))
        with contextlib.suppress(OSError):
            child.stdin.close()
        status = child.wait()
        if self._at_work(child):
            self._set(state="failed", error=f"the computation has ended with status {status}", hint="memory may not suffice for the room")

    def _at_work(self, child: subprocess.Popen[str]) -> bool:
        """A process that was stopped may still end while the next one computes."""
        return child is self._child and self.status.state == "running"

    def _take(self, child: subprocess.Popen[str], event: dict[str, Any]) -> None:
        if not self._at_work(child):
            return
        if "error" in event:
            self._set(state="failed", error=event["error"], hint=event["hint"])
        elif "sites" in event:
            found = event["sites"]
            arrays = [np.array(found[name], dtype=float) for name in ("position", "area", "value")]
            names = tuple(found["names"][number] for number in found["material"])
            sites = Sites(arrays[0].reshape(-1, 3), arrays[1], arrays[2], np.array(found["axis"], dtype=np.int64), names)
            self._set(state="finished", stage="finished", t20=float(event["t20"]), sites=sites)
        else:
            self._set(stage=str(event["stage"]))

    def _set(self, **changes: Any) -> None:
        self.status = replace(self.status, seconds=self.passed, **changes)
        self.revision += 1


def seconds_of(plan: dict[str, Any]) -> float | None:
    """Predicted for a map of the reduced scene that this is the plan of; None where the plan has no prediction."""
    return RUNS * float(plan["predicted_seconds"]) if "predicted_seconds" in plan else None


def _say(**event: Any) -> None:
    print(json.dumps(event), flush=True)


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(1)


def _compute(request: dict[str, Any]) -> None:
    from .. import WallModel, losses
    from ..scene import Scene

    model = WallModel(Scene.parse(request["text"], request["folder"], check=False), [])
    _say(stage="first run, from the source")
    of_decay = losses.reverberation_time(RATE, float(request["band"]))

    def loss(responses: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        found = of_decay(responses)
        _say(stage="second run, backwards from the receiver")
        return found

    found = model.gradient([], loss, sensitivity=True)
    walls = found.map
    assert walls is not None
    names = list(dict.fromkeys(walls.material))
    numbers = {name: number for number, name in enumerate(names)}
    sites = {
        "position": _short(walls.position), "area": _short(walls.area), "value": _short(walls.value),
        "axis": walls.axis.tolist(), "names": names, "material": [numbers[name] for name in walls.material],
    }  # fmt: skip
    _say(t20=found.loss, sites=sites)


def _short(values: NDArray[np.float64]) -> Sequence[float]:
    return [float(f"{one:.6g}") for one in values.ravel()]


def main() -> int:
    request = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        _compute(request)
    except FdtdError as error:
        _say(error=error.message, hint=error.hint)
        return error.status
    return 0


if __name__ == "__main__":
    sys.exit(main())
