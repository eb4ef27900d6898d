"""The whole band: figures with the part they are of, the crossover, its trust, energies, STI, and waves taken again."""

import json
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd import _engine
from roomfdtd.above import origin_of


def room(**more: object) -> rf.Scene:
    panel = rf.Material.absorption([125, 500, 2000, 8000], [0.3, 0.35, 0.4, 0.45])
    arguments: dict[str, object] = {
        "sources": [rf.Source("left", (0.5, 0.6, 0.7)), rf.Source("right", (1.9, 0.5, 0.8))],
        "receivers": [(1.2, 1.5, 0.9), rf.Receiver("bformat", (1.0, 1.0, 0.8), "ambisonic", order=1)],
        "duration": 0.25,
        "max_frequency": 500.0,
        "stencil": "leggy-2",
        "above": {"method": "rays", "rays": 4000},
    }
    return rf.Scene(rf.Room.box(2.4, 2.0, 1.6, {"default": panel.scattering(0.2)}), **(arguments | more))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def result() -> rf.Result:
    return room().run()


def test_the_part_above_is_that_of_the_run(result: rf.Result) -> None:
    above = result.above
    assert above is not None and result.valid_to == above.valid_to == 20000.0
    bandwidth = result.plan.valid_bandwidth
    assert above.geometry_from == pytest.approx(bandwidth) and above.waves_to == pytest.approx(bandwidth / np.sqrt(2))
    assert (above.rays, above.seed, above.image_order) == (4000, 0, -1) and above.octaves[-1] == 16000.0
    stated = result.document["agreement"]
    assert above.agreement == stated and above.trust == stated["trust"]
    assert "trust" in repr(above) and "waves to" in repr(result)
    assert rf.open_result(result.path).above.trust == above.trust  # type: ignore[union-attr]
    pytest.importorskip("pandas")
    assert above.differences().loc["G", "mean"] == stated["G"]["mean"]
    waves = room(above={"method": "none"}).run()
    assert waves.above is None and waves.valid_to == pytest.approx(bandwidth) and "waves to" not in repr(waves)


def test_geometry_is_there_unless_it_is_switched_off_or_responses_are_many() -> None:
    default = room(above=None)
    assert default.plan()["above"]["upper"] == 20000.0
    result = default.replace({"simulation.duration": 0.05, "above.rays": 1000}).run()
    assert result.above is not None and result.valid_to == 20000.0 and result.above.rays == 1000
    assert "above" not in room(above={"method": "none"}).plan()
    seats = rf.Receiver.grid("seat", (0.5, 0.5, 1.0), (1.5, 1.5, 1.0), (42, 24, 1))
    many = room(above=None, receivers=[seats]).replace({"simulation.duration": 2.0})
    assert "above" not in many.plan()  # 2 x 1008 responses of 5e6 images each
    assert "above" in many.replace({"simulation.duration": 0.1}).plan()


def test_energies_and_images_belong_to_their_pair(result: rf.Result) -> None:
    above = result.above
    assert above is not None and above.directions.shape == (24, 3)
    np.testing.assert_allclose(np.linalg.norm(above.directions, axis=1), 1.0)
    for receiver, source in (("R1", "left"), ("R1", "right"), ("bformat", "right")):
        place = result.receiver_positions[result.receivers.index(receiver if receiver == "R1" else "bformat:00")]
        distance = np.linalg.norm(place - result.source_positions[result.sources.index(source)])
        times, energy = above.energy(receiver, source)
        assert energy.shape[:2] == (len(above.octaves), len(times)) and (energy.ndim == 3) == (receiver == "bformat")
        assert np.diff(times) == pytest.approx(above.bin) and energy.min() >= 0.0 < energy.max()
        # Nothing arrives before the direct sound, and that is the first image source.
        assert times[energy.reshape(len(above.octaves), len(times), -1).any(axis=(0, 2))][0] >= distance / 345 - above.bin
        images = np.atleast_2d(above.images(receiver, source))
        assert images.shape[0] == (4 if receiver == "bformat" else 1)
        first = np.flatnonzero(np.abs(images[0]) > 0.2 * np.abs(images[0]).max())[0] / 48000.0
        assert first == pytest.approx(distance / result.sound_speed, abs=2e-4)
    with pytest.raises(rf.FdtdError, match="no receiver 'R9'"):
        above.energy("R9")


def test_figures_state_the_part_they_are_of(result: rf.Result) -> None:
    pytest.importorskip("pandas")
    frame = result.metrics()
    parts = frame.loc[("left", "R1")]["from"]
    assert {parts[63], parts[125], parts[250]} == {"wave"} and parts[500] == "both"
    assert {parts[1000], parts[8000]} == {"geometry"} and frame.attrs["units"]["T20"] == "s"
    assert frame.loc[("left", "R1", 8000.0), "C80"] > 0.0 and "from" not in frame.attrs["units"]
    assert set(result.metrics(broadband=True)["from"]) == {"both"}
    with pytest.raises(rf.FdtdError, match="no figure 'from'"):
        result.map("from", 125)


def test_the_part_is_that_which_the_program_states(result: rf.Result, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    stored = result._store.responses_json()
    stated = {band["centre"]: band["from"] for band in stored[0]["bands"]}
    assert set(stated.values()) == {"wave", "both", "geometry"}
    assert {centre: origin_of(centre, result._store.crossover) for centre in stated} == stated
    by_centre = {band["centre"]: band for band in stored[0]["bands"]}
    by_centre[1000.0]["from"], by_centre[2000.0]["from"] = "wave", None
    del by_centre[4000.0]["from"]
    shutil.copy(result.path, tmp_path)
    with h5py.File(tmp_path / "result.h5", "r+") as file:
        file["metrics"].attrs["json"] = json.dumps(stored)
    parts = rf.open_result(tmp_path).metrics().loc[(stored[0]["source"], stored[0]["receiver"])]["from"]
    assert (parts[1000], parts[4000]) == ("wave", "geometry") and parts.isna()[2000]


@pytest.mark.parametrize(
    ("band", "crossover", "part"),
    [
        (500, (500 * 2**0.5, 1000), "wave"),
        (500, (500 * 2**0.5 / 1.011, 1000), "both"),
        (2000, (500, 2000 / 2**0.5), "geometry"),
        (2000, (500, 2000 / 2**0.5 * 1.011), "both"),
        (31.5, (45, 64), "wave"),
        (63, (31, 44), "geometry"),
        (0, (500, 1000), "both"),
        (8000, None, "wave"),
        (0, None, "wave"),
    ],
)
def test_an_octave_is_of_both_where_the_crossover_reaches_into_it(
    band: float, crossover: tuple[float, float] | None, part: str
) -> None:
    assert origin_of(band, crossover) == part


def test_speech(result: rf.Result) -> None:
    pytest.importorskip("pandas")
    frame = result.speech()
    assert list(frame.index) == [(s, r) for s in ("left", "right") for r in ("R1", "bformat")]
    listed = {(one["source"], one["name"]): one["metrics"] for one in result.document["receivers"]}
    assert frame.loc[("right", "R1"), "STI"] == listed["right", "R1"]["STI"]
    assert frame.loc[("left", "R1"), "MTI_2000"] == result.metrics().loc[("left", "R1", 2000.0), "MTI"]
    assert frame.attrs["units"]["STI"] == frame.attrs["units"]["MTI_125"] == "1"
    assert (abs(frame["STIPA"] - frame["STI"]) < 0.05).all() and frame["U50"].isna().all()
    noise = [70, 65, 60, 60, 55, 50, 45]
    noisy = result.speech(60, noise)
    printed = _engine.metrics(str(result.path.parent / "ir_left_R1.wav"), speech=60, noise=noise)
    assert noisy.loc[("left", "R1"), "STI"] == pytest.approx(printed["STI"], abs=1e-6)
    assert (noisy["STI"] < frame["STI"]).all() and (result.speech(60)["STI"] > noisy["STI"]).all()
    assert noisy.loc[("left", "R1"), "U50"] == pytest.approx(printed["U50"], abs=1e-4)
    assert noisy["U50_1000"].notna().all() and noisy.attrs["units"]["U50"] == noisy.attrs["units"]["U50_125"] == "dB"
    with pytest.raises(rf.SceneError, match="^noise"):
        result.speech(noise=noise)
    short = room(above={"method": "none"}, duration=0.05).run().speech()
    assert short["STI"].isna().all() and short["reason"].str.contains("octave of").all()


def test_figures_of_lateral_sound(result: rf.Result) -> None:
    pytest.importorskip("pandas")
    frame = result.metrics()
    lateral = frame.loc[("left", "bformat")]
    assert lateral["LF"].between(0, 1.2).sum() >= 4 and lateral["LJ"].notna().any() and lateral["DRR"].notna().any()
    assert frame.loc[("left", "R1"), "LF"].isna().all() and frame.attrs["units"]["LJ"] == "dB"
    single = result.metrics(broadband=True)
    mean = lateral.loc[[125.0, 250.0, 500.0, 1000.0], "LF"].mean()
    assert single.loc[("left", "bformat"), "LF_125_1000"] == pytest.approx(mean, nan_ok=True)
    with pytest.raises(rf.SceneError, match="^line: the result has no receiver"):
        result.open_plan(["R1", "R2", "R3", "R4"])


def test_waves_are_taken_from_an_earlier_result(result: rf.Result) -> None:
    other = room(above={"method": "rays", "rays": 4000, "seed": 7})
    taken, alone = other.run(waves=result), other.run()
    assert taken.document["waves_from"] == str(result.path) and "waves_from" not in alone.document
    assert np.array_equal(taken.responses, alone.responses) and not np.array_equal(taken.responses, result.responses)
    longer = room(duration=0.26).run(waves=result.path.parent)
    assert "waves_from" not in longer.document and "of another plan" in " ".join(longer.document["remarks"])
    with pytest.raises(rf.FileError, match="no such file"):
        other.run(waves="nowhere")
