"""Data sets: the whole band with its labels, and a set that was killed."""

import dataclasses
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd import generators

TINY = generators.BoxRooms(
    length=(1.5, 2.0), width=(1.4, 1.8), height=(1.2, 1.5), receivers=2, margin=0.2, duration=0.1, max_frequency=300.0,
    stencil="leggy-1",
)  # fmt: skip


def test_rooms_have_the_whole_band_and_its_labels(tmp_path: Path) -> None:
    for module in ("pandas", "zarr", "xarray"):
        pytest.importorskip(module)
    rooms = generators.BoxRooms(
        length=(3.0, 3.5), width=(2.5, 3.0), height=(2.4, 2.6), receivers=2, duration=0.6, max_frequency=500.0,
        stencil="leggy-2", sample_rate=48000, floors=("carpet-heavy",), ceilings=("ceiling-tile",),
        walls=("plasterboard",),
    )  # fmt: skip
    data = rf.dataset(tmp_path, rooms, 2, seed=4, workers=0)
    table, figures = data.rooms(), data.figures()
    assert (table["valid_to"] == 20000.0).all() and np.allclose(table["geometry_from"], table["valid_bandwidth"])
    assert np.allclose(table["waves_to"] * 2**0.5, table["geometry_from"])
    assert table.attrs["units"]["valid_to"] == "Hz" and table.attrs["units"]["agreement_T20"] == "%"
    result = data.scene(1).run()
    assert result.above is not None and result.above.trust == (table["trust"][1] if table["trust"].notna()[1] else None)
    own = figures[(figures["room"] == 1) & (figures["receiver"] == "R2")].set_index("band")
    assert own.loc[8000.0, "from"] == "geometry" and own.loc[125.0, "from"] == "wave"
    assert own.loc[8000.0, "C80"] == pytest.approx(result.metrics().loc[("S1", "R2", 8000.0), "C80"])
    assert own.loc[0.0, "STI"] == pytest.approx(result.speech().loc[("S1", "R2"), "STI"]) and own["STI"].notna().sum() == 1
    item = data.samples(["STI", "waves_to", "G"], bands=[0.0, 8000.0])[1]
    assert item["STI"][0, 1, 0] == np.float32(own.loc[0.0, "STI"]) and item["waves_to"] == table.loc[1, "waves_to"]
    assert item["G"][0, 1, 1] == np.float32(own.loc[8000.0, "G"])
    with pytest.raises(rf.FdtdError, match="'from' is no column"):
        data.samples(["from"])
    spectrum = np.abs(np.fft.rfft(item["responses"][0, 1]))
    frequency = np.fft.rfftfreq(item["responses"].shape[-1], 1 / 48000)
    assert spectrum[(frequency > 10000) & (frequency < 19000)].mean() > 0.01 * spectrum.mean()
    assert "valid_to" in (tmp_path / "README.md").read_text()
    waves = dataclasses.replace(rooms, above={"method": "none"})
    assert "trust" not in rf.dataset(tmp_path / "waves", waves, 1, seed=4, workers=0).rooms()


KILLED = """
import os, signal, sys
from test_dataset_band import TINY
import roomfdtd as rf
def kill(finished, count):
    if finished == 3:
        os.kill(os.getpid(), signal.SIGKILL)
rf.dataset(sys.argv[1], TINY, 6, seed=8, workers=0, progress=kill)
"""


def test_a_data_set_that_was_killed_resumes_to_the_same_set(tmp_path: Path) -> None:
    for module in ("zarr", "xarray"):
        pytest.importorskip(module)
    paths = [str(Path(rf.__file__).parents[1]), str(Path(__file__).parent)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    ended = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "killed")], env=environment, check=False)
    assert ended.returncode == -signal.SIGKILL and not (tmp_path / "killed/responses.zarr").exists()
    assert rf.open_dataset(tmp_path / "killed").done == [0, 1, 2]
    rf.dataset(tmp_path / "killed", TINY, 6, seed=8, workers=0)
    rf.dataset(tmp_path / "whole", TINY, 6, seed=8, workers=0)

    def content(folder: str) -> dict[str, bytes]:
        files = [path for path in (tmp_path / folder).rglob("*") if path.is_file()]
        kept = {str(path.relative_to(tmp_path / folder)): path.read_bytes() for path in files}
        return {name: data for name, data in kept.items() if name not in ("journal.jsonl", "throughput.jsonl")}

    killed, whole = content("killed"), content("whole")
    assert killed.keys() == whole.keys() and len([name for name in whole if name.startswith("responses.zarr/")]) > 3
    assert [name for name in whole if not name.startswith("rooms/") and killed[name] != whole[name]] == []
    assert len((tmp_path / "killed/journal.jsonl").read_text().splitlines()) == 6
