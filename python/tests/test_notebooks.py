"""The notebooks of the documentation run as they stand."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import roomfdtd as rf

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
NEEDS = {
    "first-room": ["pandas", "xarray", "matplotlib"],
    "mesh-room": ["trimesh", "sofar", "xarray", "matplotlib"],
    "image-sources": ["pyroomacoustics", "matplotlib"],
    "absorption-sweep": ["pandas", "matplotlib"],
    "whole-band": ["pandas", "matplotlib"],
    "data-set": ["pandas", "xarray", "distributed", "zarr", "matplotlib"],
}


def _runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("notebook_runner", FOLDER / "run.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_notebooks_are_tested() -> None:
    assert _runner().names() == sorted(NEEDS)


@pytest.mark.notebooks
@pytest.mark.parametrize("name", NEEDS)
def test_a_notebook_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("nbclient", "ipykernel", *NEEDS[name]):
        pytest.importorskip(module)
    monkeypatch.setenv("PYTHONPATH", str(Path(rf.__file__).parents[1]), prepend=":")
    runner = _runner()
    made = runner.run(name, tmp_path)
    assert runner.pictures(made)
    page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert f"({name}.png)" in page and (FOLDER / f"{name}.png").exists()
