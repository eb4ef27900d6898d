"""Charts, maps, films and sounds of a result."""

import json
import struct
import wave

import h5py
import numpy as np
import pytest

pytest.importorskip("tomlkit")

import roomfdtd as rf  # noqa: E402
from roomfdtd.errors import FdtdError  # noqa: E402
from roomfdtd.studio import charts, listening  # noqa: E402


def test_charts_hold_the_figures_of_the_result(computed):
    chart = charts.figure_chart(computed, "T20", "S1")
    rows = {(row["receiver"], row["band"]): row["T20"] for row in charts.figures(computed)}
    bands = [float(band) for band in chart["xAxis"]["data"]]
    assert len(chart["series"]) == 6 and 125.0 in bands
    for line in chart["series"]:
        for band, value in zip(bands, line["data"], strict=True):
            expected = rows[line["name"], band]
            assert value is None if expected is None else value == pytest.approx(expected, rel=1e-3)
    table = charts.figure_table(computed, "T20", "S1")
    assert [row["receiver"] for row in table] == [line["name"] for line in chart["series"]]
    spots = charts.map_chart(computed, "C50", 125.0, "S1")["series"][0]["data"]
    places = {name: place for name, place in zip(computed.receivers, computed.receiver_positions, strict=True)}
    assert len(spots) == 6
    for spot in spots:
        assert spot["value"][:2] == pytest.approx(list(places[spot["name"]][:2]), abs=1e-3)


def test_a_map_has_the_shape_of_the_room(computed):
    chart = charts.map_chart(computed, "C50", 125.0, "S1")
    for axis, index in (("xAxis", 0), ("yAxis", 1)):
        places = [spot["value"][index] for one in chart["series"] for spot in one["data"]]
        assert chart[axis]["min"] <= min(places) and max(places) <= chart[axis]["max"]
    wide = {side: float(chart["grid"][side].rstrip("%")) for side in ("left", "right", "top", "bottom")}
    across = charts.aspect_of(chart) * (100 - wide["left"] - wide["right"]) / (chart["xAxis"]["max"] - chart["xAxis"]["min"])
    assert across == pytest.approx((100 - wide["top"] - wide["bottom"]) / (chart["yAxis"]["max"] - chart["yAxis"]["min"]))


def test_a_map_of_a_long_plan_is_not_longer_than_a_card():
    for wide, high in ((30.0, 2.0), (2.0, 30.0), (5.0, 4.0)):
        (left, right), (low, top) = charts._around([0.0, wide], [1.0, 1.0 + high])
        assert left <= -0.5 and wide + 0.5 <= right and low <= 0.5 and 1.5 + high <= top
        assert 1 / 1.7 < (right - left) / (top - low) < 1.7


def test_decays_end_where_the_last_octave_has_fallen_by_60_db(tmp_path):
    room = rf.Room.box(2.4, 2.0, 1.6, rf.Material.admittance(0.2))
    scene = rf.Scene(room, [(1.4, 0.4, 0.9)], [(1.2, 1.5, 0.9)], duration=6.0, max_frequency=300.0, above={"method": "none"}, stencil="leggy-2")
    chart = charts.decay_chart(scene.run(tmp_path / "out"), "R1", "S1")
    end, lines = chart["xAxis"]["max"], [line["data"] for line in chart["series"]]
    assert end < 1.0, "of 6 s"
    for line in lines:
        assert line[0][0] == 0.0 and line[-1][0] <= end and any(level < -60.0 for _, level in line) and len(line) > 300
    assert max(time for line in lines for time, level in line if level >= -60.0) > 0.75 * end


def test_a_short_and_a_long_response_have_the_same_limits(computed):
    for maker, longer in ((charts.decay_chart, 1.7), (charts.spectrum_chart, 500.0)):
        one, other = maker(computed, "seat_1", "S1"), maker(computed, "seat_1", "S1")
        other["xAxis"] |= {"max": longer, "axisLabel": {"customValues": [longer]}}
        charts.with_limits(one, other)
        for key in ("min", "max", "axisLabel"):
            assert one["xAxis"][key] == other["xAxis"][key]
        assert one["xAxis"]["max"] == longer


def test_two_runs_of_other_octaves_have_the_same_ones(computed):
    one, other = charts.figure_chart(computed, "T20", "S1"), charts.figure_chart(computed, "T20", "S1")
    bands, lines = list(one["xAxis"]["data"]), [list(line["data"]) for line in one["series"]]
    other["xAxis"]["data"] = [*bands[1:], "1000"]
    for line in other["series"]:
        line["data"] = [*line["data"][1:], 0.5]
    charts.with_limits(one, other)
    assert one["xAxis"]["data"] == other["xAxis"]["data"] == [*bands, "1000"]
    for line, before, beside in zip(one["series"], lines, other["series"], strict=True):
        assert line["data"] == [*before, None] and beside["data"] == [None, *before[1:], 0.5]


def test_two_maps_have_one_scale_of_colours(computed):
    maps = [charts.map_chart(computed, figure, 125.0, "S1") for figure in ("C50", "D50")]
    limits = [(one["visualMap"]["min"], one["visualMap"]["max"]) for one in maps]
    charts.with_limits(*maps)
    both = (min(low for low, _ in limits), max(high for _, high in limits))
    assert [(one["visualMap"]["min"], one["visualMap"]["max"]) for one in maps] == [both, both] and limits[0] != limits[1]


def test_charts_are_plain_and_short(computed):
    made = [
        charts.figure_chart(computed, "C50", "S1"),
        charts.decay_chart(computed, "seat_1", "S1"),
        charts.spectrum_chart(computed, "seat_1", "S1"),
        charts.waterfall(computed, "seat_1", "S1"),
    ]
    for chart in made:
        assert len(json.dumps(chart, allow_nan=False)) < 200_000
        assert chart["aria"]["enabled"] and chart["title"]["text"]
    level = np.array(made[1]["series"][0]["data"])[:, 1]
    assert level[0] == pytest.approx(0.0, abs=0.1) and (np.diff(level) <= 0.05).all(), "a decay falls"


def test_the_waterfall_of_a_mode_falls_by_its_decay():
    """A damped cosine of 80 Hz: its level at 80 Hz falls by 60 dB in its reverberation time."""
    rate, decay = 2000.0, 0.9

    class Single:
        sample_rate, valid_to = rate, 200.0

        def response(self, receiver, source):
            time = np.arange(int(2.0 * rate)) / rate
            return 10.0 ** (-3.0 * time / decay) * np.cos(2 * np.pi * 80.0 * time)

    chart = charts.waterfall(Single(), "R", "S")
    column = int(np.argmin([abs(float(one) - 80.0) for one in chart["xAxis"]["data"]]))
    levels = {row: level for x, row, level in chart["series"][0]["data"] if x == column}
    times = [float(one) for one in chart["yAxis"]["data"]]
    rows = [row for row in levels if 0.1 < times[row] < 0.5]
    slope = np.polyfit([times[row] for row in rows], [levels[row] for row in rows], 1)[0]
    assert slope == pytest.approx(-60.0 / decay, rel=0.05)


def test_two_charts_get_the_same_limits(computed):
    one, other = charts.figure_chart(computed, "T20", "S1"), charts.figure_chart(computed, "T30", "S1")
    charts.with_limits(one, other)
    highest = max(x for chart in (one, other) for line in chart["series"] for x in line["data"] if x is not None)
    assert highest <= one["yAxis"]["max"] == other["yAxis"]["max"] < 1.3 * highest
    one, other = (charts.spectrum_chart(computed, name, "S1") for name in ("seat_1", "seat_2"))
    charts.with_limits(one, other)
    assert one["yAxis"]["min"] == other["yAxis"]["min"] < one["yAxis"]["max"] == other["yAxis"]["max"]
    assert [charts._step(span) for span in (1.31, 9.0, 31.8, 100.0)] == [0.2, 1.0, 5.0, 10.0]


def samples_of(path):
    """Samples (samples, channels) of a WAV file of 24 bits, 1 the largest."""
    with wave.open(str(path)) as file:
        data = np.frombuffer(file.readframes(file.getnframes()), np.uint8).reshape(-1, file.getnchannels(), 3).astype(np.int32)
    return ((data[:, :, 0] | data[:, :, 1] << 8 | data[:, :, 2] << 16) << 8 >> 8) / (2**23 - 1)


def test_a_dry_sound_is_heard_at_one_gain(computed):
    (heard,) = listening.listen([computed], [("S1", "seat_2")], listening.BLOCKS)
    with wave.open(str(heard)) as file:
        assert file.getnchannels() == listening.channels(heard) == 1
        assert file.getnframes() / file.getframerate() > 3.0
    assert np.abs(samples_of(heard)).max() == pytest.approx(1.0, abs=1e-6)
    with pytest.raises(FdtdError):
        listening.listen([computed], [("S1", "nobody")], listening.CLICK)
    assert np.abs(listening.dry_sound(listening.BLOCKS)).max() == 1.0


def test_two_runs_are_heard_at_the_same_gain(tmp_path):
    """The direct sound of twice the distance has half the pressure."""
    room = rf.Room.box(4.0, 3.0, 2.5, rf.Material.admittance(0.5))
    results = [
        rf.Scene(
            room, [(1.0, 1.5, 1.2)], [rf.Receiver("R1", (1.0 + far, 1.5, 1.2))], duration=0.05, max_frequency=500.0, above={"method": "none"}
        ).run(tmp_path / f"{far}")
        for far in (0.6, 1.2)
    ]
    near, far = (np.abs(samples_of(one)).max() for one in listening.listen(results, [("S1", "R1")] * 2, listening.CLICK))
    assert near == pytest.approx(1.0, abs=1e-6)
    assert far == pytest.approx(0.5, rel=0.15)


def test_words_of_a_film_are_as_large_as_they_are_drawn(tmp_path):
    slices = {"snapshots": [{"plane": "z", "position": 1.0, "every": 0.01, "end": 0.01}]}
    room = rf.Room.box(3.0, 2.5, 2.2, "plasterboard")
    scene = rf.Scene(room, [(0.6, 0.7, 0.9)], [(2.0, 1.5, 1.0)], duration=0.05, max_frequency=800.0, above={"method": "none"}, stencil="leggy-2", output=slices)
    result = scene.run(tmp_path / "out")
    width, height = struct.unpack(">II", listening.film(result, "S1", listening.slices(result)[0]).pictures[0].read_bytes()[16:24])
    assert 300 < height <= 1.1 * 416 and width <= 1.25 * 416, "a card has 416 px; larger pictures are shown smaller"


def test_a_film_has_its_times_place_and_scale(computed):
    (name,) = listening.slices(computed)
    film = listening.film(computed, "S1", name)
    with h5py.File(computed.path.with_name("snapshots.h5")) as file:
        group = file[name]
        times, pressure = np.asarray(group["times"]), np.asarray(group["S1/pressure"])[:, np.asarray(group["air"]) != 0]
        axis = int(group.attrs["axis"])
        place = group.attrs["origin"][axis]
    assert len(film.pictures) == len(film.times) == 6 and film.times == pytest.approx(times, abs=1e-6)
    assert film.scale == pytest.approx(np.quantile(np.abs(pressure), 0.99), rel=0.01)
    assert film.where == f"{'xyz'[axis]} = {place:.3g} m"
    drawn = [one.stat().st_mtime_ns for one in film.pictures]
    assert listening.film(computed, "S1", name) == film
    assert [one.stat().st_mtime_ns for one in film.pictures] == drawn, "drawn once"
    film.pictures[-1].unlink()
    with pytest.raises(FdtdError, match="missing"):
        listening.film(computed, "S1", name)
    film.pictures[0].with_name("film.json").unlink()  # as where drawing was ended
    assert len(listening.film(computed, "S1", name).pictures) == 6


def test_the_speed_of_a_film_is_stated():
    speed_text = pytest.importorskip("roomfdtd.studio.film_player").speed_text
    assert speed_text((0.0, 0.01, 0.02)) == "; shown 10 times slower"
    assert speed_text((0.0, 0.2)) == "; shown 2 times faster"
    assert speed_text((0.3,)) == "" and speed_text((0.0, 0.001001)) == "; shown 100 times slower" and speed_text((0.0, 0.04)) == "; shown 2.5 times slower"
    digits = {("s", 1.0): "1.00", ("s", 0.0822): "0.0822", ("s", 12.34): "12.3", ("s", 123.4): "123", ("", 0.5): "0.500", ("dB", 7.0): "7.0", ("dB", -0.02): "0.0"}
    assert {key: charts._digits(key[1], key[0]) for key in digits} == digits


def test_a_binaural_receiver_is_heard_with_both_ears(tmp_path):
    from test_ears import write_head

    write_head(tmp_path / "head.sofa")
    head = rf.Receiver("seat", (1.4, 1.8, 0.9), "binaural", (1, 0, 0), hrtf="head.sofa", rotations=(0, 180))  # the source is at its right
    room = rf.Room.box(2.4, 2.0, 1.6, rf.Material.admittance(0.2))
    scene = rf.Scene(
        room, [(1.4, 0.4, 0.9)], [head], duration=0.1, max_frequency=700.0, above={"method": "none"}, folder=tmp_path
    )
    result = scene.run(tmp_path / "out")
    assert listening.rotations(result, "seat") == [0.0, 180.0] and listening.rotations(result, "none") == []
    for wanted, turned, words, ears in ((None, 0.0, "0°, ahead", (1, 0)), (180.0, 180.0, "180° to the left", (0, 1)), (45.0, 0.0, "0°, ahead", (1, 0))):
        assert listening.rotation_of(result, "seat", wanted) == turned and listening.turn_text(turned) == words
        (heard,) = listening.listen([result], [("S1", "seat")], listening.CLICK, wanted)
        assert listening.channels(heard) == 2
        near, far = np.argmax(np.abs(samples_of(heard)), axis=0)[list(ears)]
        assert near < far, "the ear at the source hears it first"
    assert listening.turn_text(-30.0) == "30° to the right" and listening.rotation_of(result, "none", 0.0) is None
    assert charts.spectrum_chart(result, "seat", "S1")["series"][0]["data"]
