"""Responses of binaural receivers, as their files have them."""

from pathlib import Path

import h5py
import numpy as np
import pytest
import roomfdtd as rf


def write_head(path: Path) -> None:
    """Two ears without a head between them, from 60 directions all round."""
    i = np.arange(60) + 0.5
    z, turn = 1 - i / 30, np.pi * (1 + 5**0.5) * i
    towards = np.stack([np.sqrt(1 - z * z) * np.cos(turn), np.sqrt(1 - z * z) * np.sin(turn), z], axis=1)
    samples = np.zeros((60, 2, 64))
    for ear, side in enumerate((1, -1)):
        late = 30 - side * towards[:, 1] * 0.0875 / 343 * 44100
        samples[:, ear] = np.sinc(np.arange(64) - late[:, np.newaxis])
    with h5py.File(path, "w") as file:
        for name, text in {
            "Conventions": "SOFA",
            "SOFAConventions": "SimpleFreeFieldHRIR",
            "DataType": "FIR",
        }.items():
            file.attrs[name] = np.bytes_(text)
        file["SourcePosition"] = 1.5 * towards
        file["SourcePosition"].attrs.update({"Type": np.bytes_("cartesian"), "Units": np.bytes_("metre")})
        file["Data.IR"] = samples
        file["Data.SamplingRate"] = np.array([44100.0])
        file["Data.Delay"] = np.zeros((1, 2))


def test_ears_are_those_of_each_rotation(tmp_path: Path) -> None:
    write_head(tmp_path / "head.sofa")
    listener = rf.Receiver(
        "seat", (1.7, 1.3, 0.9), "binaural", (1, 0, 0), hrtf="head.sofa", rotations=(0, 90)
    )
    scene = rf.Scene(
        rf.Room.box(2.4, 2.0, 1.6, rf.Material.admittance(0.2)),
        [(1.0, 1.3, 0.9)],
        [listener],
        duration=0.05,
        max_frequency=700.0,
        stencil="leggy-2",
        above={"method": "none"},
        folder=tmp_path,
    )
    result = scene.run(tmp_path / "out")
    ahead, turned = result.ears("seat"), result.ears("seat", rotation=90)
    assert ahead.shape == (2, result.response("seat").shape[-1])
    # The source is behind the head; of one that is turned to its left it is at the left ear, which hears it first.
    direct = slice(0, int(0.0035 * result.sample_rate))
    assert np.max(np.abs(ahead[0, direct] - ahead[1, direct])) < 0.2 * np.max(np.abs(ahead[:, direct]))
    assert np.argmax(np.abs(turned[0, direct])) < np.argmax(np.abs(turned[1, direct]))
    with pytest.raises(rf.FdtdError, match="rotation"):
        result.ears("seat", rotation=45)
    with pytest.raises(rf.FdtdError, match="binaural"):
        result.ears("stage")


def test_sofar_verifies_files_of_receivers_of_all_kinds(tmp_path: Path) -> None:
    sofar = pytest.importorskip("sofar")
    write_head(tmp_path / "head.sofa")
    (tmp_path / "device.csv").write_text("x,y,z,name\n0.05,0,0,front\n-0.05,0,0,back\n0,0.05,0,left\n")
    (tmp_path / "walk.csv").write_text("t,x,y,z,yaw\n0,1.4,1.0,0.8,0\n0.01,1.5,1.0,0.8,90\n")
    (tmp_path / "scene.toml").write_text(
        """schema = 1
simulation = { duration = 0.02, max_frequency = 700.0, stencil = "leggy-2" }
above.method = "none"
room = { box = [2.4, 2.0, 1.6], walls = { default = "plaster" } }
materials.plaster.admittance = 0.2
[[source]]
name = "S"
position = [1.0, 1.3, 0.9]
pattern = "cardioid"
direction = [1, 0, 0]
[[source]]
name = "T"
position = [0.8, 0.9, 0.6]
[[receiver]]
name = "seat"
position = [1.7, 1.3, 0.9]
pattern = "binaural"
order = 2
hrtf = "head.sofa"
direction = [1, 0, 0]
rotations = [0, 90]
[[receiver]]
name = "device"
position = [1.2, 0.6, 0.8]
array = "device.csv"
[[receiver]]
name = "field"
position = [1.3, 1.1, 0.8]
pattern = "ambisonic"
order = 5
[[receiver]]
name = "walk"
path = "walk.csv"
pattern = "cardioid"
direction = [1, 0, 0]
"""
    )
    result = rf.Scene.from_toml(tmp_path / "scene.toml").run(tmp_path / "out")
    # Of the places of the path, whose pattern turns, each is one receiver.
    walked = [name for name in result.receivers if name.startswith("walk")]
    assert walked and all(":" not in name for name in walked)
    responses = {}
    for file in result.to_sofa(tmp_path / "sofa"):
        read = sofar.read_sofa(str(file), verify=False, verbose=False)
        assert read.verify(issue_handling="return") is None, file.name
        responses[file.stem] = read.Data_IR
    # Measurements by receivers: sources and rotations by ears, channels of the array, and those of order 5.
    assert {name: ir.shape[:2] for name, ir in responses.items() if name != "responses"} == {
        "responses_array_device": (2, 3),
        "responses_binaural": (4, 2),
        "responses_ambisonic_5": (2, 36),
    }
    assert responses["responses"].shape[0] >= 2 * 2 and responses["responses"].shape[1] == 1  # places of the path
    assert np.array_equal(responses["responses_binaural"][1], result.ears("seat", source="S", rotation=90))
