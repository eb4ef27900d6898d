"""Every piece of Python in README.md and docs/how-to/python.md runs as it stands, but for numbers that make it take long,
and for the cluster, which test_dataset.py runs."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import roomfdtd as rf

# A program in which the standard library, numpy, h5py and the package are all that is installed.
BASE_ALONE = """
import sys
from importlib.machinery import PathFinder
base = {*sys.stdlib_module_names, "numpy", "h5py", "roomfdtd"}
class Base(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return super().find_spec(name, path, target) if name.partition(".")[0] in base else None
sys.meta_path[:] = [Base if finder is PathFinder else finder for finder in sys.meta_path]
exec(sys.stdin.read())
"""


def _pieces(root: Path, page: str = "docs/how-to/python.md") -> list[str]:
    return re.findall(r"```python\n(.*?)```", (root / page).read_text(encoding="utf-8"), re.S)


def _piece(root: Path, mark: str) -> str:
    (found,) = [piece for piece in _pieces(root) if mark in piece]
    return found


def test_every_piece_is_run(root: Path) -> None:
    marks = ("print(scene.plan())", "25, 20, 1", "Room.from_file", "rf.sweep", "generators.Mixture", "import torch",
             "SLURMCluster", "result.above")  # fmt: skip
    assert len(_pieces(root)) == len(marks)
    for mark in marks:
        _piece(root, mark)


def test_the_readme_needs_numpy_and_h5py_alone(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(rf.__file__).parents[1]))
    (piece,) = _pieces(root, "README.md")
    assert "max_frequency=500" in piece
    small = piece.replace("max_frequency=500", "max_frequency=300, stencil='leggy-2'")

    def run(code: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", BASE_ALONE]
        return subprocess.run(command, input=code, capture_output=True, text=True, check=False, cwd=tmp_path)

    done = run(small)
    assert done.returncode == 0 and "responses: 1 x 1 of" in done.stdout, done.stderr
    assert (tmp_path / "out/python/result.h5").exists()
    # The extra that the comment names is the one that is missing.
    (extra,) = re.findall(r"# \.metrics\(\): pip install '\.\[(\w+)\]'", piece)
    failed = run("import roomfdtd as rf\nrf.open_result('out/python').metrics()")
    assert failed.returncode != 0 and f"pip install '.[{extra}]' in a checkout" in failed.stderr


def test_a_scene_its_responses_and_a_sweep(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pandas", "xarray", "matplotlib"):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    piece = _piece(root, "print(scene.plan())")
    assert "max_frequency=500" in piece and "(7, 5, 1)" in piece  # several seconds of waves, and of geometry
    exec(piece.replace("max_frequency=500", "max_frequency=360, stencil='leggy-2'").replace("(7, 5, 1)", "(3, 2, 1)"), names)
    result, table = names["result"], names["table"]
    assert len(names["heard"]) == len(result.receivers) == 7 and names["response"].shape == (int(0.6 * result.sample_rate),)
    assert table.attrs["units"]["T20"] == "s" and np.isfinite(table["C50"].xs(250.0, level="band")).all()
    # The other claims of the page.
    scene = names["scene"]
    assert rf.open_result("out/room").receivers == result.receivers
    scene.save("room.toml")
    assert rf.Scene.from_toml("room.toml").to_toml() == scene.to_toml()
    assert scene.replace({"simulation.duration": 1.0}).document["simulation"]["duration"] == 1.0
    names["scene"] = scene.replace({"simulation.max_frequency": 150.0})
    exec(_piece(root, "rf.sweep"), names)
    assert set(names["table"]["room.walls.floor"]) == {"carpet-heavy", "linoleum"}


def test_the_whole_band_and_speech(root: Path) -> None:
    pytest.importorskip("pandas")
    piece = _piece(root, "result.above")
    assert "max_frequency=1000" in piece
    names: dict[str, Any] = {
        "rf": rf,
        "room": rf.Room.box(3.0, 2.5, 2.2, {"default": rf.Material.library("wood-lining").scattering(0.3)}),
        "sources": [(0.8, 0.7, 1.1)],
        "receivers": [rf.Receiver("sofa", (2.2, 1.6, 1.2))],
    }
    exec(piece.replace("max_frequency=1000", "max_frequency=300, stencil='leggy-2'"), names)
    assert names["rough"].document["waves_from"] and names["energy"].any() and names["result"].valid_to == 20000.0


def test_rooms_from_meshes(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trimesh = pytest.importorskip("trimesh")
    monkeypatch.chdir(tmp_path)
    shell, table = trimesh.creation.box((5, 4, 3)), trimesh.creation.box((1, 1, 0.7))
    table.apply_translation((0.5, 0.5, -1.1))
    trimesh.Scene({"shell": shell, "table": table}).export("hall.glb")
    text = (root / "scenes/examples/hall.obj").read_text()
    (tmp_path / "hall.obj").write_text(re.sub(r"^usemtl \S+$", "usemtl SEATS", text, count=1, flags=re.M))
    walls, face_names = {"default": "plasterboard", "low": "carpet-heavy"}, ["low"] * 6 + ["rest"] * 6
    given = {"trimesh": trimesh, "vertices": shell.vertices, "faces": shell.faces, "walls": walls, "names": face_names}
    lines = [line for line in _piece(root, "Room.from_file").splitlines() if line.startswith("room = ")]
    assert len(lines) == 4
    for line in lines:
        made: dict[str, Any] = {"rf": rf, "shell": shell, "table": table} | given
        exec(line, made)
        where = (0.0, 0.0, 0.0) if "hall.obj" not in line else (8.0, 0.0, 2.5)
        near = tuple(x - 0.7 for x in where)
        scene = rf.Scene(made["room"], [where], [near], duration=0.05, max_frequency=100.0, stencil="leggy-1")
        assert scene.plan()["nodes"] > 10, line


def test_a_data_set(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pandas", "xarray", "zarr"):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    piece = _piece(root, "generators.Mixture")
    assert "2000, seed=1, workers=8" in piece
    names: dict[str, Any] = {"__name__": "__main__", "rf": rf}
    exec(piece.replace("2000, seed=1, workers=8", "2, seed=1, workers=0"), names)
    assert names["data"].done == [0, 1]
    assert names["data"].scene(1).plan()["nodes"] > 0
    samples = names["data"].samples(["volume", "T20", "estimated_T30"], bands=[250.0], per="response")
    assert samples[0]["T20"].shape == (1,)
    if importlib.util.find_spec("torch") is not None:
        loading = _piece(root, "import torch").replace("num_workers=4", "num_workers=0")
        exec(loading, names)
        assert names["batch"]["T20"].shape == (min(32, len(samples)), 1)
    # The table of files is what there is.
    page = (root / "docs/how-to/python.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \|", page[page.index("In the folder are then") :], re.M)
    for row in rows:
        for name in re.findall(r"`([^`]+)`", row):
            if name in ("responses.h5", ".parquet", "failures/"):  # the other format, an extra, none has failed
                continue
            assert list(tmp_path.glob("rooms/" + name.replace("NNNNNN", "*").rstrip("/"))), name
