"""Rooms of pyroomacoustics as scenes: image sources of a rigid box, polygons, patterns, and what is named instead."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import roomfdtd as rf
from numpy.typing import NDArray

pra = pytest.importorskip("pyroomacoustics")
RATE, LIMIT = 16000, 400.0


@pytest.fixture(autouse=True)
def _constants() -> Any:
    before = {name: pra.constants.get(name) for name in ("c", "rir_hpf_enable")}
    yield
    for name, value in before.items():
        pra.constants.set(name, value)


def _shoebox(**options: Any) -> Any:
    room = pra.ShoeBox([5.1, 4.0, 3.0], fs=RATE, **options)
    room.add_source([1.2, 1.5, 1.4], signal=np.random.default_rng(1).normal(size=400))
    room.add_source([2.3, 0.7, 0.8], signal=np.random.default_rng(2).normal(size=300), delay=0.01)
    room.add_microphone_array(np.array([[3.8, 2.6, 1.2], [1.4, 2.9, 0.9], [0.5, 1.6, 1.6]]).T)
    return room


def _band(response: NDArray[np.float64], seconds: float) -> NDArray[np.float64]:
    samples = int(RATE * seconds)
    faded = response[:samples] * np.minimum(1.0, np.arange(samples, 0, -1) / 300)
    frequencies = np.fft.rfftfreq(8192, 1 / RATE)
    window = np.clip((0.9 * LIMIT - frequencies) / 150, 0, 1) * np.clip((frequencies - 60) / 60, 0, 1)
    return np.asarray(np.fft.irfft(np.fft.rfft(faded, 8192) * window)[:samples])


def test_a_rigid_shoebox_equals_its_image_sources() -> None:
    pra.constants.set("rir_hpf_enable", False)
    room = _shoebox(max_order=16)
    room.simulate()
    with pytest.warns(UserWarning, match="max_order = 16.*Result.simulate"):
        scene = rf.from_pyroomacoustics(
            room, duration=0.06, max_frequency=LIMIT, dispersion_error=0.0025, stencil="leggy-4", precision="f64",
            above={"method": "none"}, output={"sample_rate": RATE, "low_cut": 0.0},
        )  # fmt: skip
    result = scene.run()
    ours, delay = result.rir(), pra.constants.get("frac_delay_length") // 2
    assert len(ours) == 3 and len(ours[0]) == 2 and result.sample_rate == RATE
    for of_room, of_scene in zip(room.rir, ours):
        for images, waves in zip(of_room, of_scene):
            exact, found = _band(images[delay:], 0.06), _band(waves, 0.06)
            # The figures of docs/notebooks/image-sources.md.
            for end, bound in ((0.02, 0.03), (0.04, 0.06)):
                n = int(end * RATE)
                assert np.linalg.norm(found[:n] - exact[:n]) < bound * np.linalg.norm(exact[:n])
    # Microphones record the same mixture of the same responses.
    responses = np.swapaxes(result.responses, 0, 1)
    heard = result.simulate([source.signal for source in room.sources], [source.delay for source in room.sources])
    for m in range(3):
        wanted = np.convolve(responses[m, 0], room.sources[0].signal)
        late = np.convolve(responses[m, 1], room.sources[1].signal)
        mixed = np.zeros(heard.shape[1])
        mixed[: len(wanted)] += wanted
        mixed[160 : 160 + len(late)] += late
        np.testing.assert_allclose(heard[m], mixed, atol=1e-9 * np.abs(mixed).max())
    with pytest.raises(rf.SceneError, match="signals: 1 for 2 sources"):
        result.simulate([None])


def test_materials_and_air_are_carried(recwarn: pytest.WarningsRecorder) -> None:
    walls = {name: pra.Material(0.2) for name in ("west", "south", "north", "ceiling")}
    walls["east"] = pra.Material("rough_concrete", scattering=0.1)
    walls["floor"] = pra.Material(0.0)
    room = _shoebox(materials=walls, temperature=25, humidity=40, air_absorption=True, ray_tracing=True)
    for source in room.sources:
        source.signal = None
    document = rf.from_pyroomacoustics(room, max_frequency=300).document
    assert not recwarn.list
    assert document["room"]["box"] == [5.1, 4.0, 3.0]
    named = document["room"]["walls"]
    east, floor = (document["materials"][named[wall]] for wall in ("x_max", "z_min"))
    octaves = [125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0]
    assert east["absorption"]["bands"] == octaves and east["absorption"]["alpha"][:3] == [0.02, 0.03, 0.03]
    assert east["scattering"] == 0.1 and floor == {"rigid": True}
    assert document["materials"][named["x_min"]]["absorption"]["alpha"] == [0.2] * 7
    assert document["air"]["temperature"] == 25 and document["air"]["relative_humidity"] == 40
    assert document["air"]["absorption"] is True and document["air"]["sound_speed"] == pytest.approx(room.c)
    assert document["output"] == {"sample_rate": RATE}
    assert [source["name"] for source in document["source"]] == ["source_0", "source_1"]
    assert document["receiver"][2] == {"name": "mic_2", "position": pytest.approx([0.5, 1.6, 1.6])}


def test_a_polygon_room_keeps_area_and_volume() -> None:
    corners = np.array([[0, 0], [0, 3], [5, 3], [5, 1], [3, 1], [3, 0]]).T  # an L, clockwise
    room = pra.Room.from_corners(corners, fs=8000, materials=pra.Material("rough_concrete"), ray_tracing=True)
    room.extrude(2.5, materials={"floor": pra.Material(0.3), "ceiling": pra.Material(0.5)})
    room.add_source([1, 1, 1])
    room.add_microphone([4, 2, 1.2])
    scene = rf.from_pyroomacoustics(room, max_frequency=200, stencil="leggy-2", above={"method": "none"})
    plan = scene.plan()
    assert plan["mesh"]["open_edges"] == 0
    surface = scene._surface
    assert surface is not None
    a, b, c = (surface.vertices[surface.faces[:, i]] for i in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(13 * 2.5, rel=1e-9)  # all face outwards
    areas = {one["name"]: one["area"] for one in plan["mesh"]["materials"]}
    assert areas["floor"] == pytest.approx(13, rel=1e-9) and areas["ceiling"] == pytest.approx(13, rel=1e-9)
    assert sum(areas.values()) == pytest.approx(26 + 16 * 2.5, rel=1e-9)
    named = scene.document["room"]["walls"]
    assert scene.document["materials"][named["floor"]]["absorption"]["alpha"][0] == 0.3
    # A room of many facets: those of one material share a name.
    room.walls = [wall for _ in range(9) for wall in room.walls]
    assert len(rf.from_pyroomacoustics(room).document["room"]["walls"]) == 3


def test_patterns_and_what_is_named() -> None:
    room = pra.ShoeBox([3, 2.5, 2.2], fs=8000, materials=pra.Material(0.2), max_order=-1, ray_tracing=True, sigma2_awgn=1e-3)
    room.add_source([1, 1, 1], directivity=pra.directivities.Cardioid([0, 1, 0], gain=0.5))
    room.add_microphone([2, 1.5, 1], directivity=pra.directivities.FigureEight([0, 0, 1]))
    room.add_microphone([2, 1.5, 1.5], directivity=pra.directivities.SubCardioid([1, 0, 0]))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        document = rf.from_pyroomacoustics(room).document
    (note,) = (str(one.message) for one in caught)
    assert "gain 0.5 of source_0" in note and "0.75 + 0.25 cos of mic_1: it is subcardioid, 0.7" in note
    assert "sigma2_awgn = 0.001" in note and "mic_0" not in note and "max_order" not in note
    assert document["source"][0]["pattern"] == "cardioid" and document["source"][0]["direction"] == pytest.approx([0, 1, 0])
    assert document["receiver"][0]["pattern"] == "figure-eight" and document["receiver"][1]["direction"] == pytest.approx([1, 0, 0])


def test_a_measured_source_becomes_a_sofa_file(tmp_path: Path) -> None:
    pytest.importorskip("sofar")
    measured = pytest.importorskip("pyroomacoustics.directivities.measured")
    grid = pra.doa.GridSphere(n_points=400)
    front = np.asarray(grid.cartesian[0])
    pulses = np.zeros((400, 64))
    pulses[:, 0] = 0.6 + 0.4 * front  # a subcardioid to +x
    turn = pra.directivities.Rotation3D([90], "z")
    directivity = measured.MeasuredDirectivity(turn, grid, pulses, 8000)
    room = pra.ShoeBox([3, 2.5, 2.2], fs=8000, materials=pra.Material(0.2), ray_tracing=True)
    room.add_source([1, 1, 1], directivity=directivity)
    room.add_microphone([2, 1.5, 1])
    with pytest.warns(UserWarning, match="measured directivity of source_0: `folder`"):
        rf.from_pyroomacoustics(room)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene = rf.from_pyroomacoustics(
            room, folder=tmp_path, max_frequency=200, stencil="leggy-2", above={"method": "none"}
        )
    source = scene.document["source"][0]
    assert source["direction"] == pytest.approx([0, 1, 0], abs=1e-9) and source["directivity"] == "source_0.sofa"
    assert (tmp_path / "source_0.sofa").exists() and scene.plan()["nodes"] > 0


def test_rooms_that_are_no_scenes() -> None:
    flat = pra.Room.from_corners(np.array([[0, 0], [3, 0], [3, 2]]).T)
    with pytest.raises(rf.SceneError, match="two dimensions.*\n.*extrude"):
        rf.from_pyroomacoustics(flat)
    with pytest.raises(rf.SceneError, match="no sources"):
        rf.from_pyroomacoustics(pra.ShoeBox([3, 2, 2]))
    with pytest.raises(rf.SceneError, match="no walls"):
        rf.from_pyroomacoustics(pra.AnechoicRoom(3))


def test_the_page_runs_as_it_stands(root: Path) -> None:
    page = (root / "docs/how-to/pyroomacoustics.md").read_text(encoding="utf-8")
    _, _, rest = page.partition("```python\n")
    piece = rest.partition("```")[0]
    assert "max_frequency=500" in piece
    names: dict[str, Any] = {}
    with pytest.warns(UserWarning, match="does not have the signals of sources in it"):
        exec(piece.replace("max_frequency=500", "max_frequency=150, duration=0.2, stencil='leggy-1'"), names)
    assert len(names["rir"]) == 2 and names["heard"].shape == (2, 1600 + 16000 + len(names["rir"][0][0]) - 1)


def test_values_that_no_scene_has_are_those_of_the_room() -> None:
    def made(fs: float, **options: Any) -> rf.Scene:
        room = pra.ShoeBox([3, 2.5, 2.2], fs=fs, materials=pra.Material(0.2), ray_tracing=True)
        room.add_source([1, 1, 1])
        room.add_microphone([2, 1, 1])
        return rf.from_pyroomacoustics(room, max_frequency=200, stencil=options.pop("stencil", "leggy-2"), **options)

    with pytest.raises(rf.SceneError, match=r"^room.fs: must be between 8000 and 384000 Hz, not 4000\n  hint: output=") as caught:
        made(4000)
    assert [problem["place"] for problem in caught.value.problems] == ["room.fs"]
    # The remedy works; arguments of the call have their own names.
    assert made(4000, output={"sample_rate": 8000}).document["output"] == {"sample_rate": 8000}
    with pytest.raises(rf.SceneError, match=r"^output.sample_rate: must be between"):
        made(16000, output={"sample_rate": 4000})
    with pytest.raises(rf.SceneError, match='simulation.stencil: there is no stencil "x"') as caught:
        made(16000, stencil="x")
    assert "scene.toml" not in str(caught.value)
    with pytest.raises(rf.SceneError, match="room.fs: a whole number is needed, not 8000.5"):
        made(8000.5)
