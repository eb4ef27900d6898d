"""The notebooks of the documentation run as they stand."""

import importlib.util
import re
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
    "walls-from-a-response": ["scipy.optimize", "matplotlib"],
    "bass-panels": ["scipy.optimize", "matplotlib"],
    "measured-room": ["pandas", "scipy.optimize", "matplotlib"],
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


def test_the_notebooks_to_download_are_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    runner = _runner()
    for name in NEEDS:
        file = FOLDER / f"{name}.ipynb"
        made = nbformat.read(file, as_version=4)
        nbformat.validate(made)
        page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
        assert file.read_text(encoding="utf-8") == runner.bare(name), "python docs/notebooks/run.py --bare"
        assert f"({name}.ipynb)" in page.split("\n\n")[1]
        code = [cell.source for cell in made.cells if cell.cell_type == "code"]
        assert code == [fence.rstrip("\n") for fence in runner.FENCE.findall(page)]
        for source in code:  # a cell may be run twice
            for call in re.findall(r"\.(?:to_wav|to_sofa|save)\(.*|\.run\(\".*", source):
                assert "force=True" in call, call
        assert not any("](" in cell.source for cell in made.cells if cell.cell_type == "markdown")
    monkeypatch.setattr(runner, "bare", lambda name: "other")
    with pytest.raises(SystemExit, match="first-room.ipynb"):
        runner.write_bare(check=True)


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
