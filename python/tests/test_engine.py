"""The engine inside this process: documents, errors, threads."""

import multiprocessing
import threading
from pathlib import Path

import pytest
import roomfdtd as rf
from roomfdtd import _engine

pytestmark = pytest.mark.skipif(_engine._core is None, reason="a checkout without the extension")

SCENE = """schema = 1
simulation = { duration = 0.1, max_frequency = 400.0, stencil = "leggy-1", device = "cpu" }
room.box = [2.5, 2.0, 1.5]
room.walls = { default = "plasterboard" }
source = [ { name = "S", position = [0.8, 0.7, 0.6] } ]
receiver = [ { name = "R", position = [1.7, 1.2, 0.9] } ]
"""


def test_problems_have_their_places() -> None:
    with pytest.raises(rf.SceneError) as caught:
        _engine.check(SCENE + "output.sample_rat = 3\n", "nowhere")
    (problem,) = caught.value.problems
    assert (problem["line"], problem["column"]) == (7, 8)
    assert "sample_rate" in problem["hint"]
    assert str(caught.value).startswith("1 problem in scene.toml\nscene.toml:7:8:")


def test_the_documents_are_those_of_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def documents(folder: str) -> tuple[_engine.Document, _engine.Document]:
        plan = _engine.plan(SCENE, str(tmp_path))
        run = _engine.run(SCENE, str(tmp_path), output=str(tmp_path / folder))
        for document in (plan, run["plan"]):  # the clock decides these, and a quiet run predicts nothing
            for field in ("predicted_seconds", "predicted"):
                document.pop(field, None)
        del run["timing"], run["outputs"]
        return plan, run

    inside = documents("inside")
    monkeypatch.setattr(_engine, "_core", None)
    assert documents("program") == inside
    expected = (tmp_path / "program/ir_R.wav").read_bytes()
    assert (tmp_path / "inside/ir_R.wav").read_bytes() == expected


def test_runs_one_after_another_and_at_once_give_the_same_bytes(tmp_path: Path) -> None:
    def run(name: str) -> None:
        _engine.run(SCENE, str(tmp_path), output=str(tmp_path / name), threads=1)

    run("alone")
    threads = [threading.Thread(target=run, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = (tmp_path / "alone/ir_R.wav").read_bytes()
    for name in "abc":
        assert (tmp_path / name / "ir_R.wav").read_bytes() == expected


def test_the_interpreter_is_free_during_a_run(tmp_path: Path) -> None:
    ended = threading.Event()
    counted = 0

    def count() -> None:
        nonlocal counted
        while not ended.wait(0.001):
            counted += 1

    counter = threading.Thread(target=count)
    counter.start()
    _engine.run(SCENE.replace("0.1", "5.0"), str(tmp_path), output=str(tmp_path / "out"), threads=1)
    ended.set()
    counter.join()
    assert counted > 20


def test_an_error_leaves_the_folder_free(tmp_path: Path) -> None:
    with pytest.raises(rf.FdtdError, match="tpu"):
        _engine.run(SCENE, str(tmp_path), output=str(tmp_path / "out"), device="tpu")
    with pytest.raises(rf.SceneError, match="checkpoint_every"):
        _engine.run(SCENE, str(tmp_path), output=str(tmp_path / "out"), checkpoint_every="often")
    _engine.run(SCENE, str(tmp_path), output=str(tmp_path / "out"))
    with pytest.raises(rf.FileError):
        _engine.run(SCENE, str(tmp_path), output=str(tmp_path / "out"))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_of_a_process_that_has_computed_computes(tmp_path: Path) -> None:
    """It has none of OpenMP's threads, for which the extension would wait for ever."""
    _engine.run(SCENE, str(tmp_path), output=str(tmp_path / "parent"))
    fork = multiprocessing.get_context("fork")
    child = fork.Process(target=_engine.run, args=(SCENE, str(tmp_path), (), str(tmp_path / "child")))
    child.start()
    child.join(60)
    if child.is_alive():
        child.kill()
    assert child.exitcode == 0
    assert (tmp_path / "child/ir_R.wav").read_bytes() == (tmp_path / "parent/ir_R.wav").read_bytes()
