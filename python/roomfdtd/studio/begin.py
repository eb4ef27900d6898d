"""Scenes to begin from: a box, or a mesh."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from .. import _engine
from .job import Job

HEAD = """schema = 1

[simulation]
duration = "auto"          # s; 1.25 times the slowest decay that the plan expects
max_frequency = 250.0      # Hz; twice the frequency takes 16 times as long

[room]
box = {sides}       # m

[room.walls]
default = "plasterboard"

[[source]]
name = "S1"
position = {source}

[[receiver]]
name = "R1"
position = {receiver}
"""


def box_scene(size: Sequence[float]) -> str:
    """A box of these side lengths (m), its source and receiver in opposite quarters of the plan."""
    x, y, z = (float(side) for side in size)
    up = round(min(1.2, 0.5 * z), 3)
    source, receiver = [round(0.25 * x, 3), round(0.3 * y, 3), up], [round(0.7 * x, 3), round(0.65 * y, 3), up]
    return HEAD.format(sides=[x, y, z], source=source, receiver=receiver)


def mesh_scene(mesh: Path, folder: Path, units: str = "", up: str = "") -> tuple[str, list[str]]:
    """The scene that ``fdtd import`` begins with in this folder, and its notes: materials by the names of surfaces, places inside.

    Unit and axis are those that the file states, or are found, where they are not given.
    """
    options = [word for key, value in (("--units", units), ("--up", up)) if value for word in (key, value)]
    with _engine._scene_file("", str(folder)) as scene:
        said = Job(["import", str(mesh), *options, "--force", "-o", scene]).wait()
        text = Path(scene).read_text(encoding="utf-8")
    return text, [re.sub(r"; --(units|up) gives another", "", line[6:]) for line in said.splitlines() if line.startswith("note: ")]
