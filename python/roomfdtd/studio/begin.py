"""Scenes to begin from: a box, or a mesh."""

from __future__ import annotations

import json
from collections.abc import Sequence

HEAD = """schema = 1

[simulation]
duration = "auto"          # s; 1.25 times the slowest decay that the plan expects
max_frequency = 250.0      # Hz; twice the frequency takes 16 times as long

[room]
{room}

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
    return HEAD.format(room=f"box = [{x!r}, {y!r}, {z!r}]       # m", source=source, receiver=receiver)


def mesh_scene(mesh: str, source: Sequence[float], receiver: Sequence[float], units: str = "", up: str = "") -> str:
    """The inside of a mesh, in a file beside the scene; positions in m."""
    lines = [f"mesh = {json.dumps(mesh, ensure_ascii=False)}"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in (("units", units), ("up", up)) if value]
    places = [[round(float(x), 3) for x in place] for place in (source, receiver)]
    return HEAD.format(room="\n".join(lines), source=places[0], receiver=places[1])
