"""Data sets: every room once, whatever happens to workers; failures recorded; resumed; both formats."""

import csv
import dataclasses
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd import _dataset, _throughput, _toml, _workers, generators
from roomfdtd._rooms import Job, Outcome, generator_of

TINY = generators.BoxRooms(
    length=(1.5, 2.0), width=(1.4, 1.8), height=(1.2, 1.5), receivers=2, margin=0.2, duration=0.1, max_frequency=300.0,
    stencil="leggy-1",
)  # fmt: skip


def some_fail(rng: np.random.Generator) -> generators.Sample:
    """Every other room or so lies outside of itself, and some raise an error of their own."""
    choice = rng.integers(3)
    sample = TINY(rng)
    if choice == 0:
        return generators.Sample(sample.scene.replace({"receiver.R1.position": [9, 9, 9]}), sample.labels)
    if choice == 1:
        raise KeyError("of the generator")
    return sample


def all_fail(rng: np.random.Generator) -> generators.Sample:
    raise ValueError("nothing to draw")


def test_rooms_are_computed_once_and_more_can_be_added(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    first = rf.dataset(tmp_path, TINY, 3, seed=5, format="hdf5", workers=0, progress=lambda *at: seen.append(at))
    assert first.done == [0, 1, 2] and not first.failures and seen == [(1, 3), (2, 3), (3, 3)]
    stamp = (tmp_path / "rooms/000001.npz").stat().st_mtime_ns
    more = rf.dataset(tmp_path, TINY, 5, seed=5, format="hdf5", workers=0)
    assert more.done == [0, 1, 2, 3, 4] and (tmp_path / "rooms/000001.npz").stat().st_mtime_ns == stamp
    assert len(_journal(tmp_path)) == 5
    expected = TINY(generator_of(5, 3)).scene
    assert more.scene(3).to_toml() == expected.to_toml()
    vertices = [line for line in more.geometry(3).read_text().splitlines() if line.startswith("v ")]
    corners = np.array([line.split()[1:] for line in vertices], dtype=float)
    assert np.allclose(corners.max(axis=0), expected.document["room"]["box"])
    html = more._repr_html_()
    assert "5 of 5" in html and "BoxRooms" in html and html.count("<tr>") == 6 + 1 + 5
    pytest.importorskip("pandas")
    assert more.rooms().attrs["units"]["spacing"] == "m" and more.figures().attrs["units"]["T20"] == "s"
    pytest.importorskip("xarray")
    data = rf.open_dataset(tmp_path).open()
    assert data.responses.dims == ("room", "source", "receiver", "time") and data.responses.shape == (5, 1, 2, 800)
    assert np.array_equal(data.responses[3], expected.run().responses.astype(np.float32))
    assert data.responses.dtype == np.float32 and data.time.attrs["units"] == "s"
    assert np.array_equal(data.receiver_position[3, 1], expected.document["receiver"][1]["position"])


def test_the_throughput_of_a_call_is_stated(tmp_path: Path) -> None:
    with pytest.raises(rf.FdtdError, match="no call that has ended"):
        rf.dataset(tmp_path, TINY, 1, seed=5, format="hdf5", workers=0)
        (tmp_path / "throughput.jsonl").unlink()
        _ = rf.open_dataset(tmp_path).throughput
    began = time.perf_counter()
    data = rf.dataset(tmp_path, TINY, 4, seed=5, format="hdf5", workers=0)
    wall = time.perf_counter() - began
    found = data.throughput
    assert found.rooms == 3 and found.workers == 1 and 0.0 < found.seconds <= wall
    assert found.rooms_per_hour == pytest.approx(3600 * 3 / found.seconds)
    assert list(found.fractions) == ["drawing", "planning and files", "steps", "geometry", "reading", "waiting"]
    assert sum(found.fractions.values()) == pytest.approx(1.0) and min(found.fractions.values()) >= 0.0
    lines = _journal(tmp_path)[1:]
    steps, geometry, run = (sum(float(str(line[name])) for line in lines) for name in ("steps", "geometry", "run"))
    assert geometry > 0.0 and found.fractions["geometry"] / found.fractions["steps"] == pytest.approx(geometry / steps, rel=0.1)
    ratio = found.fractions["planning and files"] / found.fractions["steps"]
    assert ratio == pytest.approx((run - steps - geometry) / steps, rel=0.1)
    assert found.binds in found.fractions and found.binds in str(found) and 0.0 < found.writing < 0.5
    again = rf.dataset(tmp_path, TINY, 4, seed=5, format="hdf5", workers=0)  # computes nothing
    assert again.throughput == found


def test_what_takes_most_is_named() -> None:
    def of(**parts: float) -> str:
        meter = _throughput.Meter()
        seconds = sum(parts.get(name, 0.0) for name in ("drawing", "run", "rest"))
        meter.count(Outcome(0, "a:1", seconds, {k: v for k, v in parts.items() if k != "rest"}))
        meter.last = 4.0
        meter.began = time.perf_counter() - 5.0
        return meter.result(1).binds

    assert of(drawing=3.0, run=1.0, steps=0.5) == "drawing"
    assert of(drawing=0.1, run=3.0, steps=0.5) == "planning and files"
    assert of(drawing=0.1, run=3.0, steps=2.5) == "steps"
    assert of(drawing=0.1, run=3.0, steps=0.5, geometry=2.0) == "geometry"
    assert of(drawing=0.1, run=0.5, steps=0.4, rest=3.0) == "reading"
    assert of(drawing=0.1, run=0.5, steps=0.4) == "waiting"
    slow = _throughput.Meter(began=time.perf_counter() - 1.0, written=0.6, last=0.4)
    slow.count(Outcome(0, "a:1", 0.3, {"drawing": 0.1}))
    assert slow.result(None).binds == "writing"


@pytest.fixture(scope="module", params=["zarr", "hdf5"])
def labelled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> rf.DataSet:
    """Three rooms with as many receivers as their number says, and two sources each."""
    for module in ("pandas", "zarr", "xarray"):
        pytest.importorskip(module)
    return rf.dataset(
        tmp_path_factory.mktemp(request.param), _growing, 3, seed=3, format=request.param, workers=0
    )


def _growing(rng: np.random.Generator) -> generators.Sample:
    count = int(rng.integers(1, 4))
    return dataclasses.replace(TINY, sources=2, receivers=count)(rng)


def test_items_hold_responses_with_their_labels(labelled: rf.DataSet, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = labelled.samples(["volume", "material_floor", "D50", "estimated_T30"])
    assert len(samples) == 3 and list(samples.bands) == sorted(samples.bands) and 0.0 in samples.bands
    figures, rooms = labelled.figures(), labelled.rooms()
    data = labelled.open()
    for number in (0, 1, -1):
        item = samples[number]
        room = item["room"]
        assert np.array_equal(item["responses"], data.responses.values[room], equal_nan=True)
        assert item["volume"] == rooms.loc[room, "volume"] and item["material_floor"] == rooms.loc[room, "material_floor"]
        of_room = figures[figures["room"] == room]
        for i, source in enumerate(("S1", "S2")):
            for k, receiver in enumerate(sorted(set(of_room["receiver"]))):
                rows = of_room[(of_room["source"] == source) & (of_room["receiver"] == receiver)]
                expected = rows.set_index("band")["D50"].reindex(samples.bands).to_numpy(np.float32)
                assert np.array_equal(item["D50"][i, k], expected, equal_nan=True)
        expected = labelled.estimates().query(f"room == {room}").set_index("band")["estimated_T30"]
        assert np.array_equal(item["estimated_T30"], expected.reindex(samples.bands).to_numpy(np.float32), equal_nan=True)
    with pytest.raises(IndexError):
        samples[3]


def test_items_of_single_responses_leave_out_what_pads(labelled: rf.DataSet) -> None:
    samples = pickle.loads(pickle.dumps(labelled.samples(["T20"], bands=[125.0], per="response")))
    counts = [rf.dataset(labelled.folder, _growing, 3, seed=3).scene(room).document["receiver"] for room in range(3)]
    assert len(samples) == 2 * sum(map(len, counts)) and len({len(count) for count in counts}) > 1
    data, seen = labelled.open(), []
    for number in range(len(samples)):
        item = samples[number]
        assert item["responses"].ndim == 1 and np.isfinite(item["responses"]).all()
        assert item["T20"].shape == (1,) and item["receiver_position"].shape == (3,)
        of_room = data.receiver_position.values[item["room"]]
        receiver = int(np.flatnonzero((of_room == item["receiver_position"]).all(axis=1))[0])
        source = int(np.flatnonzero((data.source_position.values[item["room"]] == item["source_position"]).all(axis=1))[0])
        assert np.array_equal(item["responses"], data.responses.values[item["room"], source, receiver])
        seen.append((item["room"], source, receiver))
    assert seen == sorted(seen) and len(set(seen)) == len(samples)


def test_labels_that_are_none_are_refused(labelled: rf.DataSet) -> None:
    with pytest.raises(rf.FdtdError, match="'volum' is no column\n  hint: there are .*volume"):
        labelled.samples(["volum"])
    with pytest.raises(rf.FdtdError, match=r"bands: \[44.0\] are in no table"):
        labelled.samples(["T20"], bands=[44.0])
    with pytest.raises(rf.FdtdError, match="give a list of names"):
        labelled.samples("T20")
    with pytest.raises(rf.FdtdError, match="per: 'source' is not known"):
        labelled.samples(per="source")  # type: ignore[arg-type]


def test_figures_of_receivers_of_several_channels_are_no_labels(tmp_path: Path) -> None:
    for module in ("pandas", "zarr"):
        pytest.importorskip(module)
    data = rf.dataset(tmp_path, _ambisonic, 1, seed=3, workers=0)
    assert data.samples(["volume"])[0]["responses"].shape[1] == 4
    with pytest.raises(rf.FdtdError, match="several channels"):
        data.samples(["T20"])


def _ambisonic(rng: np.random.Generator) -> generators.Sample:
    sample = TINY(rng)
    scene = sample.scene.replace({"receiver.R1.pattern": "ambisonic", "receiver.R1.order": 1})
    document = scene.document
    document["receiver"] = [one for one in document["receiver"] if one["name"] == "R1"]
    return generators.Sample(rf.Scene.parse(_toml.dumps(document), None), sample.labels)


def test_torch_loads_items_in_workers(labelled: rf.DataSet) -> None:
    torch = pytest.importorskip("torch")
    loader = torch.utils.data.DataLoader(
        labelled.torch(["volume", "T20"], bands=[125.0], per="response"), batch_size=2, num_workers=2
    )
    batches = list(loader)
    assert sum(len(batch["room"]) for batch in batches) == len(labelled.samples(per="response"))
    first = batches[0]
    assert first["responses"].shape[0] == 2 and first["responses"].dtype == torch.float32
    assert first["volume"].dtype == torch.float64 and first["T20"].shape == (2, 1)


def test_torch_is_named_where_it_is_missing(labelled: rf.DataSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"pip install '\.\[torch\]' in a checkout"):
        labelled.torch()


def test_a_mesh_room_can_be_computed_again(tmp_path: Path) -> None:
    rooms = generators.FurnishedRooms(
        length=(1.8, 2.2), width=(1.6, 2.0), height=(1.2, 1.5), receivers=2, margin=0.2, block=(0.3, 0.5),
        duration=0.1, max_frequency=300.0, stencil="leggy-1",
    )  # fmt: skip
    result = rf.dataset(tmp_path, rooms, 1, seed=2, format="hdf5", workers=0)
    again = result.scene(0).run()
    assert np.array_equal(again.responses.astype(np.float32), result._shelf.arrays(0)["responses"])
    assert "usemtl furniture" in result.geometry(0).read_text()


def test_failures_are_recorded_and_tried_again_on_request(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="of 8 rooms have failed, one of them: .*; `failures` of the data set lists all") as caught:
        result = rf.dataset(tmp_path, some_fail, 8, seed=1, format="hdf5", workers=0)
    (note,) = (one for one in caught if one.category is UserWarning)
    assert f": {len(result.failures)} of 8" in str(note.message) and note.filename == __file__
    assert "outside the room" in str(note.message) or "KeyError" in str(note.message)
    with pytest.raises(rf.SceneError, match=f"room: {result.failures[0]['room']} has failed"):
        result.scene(result.failures[0]["room"])
    for number in (8, -1, "a"):
        for call in (result.scene, result.geometry):
            with pytest.raises(rf.SceneError, match=f"room: {number!r} is none of the {len(result.done)} rooms"):
                call(number)
    assert len(result.done) + len(result.failures) == 8 and result.done
    kinds = {failure["kind"]: failure for failure in result.failures}
    assert set(kinds) == {"SceneError", "KeyError"}
    assert "outside the room" in kinds["SceneError"]["message"] and "[[receiver]]" in kinds["SceneError"]["scene"]
    with (tmp_path / "rooms.csv").open() as file:
        states = [row["state"] for row in csv.DictReader(file)]
    assert states.count("failed") == len(result.failures) and len(states) == 8
    before = len(_journal(tmp_path))
    rf.dataset(tmp_path, some_fail, 8, seed=1, format="hdf5", workers=0)
    assert len(_journal(tmp_path)) == before
    rf.dataset(tmp_path, some_fail, 8, seed=1, format="hdf5", workers=0, retry_failed=True)
    assert len(_journal(tmp_path)) == before + len(result.failures)


def test_another_data_set_in_the_folder_is_refused(tmp_path: Path) -> None:
    rf.dataset(tmp_path, TINY, 1, seed=5, format="hdf5", workers=0)
    with pytest.raises(rf.SceneError, match="another seed: 5, not 6"):
        rf.dataset(tmp_path, TINY, 1, seed=6, format="hdf5", workers=0)
    with pytest.raises(rf.SceneError, match="another generator"):
        rf.dataset(tmp_path, generators.LRooms(), 1, seed=5, format="hdf5", workers=0)
    with _dataset._locked(tmp_path), pytest.raises(rf.FileError, match="another process"):
        rf.dataset(tmp_path, TINY, 1, seed=5, format="hdf5", workers=0)
    with pytest.raises(rf.FileError, match="no data set"):
        rf.open_dataset(tmp_path / "rooms")


def test_a_data_set_without_a_room_says_so(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    with pytest.warns(UserWarning, match="2 of 2 rooms have failed, one of them: ValueError: nothing to draw"):
        result = rf.dataset(tmp_path, all_fail, 2, seed=1, workers=0)
    assert len(result.failures) == 2 and len(result.rooms()) == 2 and len(result.figures()) == 0
    with pytest.raises(rf.FdtdError, match="no room is done") as caught:
        result.open()
    assert "nothing to draw" in caught.value.hint


def test_forty_rooms_on_two_workers_one_of_which_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("distributed", "zarr", "xarray"):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)  # what a killed worker leaves lies there
    killed: list[int] = []

    def kill_one(finished: int, count: int) -> None:
        """After the tenth room: the process that has computed the latest one."""
        if finished == 10:
            pid = int(_journal(tmp_path)[-1]["worker"].rpartition(":")[2])
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    result = rf.dataset(tmp_path, TINY, 40, seed=11, workers=2, progress=kill_one)
    assert killed and result.done == list(range(40)) and not result.failures
    journal = _journal(tmp_path)
    assert sorted(line["room"] for line in journal) == list(range(40))  # none twice
    workers = {int(line["worker"].rpartition(":")[2]) for line in journal[10:]}
    assert killed[0] not in workers and workers
    data = result.open()
    assert data.responses.shape == (40, 1, 2, 800) and bool(np.isfinite(data.responses).all())
    assert np.array_equal(data.responses[17, 0], TINY(generator_of(11, 17)).scene.run().responses[0].astype(np.float32))
    assert len(result.rooms()) == 40 and set(result.figures()["room"]) == set(range(40))
    assert (tmp_path / "rooms.parquet").exists() and "40 of 40 rooms" in (tmp_path / "README.md").read_text()
    estimates = result.estimates()
    assert set(estimates["room"]) == set(range(40)) and estimates.attrs["units"]["estimated_T30"] == "s"
    assert (estimates["estimated_T30"] > 0.0).all() and set(estimates["model"]) <= {"box modes", "diffusion", "Eyring"}
    assert result.throughput.rooms == 40 and result.throughput.workers >= 2
    schema = json.loads((tmp_path / "schema.json").read_text())
    assert set(schema["rooms"]) == set(result.rooms().reset_index().columns)
    assert set(schema["arrays"]) == {str(name) for name in data.variables}


def test_a_script_without_a_main_guard_gets_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    script = tmp_path / "rooms.py"
    head = "import roomfdtd as rf\nfrom roomfdtd import generators\n\n"
    call = "rf.dataset('rooms', generators.BoxRooms(), 1, seed=1, workers=1)\n"
    script.write_text(head + call)
    paths = os.pathsep.join([str(Path(rf.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": paths})
    said = run.stderr[run.stderr.index("SceneError: ") :]
    assert said.startswith("SceneError: rooms.py:4: workers import this script, and would start workers again\n  hint: ")
    assert "if __name__" in said and said.count("\n") == 2
    guarded = compile(head + "if __name__ == '__main__':\n    seen(sys._getframe())\n", str(script), "exec")
    script.write_text(head + "if __name__ == '__main__':\n    seen(sys._getframe())\n")
    exec(guarded, {"__name__": "__main__", "seen": _workers.require_guard, "sys": sys})


def test_a_worker_for_each_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    with _workers.cluster(None, 0, [3, 5]) as client:
        deadline = time.monotonic() + 60
        while len(client.scheduler_info()["workers"]) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert set(client.run(os.getenv, "CUDA_VISIBLE_DEVICES").values()) == {"3", "5"}
    assert _workers.device(None, [3, 5]) == "cuda"


# Stands for SLURM's commands on this machine: a job is a process group, its number is that of its first process.
SBATCH = """#!/bin/sh
cp "$1" {folder}/job.sh
setsid bash {folder}/job.sh >{folder}/job.log 2>&1 &
echo "Submitted batch job $!"
"""
SCANCEL = """#!/bin/sh
for job in "$@"; do kill -TERM -"$job" 2>/dev/null; done
"""


def test_the_cluster_of_the_documentation(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("dask_jobqueue", "zarr", "xarray"):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        command = tmp_path / "bin" / name
        command.parent.mkdir(exist_ok=True)
        command.write_text(text.format(folder=tmp_path))
        command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", f"{Path(__file__).parent}:{Path(rf.__file__).parents[1]}")  # of the workers
    (snippet,) = re.findall(
        r"```python\n([^`]*SLURMCluster[^`]*)```", (root / "docs/how-to/python.md").read_text(encoding="utf-8")
    )
    for shown, here in (("scale(jobs=16)", "scale(jobs=1)"), ("/scratch/rooms", str(tmp_path)), ("10000", "3")):
        assert shown in snippet
        snippet = snippet.replace(shown, here)
    names: dict[str, Any] = {"rf": rf, "rooms": TINY}
    try:
        exec(snippet, names)
        data, script = names["data"], (tmp_path / "job.sh").read_text()
    finally:
        if "cluster" in names:
            names["cluster"].close()
    assert data.done == [0, 1, 2] and data.open().responses.shape == (3, 1, 2, 800)
    directives = {line.removeprefix("#SBATCH ") for line in script.splitlines() if line.startswith("#SBATCH ")}
    assert {"--gpus=1", "-t 02:00:00", "--cpus-per-task=8"} <= directives
    assert "--nthreads 1 " in script  # one room at a time
    workers = {line["worker"] for line in _journal(tmp_path)}
    assert workers and f":{os.getpid()}" not in str(workers)


def test_gpus_are_those_that_this_process_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    gpus = [{"device": "cuda:0"}, {"device": "cuda:1", "why_not": "too old"}, {"device": "cuda:2"}]
    monkeypatch.setattr(_workers._engine, "version", lambda: {"gpus": gpus})
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert _workers.gpu_names("all") == {0: "0", 2: "2"} and _workers.gpu_names([3, 5, 3]) == {3: "3", 5: "5"}
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4, 6,GPU-8932f937")
    assert _workers.gpu_names("all") == {0: "4", 2: "GPU-8932f937"} and _workers.gpu_names([1]) == {1: "6"}
    with pytest.raises(rf.SceneError, match="no GPU 3"):
        _workers.gpu_names([0, 3])
    with pytest.raises(rf.SceneError, match="names no GPUs"):
        _workers.gpu_names([])
    gpus[:] = []
    with pytest.raises(rf.ResourceError, match="no GPU"):
        _workers.gpu_names("all")


def test_a_batch_is_refused_where_no_gpu_takes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(error: type[rf.FdtdError], match: str, **how: Any) -> None:
        with pytest.raises(error, match=match):
            rf.dataset(tmp_path / "none", TINY, 1, seed=1, **how)
        assert not (tmp_path / "none").exists()

    refused(rf.SceneError, "GPUs of this machine", batch=4)
    refused(rf.SceneError, "batch: 0", batch=0, workers=0)
    monkeypatch.setattr(_workers._engine, "_core", None)
    refused(rf.ResourceError, "no extension", batch="auto", workers=0)
    monkeypatch.setattr(_workers._engine, "_core", object())
    gpus: list[dict[str, Any]] = []
    monkeypatch.setattr(_workers._engine, "version", lambda: {"gpus": gpus})
    refused(rf.ResourceError, "no GPU cuda:0", batch=2, workers=0)
    gpus.append({"device": "cuda:0", "takes_batches": False})
    refused(rf.ResourceError, "one room at a time", batch=2, workers=0)
    gpus[0]["takes_batches"] = True
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(24)), raising=False)
    assert _workers.batch("auto", 0, None, None) == 24 and _workers.batch("auto", 2, None, [0]) == 24
    assert _workers.batch(3, 0, None, None) == 3 and _workers.batch(None, 2, None, None) == 1
    assert _workers.device(None, None, 3) == "cuda" and _workers.threads(None, 0, None, None, 3) == 1


def test_a_batch_computes_rooms_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    together = threading.Barrier(2, timeout=60)  # two rooms at a time, or it breaks

    def compute(job: Job, room: int) -> Outcome:
        together.wait()
        return Outcome(room, "here", 0.0)

    monkeypatch.setattr(_workers, "compute", compute)
    rooms: list[int] = []
    _workers.in_threads(Job(TINY, 11, None, 1, 2), range(4), lambda outcome: rooms.append(outcome.room))
    assert sorted(rooms) == [0, 1, 2, 3]


def test_processors_are_divided_among_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(32)), raising=False)
    assert _workers.threads(None, 4, None, None) == 8
    assert _workers.threads(None, 2, None, range(8)) == 4  # a worker for each GPU
    assert _workers.threads(None, 64, None, None) == 1 and _workers.threads(3, 4, None, None) == 3
    assert _workers.threads(None, 0, None, None) == 0 and _workers.threads(None, 4, object(), None) == 0


def _journal(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
