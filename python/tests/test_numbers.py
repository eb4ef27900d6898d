"""Numbers and samples that are none: truth values, texts, NaN, each named with its place before anything is computed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd import _engine

NAN, INF = float("nan"), float("inf")
ONES = np.ones((1, 1, 100))
WITH_NAN = np.array([[[1.0] * 99 + [NAN]]])


@pytest.fixture(scope="module")
def result() -> rf.Result:
    return _scene().run()


def _scene(**options: Any) -> rf.Scene:
    how: dict[str, Any] = {"duration": 0.05, "max_frequency": 300.0, "stencil": "leggy-2", "above": {"method": "none"}}
    room = rf.Room.box(2.4, 2.0, 1.6, options.pop("walls", "plasterboard"))
    return rf.Scene(room, [(0.5, 0.6, 0.7)], [(1.2, 1.5, 0.9), (1.8, 1.6, 0.5)], **how, **options)


@pytest.mark.parametrize(
    "signals, words",
    [
        ([1.0, NAN], "signals: sample 1 of signal 0 is not finite"),
        ([np.array([1.0, 2.0, -INF])], "signals: sample 2 of signal 0 is not finite"),
        (np.array([[NAN, 1.0]]), "signals: sample 0 of signal 0 is not finite"),
        ([1j, 2.0], "signal 0: real numbers are needed"),
        (np.array([1j, 2.0]), "signal 0: real numbers are needed"),
        (["a"], "signal 0: real numbers are needed"),
        ([True, 0.5], "signal 0: real numbers are needed"),
        ("abc", "signals: samples are needed, not 'abc'"),
        (None, "signals: samples are needed, not None"),
        ([np.ones((100, 2))], r"signal 0 has the shape \(100, 2\), and a source one channel"),
        ([None], "all sources are silent"),
    ],
)
def test_signals(signals: Any, words: str, result: rf.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(rf.SceneError, match=words):
        result.simulate(signals)
    monkeypatch.setattr(rf.Scene, "run", lambda *given, **options: pytest.fail("a run began"))
    with pytest.raises(rf.SceneError, match=words):
        _scene().simulate(signals)


def test_signals_of_every_shape_of_one_channel(result: rf.Result) -> None:
    sound = np.sin(np.arange(50.0))
    heard = result.simulate(sound)
    for same in ([sound], sound[None], list(sound), [sound[:, None]], (list(sound),), [sound.astype(object)]):
        assert np.array_equal(result.simulate(same), heard)
    assert result.simulate([sound], [0.001]).shape[1] == heard.shape[1] + int(0.001 * result.sample_rate)


@pytest.mark.parametrize("delay, words", [(NAN, r"delays\[0\] is not finite"), ("x", "delays: real numbers"), (-1.0, "negative")])
def test_delays_and_rates(delay: Any, words: str, result: rf.Result) -> None:
    with pytest.raises(rf.SceneError, match=words):
        result.simulate([1.0], [delay])
    with pytest.raises(rf.SceneError, match="rate: a whole number is needed, not nan"):
        _scene().simulate([1.0], rate=NAN)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: rf.losses.decay(WITH_NAN, 8000, [125]), r"losses.decay: sample 99 of target\[0, 0\] is not finite"),
        (lambda: rf.losses.decay(ONES, NAN, [125]), "losses.decay: rate: nan is not a finite number above 0"),
        (lambda: rf.losses.decay(ONES, 8000, [125, INF]), "losses.decay: bands: inf is not a finite number above 0"),
        (lambda: rf.losses.decay(ONES[0, 0], 8000, [125]), r"the target has shape \(100,\)"),
        (lambda: rf.losses.waveform(WITH_NAN, 8000), r"losses.waveform: sample 99 of target\[0, 0\] is not finite"),
        (lambda: rf.losses.waveform(0 * ONES, 8000), "losses.waveform: target: the target is silent"),
        (lambda: rf.losses.spectrum(WITH_NAN, 8000, 100, 400), r"losses.spectrum: sample 99 of target\[0, 0\]"),
        (lambda: rf.losses.spectrum(NAN, 8000, 100, 400), "losses.spectrum: target is not finite"),
        (lambda: rf.losses.clarity([1.0, NAN], 8000, [125, 250]), r"losses.clarity: target\[1\] is not finite"),
        (lambda: rf.losses.reverberation_time(8000, NAN), "losses.reverberation_time: band: nan"),
    ],
)
def test_targets_of_losses(make: Callable[[], object], words: str) -> None:
    with pytest.raises(rf.SceneError, match=words):
        make()


@pytest.mark.skipif(_engine._core is None, reason="a checkout without the extension")
def test_derivatives_and_parameters() -> None:
    model = rf.WallModel(_scene(materials={"felt": rf.Material.admittance(0.1)}, walls="felt"))
    slopes = np.ones((1, 2, int(0.05 * 48000)))
    slopes[0, 1, 7] = NAN
    for given, words in ((slopes, r"slopes: sample 7 of slopes\[0, 1\] is not finite"), (np.ones(3), r"slopes: .*\(3,\), the responses")):
        with pytest.raises(rf.SceneError, match=words):
            model.pulled_back(model.values, given)
    for values, words in (([NAN], "nan of material felt is not above 0"), (["a"], "values: numbers"), ([True], "values: numbers")):
        with pytest.raises(rf.SceneError, match=words):
            model.responses(values)


def test_figures_that_are_none(result: rf.Result) -> None:
    with pytest.raises(rf.SceneError, match="measured: a figure is inf"):
        result.match({"figures": [{"source": "S1", "receiver": "R1", "T20": {"500": INF}}]})
    with pytest.raises(rf.SceneError, match="band: nan is not a finite number above 0"):
        result.decay(band=NAN)
    for wanted in (True, None, 0.5):
        with pytest.raises(rf.FdtdError, match="there is no receiver"):
            result.response(wanted)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "make, place",
    [
        (lambda one: rf.Material(one), "materials"),
        (lambda one: rf.Material.absorption([125, 250], [one, 0.2]), "absorption.alpha"),
        (lambda one: rf.Material.absorption([one, 250], [0.1, 0.2]), "absorption.bands"),
        (lambda one: rf.Material.admittance(one), "admittance"),
        (lambda one: rf.Material.impedance([100, 200], [one, 2.0]), "impedance"),
        (lambda one: rf.Material.porous(10000, one), "porous.thickness"),
        (lambda one: rf.Material.branches([(one, 1.0, 2.0)]), "branches"),
        (lambda one: rf.Material(0.2).scattering(one), "scattering"),
        (lambda one: rf.Room.box(one, 3, 2, rt60=0.4), r"room.box\[0\]"),
        (lambda one: rf.Room.box(4, 3, 2, rt60=one), "rt60"),
        (lambda one: _box(one).check(), r"room.box\[0\]"),
        (lambda one: rf.Room.from_mesh(([[0, 0, one], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), "plasterboard"), "mesh"),
        (lambda one: rf.Source("S", (one, 1, 1)).table(), "source.S.position"),
        (lambda one: rf.Receiver.grid("g", (0, 0, 0), (1, 1, 1), (one, 2, 2)), "receiver.g.grid.count"),
        (lambda one: rf.Receiver.line("g", (0, 0, 0), (1, 1, 1), one), "receiver.g.line.count"),
        (lambda one: rf.Receiver.arc("g", (0, 0, 0), (1, 0, 0), one, 3), "receiver.g.arc.angle"),
        (lambda one: rf.Receiver.at("g", [(one, 1, 1)]), "receiver.g_1.position"),
        (lambda one: rf.Receiver("a", (1, 1, 1), "ambisonic", order=one).table(), "receiver.a.order"),
        (lambda one: rf.Receiver("a", (1, 1, 1), "binaural", rotations=[one]).table(), "receiver.a.rotations"),
        (lambda one: _scene().modes(low=one), "low"),
        (lambda one: _scene().notches(high=one), "high"),
        (lambda one: _scene().fit("a.json", "a.toml", folder="a", spread=one), "spread"),
    ],
)
@pytest.mark.parametrize("one", [True, np.True_, "a"], ids=["bool", "bool of numpy", "text"])
def test_numbers(make: Callable[[Any], object], place: str, one: Any) -> None:
    with pytest.raises(rf.SceneError, match=place + ": "):
        make(one)


def test_none_is_no_number() -> None:
    """numpy takes it for NaN."""
    for make, place in (
        (lambda: rf.Material.absorption([125, 250], [None, 0.2]), "absorption.alpha"),  # type: ignore[list-item]
        (lambda: rf.Material.admittance(None), "admittance"),  # type: ignore[arg-type]
        (lambda: rf.losses.spectrum(0.0, 8000, None, 400), "losses.spectrum: low"),  # type: ignore[arg-type]
    ):
        with pytest.raises(rf.SceneError, match=f"{place}: .*None"):
            make()


def _box(x: Any) -> rf.Scene:
    return rf.Scene(rf.Room.box(x, 2.0, 1.6, "plasterboard"), [(0.5, 0.6, 0.7)], [(0.7, 1.5, 0.9)], duration=0.05, max_frequency=300)


def test_rooms_that_are_none() -> None:
    for room in (None, "room", 3):
        with pytest.raises(rf.SceneError, match=f"room: a room of pyroomacoustics is needed, not {room!r}\n.*ShoeBox"):
            rf.from_pyroomacoustics(room)


def test_whole_numbers() -> None:
    for count in (2.7, NAN):
        with pytest.raises(rf.SceneError, match="receiver.g.line.count: a whole number is needed"):
            rf.Receiver.line("g", (0, 0, 0), (1, 1, 1), count)  # type: ignore[arg-type]
    places = rf.Receiver.grid("g", (0, 0, 0), (1, 1, 1), np.array([2.0, 1.0, 3.0])).places  # type: ignore[arg-type]
    assert places is not None and places["grid"]["count"] == [2, 1, 3]
    with pytest.raises(rf.SceneError, match="branches: each has three numbers"):
        rf.Material.branches([(1.0, 2.0)])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"threads": -1}, "threads: -1 is no whole number from 0 up"),
        ({"threads": "2"}, "threads: a whole number is needed, not '2'"),
        ({"threads": 1.5}, "threads: a whole number is needed, not 1.5"),
        ({"device": 3}, "device: a text is needed, not 3\n  hint: .cpu., "),
        ({"checkpoint_every": 3}, "checkpoint_every: a text is needed, not 3\n  hint: .30s., "),
        ({"max_time": 60}, "max_time: a text is needed, not 60"),
        ({"progress": 3}, "progress: True, False or a function is needed, not 3"),
        ({"output": 3}, "output: a path is needed, not 3"),
        ({"waves": 3}, "waves: a path is needed, not 3"),
        ({"overrides": "a=1"}, "overrides: 'a=1' is one text"),
    ],
)
def test_options_of_a_run_that_are_none(options: dict[str, Any], words: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(rf.SceneError, match=words):
        _scene().run(**options)
    if set(options) <= {"threads", "device", "overrides"}:
        with pytest.raises(rf.SceneError, match=words):
            _scene().plan(**options)
    assert not list(tmp_path.iterdir())  # a number was taken for a folder of that name


def test_folders_and_keys_that_are_none(result: rf.Result, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for call in (result.to_wav, result.to_sofa):
        with pytest.raises(rf.FileError, match="file: no folder can be made there"):
            call(tmp_path / "file")
        with pytest.raises(rf.SceneError, match="folder: a path is needed, not 3"):
            call(3)
    for key in ("", "a..b", ".a", 3):
        with pytest.raises(rf.SceneError, match="is no key of a scene"):
            _scene().replace({key: 1})
    with pytest.raises(rf.SceneError, match="a mapping is needed"):
        _scene().replace(["simulation.duration"])
    for options, words in (({"scene": 3}, "scene: a path is needed"), ({"folder": 3}, "folder: a path"), ({"progress": 3}, "progress: a function")):
        given = {"scene": _scene(), "folder": tmp_path / "sweep", "product": {"air.temperature": [1]}} | options
        with pytest.raises(rf.SceneError, match=words):
            rf.sweep(**given)
    assert not (tmp_path / "sweep").exists()
