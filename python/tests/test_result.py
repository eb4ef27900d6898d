"""Results: arrays, frames, plots and files, against the program's own files."""

import wave
from pathlib import Path

import h5py
import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd import _engine, _signal
from roomfdtd._units import AVERAGES, UNITS


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> rf.Result:
    scene = rf.Scene(
        rf.Room.box(2.4, 2.0, 1.6, "plasterboard"),
        sources=[rf.Source("left", (0.5, 0.6, 0.7)), rf.Source("right", (1.9, 0.5, 0.8), "cardioid", (0, 1, 0))],
        receivers=[(1.2, 1.5, 0.9), rf.Receiver("bformat", (1.0, 1.0, 0.8), "ambisonic", order=1)],
        duration=0.3,
        max_frequency=500.0,
        stencil="leggy-2",
    )
    return scene.run(tmp_path_factory.mktemp("run") / "out", sofa=True)


def test_arrays(result: rf.Result) -> None:
    assert result.sources == ["left", "right"]
    assert result.receivers == ["R1", "bformat:00", "bformat:01", "bformat:02", "bformat:03"]
    assert result.responses.shape == (2, 5, 14400) and result.times[-1] == pytest.approx(0.3, abs=1e-4)
    assert result.source_positions.tolist() == [[0.5, 0.6, 0.7], [1.9, 0.5, 0.8]]
    assert result.receiver_positions[1].tolist() == [1.0, 1.0, 0.8]
    assert np.array_equal(result.response("R1", "right"), result.responses[1, 0])
    assert np.array_equal(result.response("bformat", 0), result.responses[0, 1:])
    assert np.array_equal(result.response(-1), result.responses[0, 4])
    record, rate = result.raw("R1", "left")
    assert rate == pytest.approx(result.plan.sample_rate) and abs(len(record) - result.plan.steps) <= 1
    energy = result.energy("left")
    assert np.all(np.abs(energy["balance_error"]) < 1e-3) and energy["injected"][-1] > 0
    with pytest.raises(rf.FdtdError, match="no receiver 'R9'"):
        result.response("R9")
    with pytest.raises(rf.FdtdError, match="no source 2"):
        result.response(0, 2)


def test_seconds_by_stage(result: rf.Result) -> None:
    timing = result.document["timing"]
    assert list(result.seconds) == ["planning", "steps", "above", "rendering"]
    assert all(taken > 0.0 for taken in result.seconds.values())
    assert result.seconds["steps"] == timing["seconds"] and result.seconds["above"] == timing["above_seconds"]
    assert result.seconds["planning"] == timing["planning_seconds"]
    assert "seconds: planning " in repr(result)


def test_the_samples_are_those_of_the_audio_files(result: rf.Result, tmp_path: Path) -> None:
    files = result.to_wav(tmp_path, format="pcm24", normalize=True)
    assert {"ir_left_R1.wav", "ir_right_R1.wav", "ir_left_bformat.wav"} <= {file.name for file in files}
    with wave.open(str(tmp_path / "ir_left_R1.wav")) as file:
        data = np.frombuffer(file.readframes(file.getnframes()), dtype=np.uint8).reshape(-1, 3)
        assert file.getframerate() == 48000
    words = np.zeros((len(data), 4), dtype=np.uint8)
    words[:, 1:] = data
    samples = words.view("<i4")[:, 0] / 2.0**31
    ours = result.response("R1", "left") / np.max(np.abs(result.responses))
    assert np.max(np.abs(samples - ours)) < 1e-6
    with pytest.raises(rf.FileError, match="exists already"):
        result.to_wav(tmp_path)
    assert len(result.to_wav(tmp_path, force=True, rate=16000)) == len(files)
    assert int.from_bytes((tmp_path / "ir_left_R1.wav").read_bytes()[24:28], "little") == 16000


def test_metrics_are_those_of_the_program(result: rf.Result) -> None:
    pytest.importorskip("pandas")
    frame = result.metrics()
    assert frame.index.names == ["source", "receiver", "band"]
    printed = _engine.metrics(str(result.path.parent / "ir_left_R1.wav"))
    bands = {band["centre"]: band for band in printed["bands"]}
    for band, row in frame.loc["left", "R1"].iterrows():
        for name in ("EDT", "T20", "C80", "D50", "Ts"):
            theirs = bands[band][name]
            both_absent = np.isnan(row[name]) and theirs is None
            assert both_absent or row[name] == pytest.approx(theirs, rel=2e-3), (band, name)
    first, _, rest = str(frame).partition("\n")  # as many columns as 80 characters hold: those of every room
    assert "T20" in first and "C50" in first and rest
    units = frame.attrs["units"]
    assert (units["T20"], units["Ts"], units["C80"], units["D50"], units["band"]) == ("s", "s", "dB", "1", "Hz")
    assert set(units) == {*frame.columns, "band"} - {"reason", "doubt", "from"}
    whole = result.metrics(broadband=True)
    of_octaves = {name: unit for name, unit in units.items() if name not in ("band", "MTI")}
    single = {name: UNITS[name] for name in ("STI", "STIPA", *AVERAGES)}
    assert whole.attrs["units"] == of_octaves | single and len(AVERAGES) == 7 and single["LJ_125_1000"] == "dB"
    assert whole.index.names == ["source", "receiver"] and "band" not in whole
    listed = {(entry["source"], entry["name"]): entry["metrics"] for entry in result.document["receivers"]}
    expected = listed["left", "R1"]["broadband"]["C80"]
    assert whole.loc[("left", "R1"), "C80"] == pytest.approx(np.nan if expected is None else expected, nan_ok=True)


def test_xarray(result: rf.Result) -> None:
    pytest.importorskip("xarray")
    data = result.to_xarray()
    assert data.pressure.dims == ("source", "receiver", "time")
    assert float(data.x.sel(receiver="R1")) == 1.2 and data.x.attrs["units"] == "m"
    assert float(data.source_y.sel(source="left")) == 0.6 and data.time.attrs["units"] == "s"
    assert np.array_equal(data.pressure.sel(source="right", receiver="R1"), result.response("R1", "right"))


def test_pyfar(result: rf.Result) -> None:
    pytest.importorskip("pyfar")
    signal = result.to_pyfar()
    assert signal.cshape == (2, 5) and signal.sampling_rate == 48000
    assert np.array_equal(signal.time, result.responses)
    assert np.allclose(signal.freq[0, 0], np.fft.rfft(result.responses[0, 0]))


def test_sofa(result: rf.Result, tmp_path: Path) -> None:
    sofar = pytest.importorskip("sofar")
    files = result.to_sofa(tmp_path)
    assert [file.name for file in files] == ["responses.sofa", "responses_ambisonic_1.sofa"]
    for file in files:
        sofa = sofar.read_sofa(str(file), verify=False)
        assert sofa.verify(issue_handling="return") is None
    one = sofar.read_sofa(str(files[0]), verify=False, verbose=False)
    assert np.array_equal(one.Data_IR[0, 0], result.response("R1", "left"))
    assert not (tmp_path / "ir_left_R1.wav").exists()


def test_a_mesh_as_sofa(tmp_path: Path, root: Path) -> None:
    sofar = pytest.importorskip("sofar")
    scene = rf.Scene.from_toml(root / "scenes/examples/l_room.toml")
    result = scene.replace({"simulation.duration": 0.05, "simulation.max_frequency": 150.0}).run()
    for file in result.to_sofa(tmp_path):
        assert sofar.read_sofa(str(file), verify=False, verbose=False).verify(issue_handling="return") is None


def test_maps_and_slices(plane_result: rf.Result) -> None:
    pytest.importorskip("xarray")
    clarity = plane_result.map("C50", 125, receivers="seat")
    assert clarity.dims == ("y", "x") and clarity.shape == (3, 4) and clarity.attrs["units"] == "dB"
    frame = plane_result.metrics()
    assert float(clarity.sel(x=2.5, y=2.0)) == frame.loc[("S1", "seat_12", 125.0), "C50"]
    with pytest.raises(rf.FdtdError, match="no figures in the band of 32000"):
        plane_result.map("C50", 32000)
    with pytest.raises(rf.FdtdError, match="no figure 'C20'"):
        plane_result.map("C20", 125)
    with pytest.raises(rf.FdtdError, match="no receivers row_1"):
        plane_result.map("C50", 125, receivers="row")
    frames = plane_result.snapshot()
    assert frames.dims == ("time", "y", "x") and frames.time.attrs["units"] == "s"
    assert float(abs(frames).max()) > 0.01
    with pytest.raises(rf.FdtdError, match="no snapshot 'z9'"):
        plane_result.snapshot("z9")


def test_a_cardioid_is_one_channel(plane_result: rf.Result) -> None:
    assert "cardioid" in plane_result.receivers and "cardioid:v" not in plane_result.receivers


def test_plots(plane_result: rf.Result) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("xarray")
    import matplotlib.pyplot as plt

    line = plane_result.plot_response("seat_05").lines[0]
    assert np.array_equal(line.get_ydata(), plane_result.response("seat_05"))
    assert len(plane_result.plot_decay("seat_05", bands=[63, 125]).lines) == 2
    drawn = plane_result.plot_spectrum("seat_05").lines[0].get_xdata()
    assert drawn[-1] <= plane_result.valid_to
    assert len(plane_result.plot_map("C50", 125, receivers="seat").collections[0].get_array().ravel()) == 12
    marked = plane_result.plot_map("C50", 125, receivers="seat").lines[0]
    assert [*marked.get_xdata(), *marked.get_ydata()] == pytest.approx([0.6, 0.7]) and marked.get_label() == "S1"
    assert plane_result.plot_slice(0.02).get_title() in ("20.0 ms", "20.1 ms")
    _, ax = plt.subplots()
    assert plane_result.plot_decay(ax=ax) is ax
    plt.close("all")


def test_a_spectrogram_has_the_sound_of_its_response(result: rf.Result) -> None:
    pytest.importorskip("matplotlib")
    import matplotlib.pyplot as plt

    ax = result.plot_spectrogram("R1", window=0.002)
    drawn = ax.collections[0].get_array()
    assert drawn.max() == 0.0 and ax.get_xlabel() == "time (s)" and ax.get_ylabel() == "frequency (Hz)"
    assert ax.get_ylim()[1] <= result.valid_to and ax.figure.axes[1].get_ylabel() == "level (dB re maximum)"
    arrival = np.linalg.norm(result.source_positions[0] - result.receiver_positions[0]) / result.sound_speed
    loudest = np.ma.getdata(drawn).max(axis=0)  # of each window, which begin a millisecond apart
    first = np.argmax(loudest > -30.0)  # holds the direct sound
    assert 0.001 * first <= arrival <= 0.001 * first + 0.002 and loudest[-1] < -15.0
    length = round(0.002 * result.sample_rate)
    parts = [result.response("R1")[begin : begin + length] for begin in (2 * length, 3 * length)]
    first_bin, second_bin = (abs(np.fft.rfft(part * np.hanning(length)))[1] for part in parts)
    assert drawn[0, 4] - drawn[0, 6] == pytest.approx(20 * np.log10(first_bin / second_bin), abs=1e-6)
    with pytest.raises(rf.FdtdError, match="window: 2 s does not fit"):
        result.plot_spectrogram("R1", window=2.0)
    plt.close("all")


def test_reverberation_by_octave_is_the_mean_of_the_table(result: rf.Result) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    import matplotlib.pyplot as plt

    table = result.metrics()["T30"]
    ax = result.plot_reverberation()
    assert [line.get_label() for line in ax.lines] == ["EDT", "T20", "T30"]
    assert ax.get_ylabel() == "time (s)" and ax.get_xlabel() == "octave (Hz)"
    means = table.groupby("band").mean()
    assert np.allclose(ax.lines[2].get_ydata(), means.to_numpy(), equal_nan=True) and means.notna().any()
    assert list(ax.lines[2].get_xdata()) == list(means.index)
    one = result.plot_reverberation("R1", "left", figures=["T30"])
    assert np.allclose(one.lines[0].get_ydata(), table.loc["left", "R1"].to_numpy(), equal_nan=True)
    assert one.get_title() == "left to R1" and ax.get_title() == "all to all"
    with pytest.raises(rf.FdtdError, match="no time 'C50'"):
        result.plot_reverberation(figures=["C50"])
    plt.close("all")


def test_the_room_is_drawn_by_its_twelve_edges(result: rf.Result) -> None:
    pytest.importorskip("matplotlib")
    import matplotlib.pyplot as plt

    ax = result.plot_room()
    ends = np.array([line.get_data_3d() for line in ax.lines])  # (edges, 3, 2)
    assert ends.shape == (12, 3, 2)
    lengths = np.sort(np.linalg.norm(ends[:, :, 1] - ends[:, :, 0], axis=1))
    assert lengths == pytest.approx([1.6] * 4 + [2.0] * 4 + [2.4] * 4)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()) == ("x (m)", "y (m)", "z (m)")
    _, above = plt.subplots()
    assert result.plot_room(above) is above
    assert above.collections[0].get_offsets().tolist() == result.source_positions[:, :2].tolist()
    assert [text.get_text() for text in above.get_legend().get_texts()] == ["source", "receiver"]
    plt.close("all")


def test_one_signal_is_that_of_the_only_source(plane_result: rf.Result, result: rf.Result) -> None:
    click = np.array([0.0, 2.0])
    heard = plane_result.simulate(click)
    assert np.allclose(heard[:, 1:], 2.0 * plane_result.responses[0], atol=1e-12) and np.allclose(heard[:, 0], 0.0)
    assert np.array_equal(plane_result.simulate([0.0, 2.0]), heard)
    assert np.array_equal(plane_result.simulate([click]), heard)
    with pytest.raises(rf.SceneError, match="signals: 1 for 2 sources"):
        result.simulate(click)
    with pytest.raises(rf.SceneError, match="delays: 1 for 2 sources"):
        result.simulate([click, click], [0.0])


def test_decay_of_a_known_signal() -> None:
    rate, seconds = 8000.0, 0.5
    time = np.arange(int(rate * 2)) / rate
    decay = _signal.backward_level(np.exp(-6.9078 * time / seconds) * np.sin(2 * np.pi * 500 * time))
    slope = np.polyfit(time[400:1600], decay[400:1600], 1)[0]
    assert slope == pytest.approx(-60 / seconds, rel=2e-3)
    tone = np.sin(2 * np.pi * 1000 * time)
    inside = _signal.octave(tone, rate, 1000.0)[4000:12000]
    outside = _signal.octave(tone, rate, 250.0)[4000:12000]
    assert np.max(np.abs(inside)) == pytest.approx(1.0, abs=1e-3) and np.max(np.abs(outside)) < 0.01


def test_open_result(result: rf.Result, tmp_path: Path) -> None:
    again = rf.open_result(result.path.parent)
    assert again.seconds == pytest.approx({"steps": result.seconds["steps"]}) and again.seconds["steps"] > 0.0
    assert again.document == {} and np.array_equal(again.responses, result.responses)
    assert again.scene.document["source"][0]["name"] == "left"
    assert again.plan.grid == result.document["plan"]["grid"]
    vertices, faces, materials, names = again.surface
    assert vertices.shape[1] == 3 and len(faces) == len(materials) and names == ["plasterboard"]
    assert "Result" in repr(again) and again._repr_html_().count("<tr>") > 5
    with pytest.raises(rf.FileError, match="no such file"):
        rf.open_result(tmp_path / "result.h5")
    with h5py.File(tmp_path / "other.h5", "w"):
        pass
    with pytest.raises(rf.FileError, match="not the result.h5"):
        rf.open_result(tmp_path / "other.h5")
    (tmp_path / "text.h5").write_text("no HDF5")
    with pytest.raises(rf.FileError, match="cannot be read as HDF5"):
        rf.open_result(tmp_path / "text.h5")


def test_match_of_what_was_measured(result: rf.Result, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    stated = result.metrics()
    c80 = [float(stated.loc[("left", "R1", band), "C80"]) for band in (125.0, 250.0)]
    measured = {"bands_hz": [125, 250], "pairs": {"left R1": {"c80": [np.nan, c80[1] - 2.0]}}}
    found = result.match(measured, bands=(125, 250))
    assert repr(found) == "<roomfdtd.Match: pairs: 1, 250 to 250 Hz>"
    frame = found.frame()
    assert frame.loc[("left", "R1", 250.0, "C80"), "jnd"] == pytest.approx(2.0)
    assert frame.loc[("left", "R1", 250.0, "C80"), "run"] == pytest.approx(c80[1])
    assert np.isnan(frame.loc[("left", "R1", 125.0, "C80"), "jnd"])
    assert frame.loc[("left", "R1", 250.0, "EDT"), "reason"] == "measured: not stated in the measurement"
    assert found.means().loc[(250.0, "C80"), "pairs"] == 1
    axes = found.plot()
    assert [line.get_label() for line in axes.lines if not str(line.get_label()).startswith("_")] == ["C80"]
    with pytest.raises(rf.FdtdError, match="T15"):
        found.plot(["T15"])

    other = {"bands_hz": [125, 250], "pairs": {"L M": {"c80": c80}}}
    assert result.match(other, pairs={("left", "R1"): ("L", "M")}).means().loc[(125.0, "C80"), "jnd"] == pytest.approx(0)
    with pytest.raises(rf.SceneError, match="no pair"):
        result.match(other)
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(rf.FileError, match="bands_hz"):
        result.match(tmp_path / "bad.json")
    assert result.match(result.path).means().loc[(250.0, "C80"), "jnd"] == 0


def test_a_movie_has_every_frame_axes_and_the_source(plane_result: rf.Result, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    image = pytest.importorskip("PIL.Image")
    made = plane_result.movie(tmp_path / "waves.gif", fps=10)
    with image.open(made) as film:
        assert film.n_frames == len(plane_result.snapshot().time) and film.info["duration"] == 100
        first = np.asarray(film.convert("RGB"))
        film.seek(film.n_frames - 1)
        last = np.asarray(film.convert("RGB"))
    assert (first != last).any()
    gold = (abs(first.astype(int) - (255, 215, 0)) < 30).all(axis=2)
    assert gold.any(), "the source is not marked"
    title = first[: first.shape[0] // 12] != last[: last.shape[0] // 12]
    assert title.any(), "the time does not change"
    with pytest.raises(rf.FileError, match="exists already"):
        plane_result.movie(made)
    for name in ("overwrite", "force"):  # two names of the same
        before = made.stat().st_ino
        assert plane_result.movie(made, **{name: True}) == made and made.stat().st_ino != before
    with pytest.raises(rf.FdtdError, match=r"neither \.gif nor \.mp4"):
        plane_result.movie(tmp_path / "waves.avi")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["waves.gif"]


def test_mp4_without_ffmpeg_names_the_remedy(
    plane_result: rf.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(rf.FdtdError, match="ffmpeg"):
        plane_result.movie(tmp_path / "waves.mp4")
