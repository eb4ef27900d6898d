"""Fixtures of the tests: the program of the build where the package has none, and small scenes and their results."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _program() -> None:
    if "FDTD_PROGRAM" in os.environ:
        return
    for build in ("release", "dev"):
        built = ROOT / "build" / build / "cli" / "fdtd"
        if built.exists():
            os.environ["FDTD_PROGRAM"] = str(built)
            return


_program()
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("OMP_NUM_THREADS", "2")

import roomfdtd as rf  # noqa: E402  the program is named before


@pytest.fixture(autouse=True)
def _ctrl_c() -> Iterator[None]:
    """Ctrl-C as it was before a test: dask_jobqueue, once imported, takes it to end the process."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture()
def box() -> rf.Scene:
    """A small room with two sources and three receivers, computed in a tenth of a second."""
    return rf.Scene(
        rf.Room.box(2.4, 2.0, 1.6, {"default": rf.Material.admittance(0.05), "floor": "carpet-heavy"}),
        sources=[rf.Source("left", (0.5, 0.6, 0.7)), rf.Source("right", (1.9, 0.5, 0.8))],
        receivers=[(1.2, 1.5, 0.9), (1.8, 1.6, 0.5), rf.Receiver("bformat", (1.0, 1.0, 0.8), "ambisonic", order=1)],
        duration=0.25,
        max_frequency=500.0,
        stencil="leggy-2",
    )


@pytest.fixture(scope="session")
def plane_result() -> rf.Result:
    """Twelve receivers on a plane, snapshots, a cardioid."""
    scene = rf.Scene(
        rf.Room.box(3.0, 2.5, 2.0, "plasterboard"),
        sources=[(0.6, 0.7, 0.9)],
        receivers=[
            rf.Receiver.grid("seat", (0.5, 0.5, 1.0), (2.5, 2.0, 1.0), (4, 3, 1)),
            rf.Receiver("cardioid", (2.0, 1.0, 1.0), "cardioid", (1, 0, 0)),
        ],
        duration=0.4,
        max_frequency=400.0,
        stencil="leggy-2",
        output={"snapshots": [{"plane": "z", "position": 1.0, "every": 0.005, "end": 0.05}]},
    )
    return scene.run()
