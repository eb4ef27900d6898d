"""Finished runs of a small room, for tests of the page that shows them."""

import subprocess

from roomfdtd import _engine

SHOWN = """schema = 1
# a small room
[simulation]
duration = 0.6
max_frequency = 200.0
[above]
method = "none"
[room]
box = [3.0, 2.5, 2.2]   # m
[room.walls]
default = "plasterboard"
floor = "carpet-heavy"
[[source]]
name = "loudspeaker left"
position = [0.8, 0.7, 1.1]
[[source]]
name = "S2"
position = [2.0, 0.7, 1.1]
[[receiver]]
name = "seat 1"
position = [2.1, 1.7, 1.0]
[[receiver]]
name = "seat 2"
position = [1.1, 1.7, 1.0]
[[receiver]]
name = "seat 3"
position = [1.5, 1.2, 1.0]
[[receiver]]
name = "seat 4"
position = [0.9, 1.9, 1.2]
[output]
snapshots = [{ plane = "z", position = 1.0, every = 0.01, end = 0.05 }, { plane = "x", position = 1.0, every = 0.01, end = 0.05 }]
"""


def with_runs(folder, *runs):
    """The scene's file in a folder, with finished runs of these names."""
    scene = folder / "room.toml"
    scene.write_text(SHOWN)
    for name in runs:
        subprocess.run([_engine.program(), "run", "room.toml", "-o", f"out/{name}", "--quiet"], cwd=folder, check=True)
    return scene
