"""A run that several files of tests look at."""

import pytest
import roomfdtd as rf


@pytest.fixture(scope="session")
def computed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("computed")
    scene = rf.Scene(
        rf.Room.box(3.0, 2.5, 2.2, {"default": "plasterboard", "floor": "carpet-heavy"}),
        sources=[(0.6, 0.7, 0.9)],
        receivers=[rf.Receiver.grid("seat", (0.5, 0.5, 1.0), (2.5, 2.0, 1.0), (3, 2, 1))],
        duration=0.8,
        max_frequency=200.0,
        above={"method": "none"},
        output={"snapshots": [{"plane": "z", "position": 1.0, "every": 0.01, "end": 0.05}]},
    )
    return scene.run(folder / "out")
