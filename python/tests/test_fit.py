"""Absorption fitted to measured figures."""

import json

import pytest
import roomfdtd as rf


@pytest.fixture
def scene():
    panel = rf.Material.absorption([125, 250], [0.2, 0.2])
    return rf.Scene(
        rf.Room.box(3.3, 2.6, 2.2, "panel"),
        materials={"panel": panel},
        sources=[rf.Source("S", (0.5, 0.6, 0.7))],
        receivers=[rf.Receiver("R", (2.7, 1.8, 1.4))],
        duration=0.8,
        max_frequency=178,
        above={"method": "none"},
    )


def test_a_fit_writes_the_scene_and_has_tables(scene, tmp_path):
    pytest.importorskip("pandas")
    measured = tmp_path / "measured.json"
    measured.write_text(json.dumps({"bands_hz": [125], "pairs": {"S R": {"t20": [0.5]}}}))
    fitted = tmp_path / "fitted.toml"
    fit = scene.fit(measured, fitted, folder=tmp_path / "runs", spread=2.0, runs=2)
    absorption = fit.absorption()
    assert list(absorption["material"]) == ["panel"]
    assert absorption.attrs["units"]["band"] == "Hz"
    value = absorption["fitted"][0]
    assert value < 0.19
    assert rf.Scene.from_toml(fitted).document["materials"]["panel"]["absorption"]["alpha"][0] == value
    scores = fit.scores()
    assert list(scores["figure"]) == ["T20"]
    assert scores["after"][0] < scores["before"][0]
    assert "1 octaves" in repr(fit)
    with pytest.raises(rf.SceneError, match="no source or receiver"):
        scene.fit(measured, tmp_path / "other.toml", folder=tmp_path / "runs", hold=["X"])
