"""Modes and places of a small room."""

import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd import _engine


def test_modes_and_places_of_a_room(tmp_path):
    (tmp_path / "room.toml").write_text(
        """schema = 1
[simulation]
duration = 0.5
max_frequency = 200.0
[air]
sound_speed = 343.2
[room]
box = [2.6, 2.2, 1.9]
walls = { default = "w" }
[materials.w]
admittance = 0.02
[[source]]
name = "S1"
position = [0.4, 0.5, 0.6]
[[receiver]]
name = "R1"
position = [1.9, 1.5, 1.2]
"""
    )
    scene = rf.Scene.from_toml(tmp_path / "room.toml")
    modes = scene.modes(high=85.0, points=40, folder=tmp_path / "modes")["modes"]
    assert len(modes) == 2
    assert modes[0]["frequency"] == pytest.approx(343.2 / 5.2, rel=0.01)
    assert (tmp_path / "modes" / "modes.h5").exists()
    found = scene.place(source="S1", folder=tmp_path / "place", over=[0.3, 0.3, 0.5, 1.0, 1.0, 0.5], low=40.0, high=85.0)
    assert found["best"][0]["flatness"] <= found["now"]["flatness"] + 1.0
    first = scene.notches(high=1000.0)["pairs"][0]["notches"][0]
    assert first["wall"] in {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"} and first["depth"] >= 3.0
    with pytest.raises(rf.SceneError, match="one of source and receiver"):
        scene.place(folder=tmp_path / "none")


def test_errors_of_the_program_name_arguments(tmp_path):
    """They named options of its command line, and its --help."""
    scene = rf.Scene(rf.Room.box(2.6, 2.2, 1.9, "concrete-painted"), [(0.4, 0.5, 0.6)], [(1.9, 1.5, 1.2)], duration=0.1, max_frequency=200)
    out = tmp_path / "out"

    def place(**options):
        return lambda: scene.place(**({"source": "S1", "folder": out} | options))

    calls = [
        (place(target="loud"), "target: loud"),
        (place(step=0), "step: "),
        (place(wall=-1), "wall: "),
        (place(low=100, high=50), "low 100"),
        (place(low=-5), "low: "),
        (place(low="deep"), "low: a number is needed"),
        (place(over=[1, 2, 3]), "over: two corners"),
        (place(over="here"), "over: real numbers"),
        (place(over=[[0.3, 0.3, 0.5], [1.0, 1.0, np.nan]]), "over: "),
        (place(source="S9"), "S9"),
        (place(overrides="air.temperature=20"), "overrides: "),
        (place(overrides=["simulation.duration=-1"]), "overrides simulation.duration=-1"),
        (lambda: scene.check(["simulation.duration=-1"]), "overrides simulation.duration=-1"),
        (lambda: scene.modes(points=-3), "points: "),
        (lambda: scene.modes(low=50, high=20), "low 50"),
        (lambda: scene.modes(duration=-1), "duration: "),
        (lambda: scene.notches(low=-20), "low: "),
        (lambda: rf.sweep(scene, out), "product, paired, listed or drawn"),
        (lambda: rf.sweep(scene, out, drawn={"air.temperature": "uniform(1, 2)"}), "runs"),
        (lambda: rf.fit(scene, tmp_path / "none.json", out, folder=out, spread=-1), "spread: "),
        (lambda: _engine.metrics("none.wav", channel=-1), "channel: "),
        (lambda: _engine.metrics("none.wav", noise=[1, 2]), "noise"),
        (lambda: _engine.render("none.h5", rate=-1), "rate: "),
        (lambda: scene.run(out, checkpoint_every="soon"), "checkpoint_every: "),
        (lambda: scene.run(out, max_time="soon"), "max_time: "),
    ]
    for call, words in calls:
        with pytest.raises(rf.FdtdError) as caught:
            call()
        assert words in str(caught.value)
        assert "--" not in str(caught.value)
    assert not out.exists()


def test_candidate_places_take_two_corners(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(_engine, "_call", lambda words, scene: seen.append(words) or {})
    scene = rf.Scene(rf.Room.box(2.6, 2.2, 1.9, "concrete-painted"), [(0.4, 0.5, 0.6)], [(1.9, 1.5, 1.2)], duration=0.1, max_frequency=200)
    for over in (np.array([[0.3, 0.3, 0.5], [1, 1, 0.5]]), [0.3, 0.3, 0.5, 1, 1, 0.5]):
        scene.place(source="S1", folder=tmp_path, over=over)
        assert "0.3,0.3,0.5,1.0,1.0,0.5" in seen[-1]
