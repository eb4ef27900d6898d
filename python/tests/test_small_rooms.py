"""Modes and places of a small room."""

import pytest
import roomfdtd as rf


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
