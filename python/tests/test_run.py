"""Runs: the program's bytes, progress, interruption, checkpoints."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd import _engine


def test_ten_lines_give_the_bytes_of_the_program(root: Path, tmp_path: Path) -> None:
    scene = root / "scenes/examples/shoebox.toml"
    script = tmp_path / "script.py"
    script.write_text(f"""\
import roomfdtd as rf

scene = rf.Scene.from_toml({str(scene)!r})
result = scene.run("python", overrides=["simulation.max_frequency=300", "simulation.duration=0.3"])
for name in result.receivers:
    print(name, result.response(name).shape)
result.to_wav("again")
""")
    subprocess.run([sys.executable, script], cwd=tmp_path, check=True, env=_environment())
    command = [_program(), "run", scene, "-o", "program", "--quiet"]
    sets = ["--set", "simulation.max_frequency=300", "--set", "simulation.duration=0.3"]
    subprocess.run([*command, *sets], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    for name in ("ir_sofa.wav", "ir_desk.wav", "responses.wav"):
        expected = (tmp_path / "program" / name).read_bytes()
        assert (tmp_path / "python" / name).read_bytes() == expected, name
        assert (tmp_path / "again" / name).read_bytes() == expected, name


def test_existing_files_are_kept(box: rf.Scene, tmp_path: Path) -> None:
    box.run(tmp_path)
    with pytest.raises(rf.FileError, match="exists already") as caught:
        box.run(tmp_path)
    assert "force=True" in caught.value.hint and "--" not in caught.value.hint
    assert box.run(tmp_path, force=True).path == tmp_path / "result.h5"


def test_a_scene_plays_a_signal(box: rf.Scene) -> None:
    alone = box.replace({"source": box.document["source"][:1], "above": {"method": "none"}})
    heard = alone.simulate([1.0], rate=16000)
    again = alone.run(overrides=["output.sample_rate=16000"])
    assert again.sample_rate == 16000.0 and np.allclose(heard, again.responses[0], atol=1e-12)
    with pytest.raises(rf.SceneError, match="signals: 1 for 2 sources"):
        box.simulate([1.0])


def test_a_temporary_folder_lives_as_long_as_its_result(box: rf.Scene) -> None:
    result = box.run()
    folder = result.path.parent
    assert folder.exists()
    del result
    assert not folder.exists()


def test_results_between_processes(box: rf.Scene, tmp_path: Path) -> None:
    kept = box.run(tmp_path)
    again = pickle.loads(pickle.dumps(kept))
    assert again.path == kept.path and (again.responses == kept.responses).all()
    passing = box.run()
    with pytest.raises(rf.FdtdError, match="temporary folder.*\n  hint: give run"):
        pickle.dumps(passing)
    copied = copy.deepcopy(passing)
    del passing
    assert copied.responses.any()


def _long() -> rf.Scene:
    """A minute of sound, some twenty seconds of computing."""
    room = rf.Room.box(3, 3, 3, "plasterboard")
    return rf.Scene(room, [(1, 1, 1)], [(2, 2, 2)], duration=60, max_frequency=400, stencil="leggy-1")


def test_progress_and_time_limit(tmp_path: Path) -> None:
    seen: list[rf.Progress] = []
    with pytest.raises(rf.Interrupted) as caught:
        _long().run(tmp_path, progress=seen.append, max_time="1s")
    assert caught.value.status == 130
    assert len(seen) >= 3 and 0 < seen[0].fraction < seen[-1].fraction < 1
    assert all(event.gpts_per_second > 0 for event in seen)
    assert (tmp_path / "checkpoint.h5").exists() and not (tmp_path / "result.h5").exists()


def test_resume_gives_the_same_bytes(tmp_path: Path) -> None:
    scene = _long().replace({"simulation.duration": 1.0})
    with pytest.raises(rf.Interrupted):
        scene.run(tmp_path / "parts", max_time="0.1s")
    scene.run(tmp_path / "parts", resume=True)
    scene.run(tmp_path / "whole")
    assert (tmp_path / "parts/ir_R1.wav").read_bytes() == (tmp_path / "whole/ir_R1.wav").read_bytes()
    done = scene.run(tmp_path / "parts", resume=True)  # complete: nothing to resume
    assert done.document["ended_before"]


def test_ctrl_c_writes_a_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(rf.Interrupted, match="hint: .*the same call with resume=True"):
        _long().run(tmp_path, progress=lambda event: os.kill(os.getpid(), signal.SIGINT))
    assert (tmp_path / "checkpoint.h5").exists()


def test_an_error_in_progress_ends_the_run(tmp_path: Path) -> None:
    def fail(event: rf.Progress) -> None:
        raise ZeroDivisionError

    began = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        _long().run(tmp_path, progress=fail)
    assert time.monotonic() - began < 10


def test_a_line_of_progress(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(rf.Interrupted):
        _long().run(tmp_path, progress=True, max_time="0.5s")
    assert "Gpts/s" in capsys.readouterr().err


def test_errors_have_the_status_of_the_program(box: rf.Scene, tmp_path: Path) -> None:
    with pytest.raises(rf.ResourceError):
        box.replace({"simulation.grid_spacing": 2e-5, "simulation.max_frequency": None}).plan()
    with pytest.raises(rf.FdtdError, match="tpu"):
        box.plan(device="tpu")
    with pytest.raises(rf.FileError):
        _engine.metrics(str(tmp_path / "absent.wav"))


def _program() -> str:
    return os.environ.get("FDTD_PROGRAM") or "fdtd"


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(Path(rf.__file__).parents[1])}
