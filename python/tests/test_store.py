"""result.h5 of schema version 2 holds in arrays what version 1 holds in groups, and reads the same."""

import json
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd._fields import FIGURES
from roomfdtd._store import Store, channel_of, text


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result of version 1 with two sources, a cardioid and an ambisonic receiver."""
    scene = rf.Scene(
        rf.Room.box(2.4, 2.0, 1.6, "plasterboard"),
        sources=[rf.Source("left", (0.5, 0.6, 0.7)), rf.Source("right", (1.9, 0.5, 0.8), "cardioid", (0, 1, 0))],
        receivers=[
            (1.2, 1.5, 0.9),
            rf.Receiver("lobe", (1.4, 1.0, 0.8), "cardioid", (1, 0, 0)),
            rf.Receiver("bformat", (1.0, 1.0, 0.8), "ambisonic", order=1),
        ],
        duration=0.3,
        max_frequency=500.0,
        stencil="leggy-2",
    )
    return scene.run(tmp_path_factory.mktemp("run") / "out").path


def _as_second(first: Path, target: Path) -> None:
    """Writes what `first` holds by the layout of version 2."""
    with h5py.File(first) as old, h5py.File(target, "w") as new:
        for name in ("provenance", "sources", "render", "energy", "materials", "room", "raw"):
            old.copy(name, new)
        new.attrs.update({"format": "fdtd result", "schema_version": 2})
        groups = sorted(old["receivers"].items(), key=lambda item: int(item[1].attrs["index"]))
        names = [name.encode() for name, _ in groups]
        new["responses/name"] = np.array(names, dtype=f"S{max(map(len, names))}")
        new["responses/position"] = np.array([group.attrs["position"] for _, group in groups])
        lobes = [group.attrs.get("direction", np.zeros(3)) for _, group in groups]
        new["responses/direction"] = np.array(lobes)
        new["responses/pressure"] = np.stack([group["pressure"][()] for _, group in groups], axis=1)
        new["responses/pressure"].attrs.update(groups[0][1]["pressure"].attrs)
        new["responses/record"] = np.stack([old["raw"][name]["record"][()] for name, _ in groups], axis=1)
        for name, _ in groups:
            del new["raw"][name]
        rows = {(r["source"], r["receiver"]): r for r in json.loads(text(old["metrics"].attrs["json"]))}
        centres = sorted({band["centre"] for row in rows.values() for band in row["bands"]}) + [0.0]
        sources = sorted(old["sources"], key=lambda name: int(old["sources"][name].attrs["index"]))
        shape = (len(sources), len(groups), len(centres))
        tables = {name: np.full(shape, np.nan) for name in FIGURES}
        onset = np.full(shape[:2], np.nan)
        for i, source in enumerate(sources):
            for k, (channel, _) in enumerate(groups):
                owner, _, part = channel.partition(":")
                row = rows.get((source, owner)) if part in ("", "00") else None
                if row is None:
                    continue
                onset[i, k] = row["onset"]
                for band in [*row["bands"], row["broadband"] | {"centre": 0.0}]:
                    for name in FIGURES:
                        value = np.nan if band[name] is None else band[name]
                        tables[name][i, k, centres.index(band["centre"])] = value
        new["metrics/centre"], new["metrics/onset"] = np.array(centres), onset
        for name, table in tables.items():
            new[f"metrics/{name}"] = table


def test_both_layouts_read_alike(first: Path, tmp_path: Path) -> None:
    _as_second(first, tmp_path / "result.h5")
    one, two = Store(first), Store(tmp_path / "result.h5")
    assert two.schema == 2 and one.schema == 1
    assert one.sources == two.sources and one.receivers == two.receivers
    assert one.samples == two.samples and one.sample_rate == two.sample_rate
    assert np.array_equal(one.pressure(one.receivers), two.pressure(two.receivers))
    part = two.pressure(two.receivers[1:2], two.sources[1])
    assert np.array_equal(one.pressure(one.receivers[1:2], one.sources[1]), part)
    assert np.array_equal(one.raw(one.receivers[1], one.sources[1])[0], two.raw(two.receivers[1], two.sources[1])[0])
    ours = {(r["source"], r["receiver"], r["band"]): r for r in two.figures()}
    count = 0
    for row in one.figures():
        other = ours[row["source"], row["receiver"], row["band"]]
        for name in (*FIGURES, "onset"):
            expected = np.nan if row[name] is None else row[name]
            assert expected == other[name] or (np.isnan(expected) and np.isnan(other[name])), (row, name)
            count += 1
    assert count > 200


def test_a_newer_layout_is_refused(first: Path, tmp_path: Path) -> None:
    copy = tmp_path / "result.h5"
    copy.write_bytes(first.read_bytes())
    with h5py.File(copy, "r+") as file:
        file.attrs["schema_version"] = 9
    with pytest.raises(rf.FileError, match="schema version 9"):
        rf.open_result(copy)


def test_more_than_a_thousand_receivers() -> None:
    """One of many reads as it does alone, whichever layout the program chooses."""
    source, how = (0.6, 0.7, 0.9), {"duration": 0.25, "max_frequency": 200.0, "stencil": "leggy-1"}
    how |= {"output": {"sample_rate": 8000}, "above": {"method": "none"}}
    room = rf.Room.box(3, 2.5, 2, "curtain-cotton")
    seats = rf.Receiver.grid("seat", (0.5, 0.5, 1.0), (2.5, 2.0, 1.0), (39, 26, 1))
    many = rf.Scene(room, [source], [seats], **how).run()
    assert len(many.receivers) == 1014 and many.responses.shape == (1, 1014, 2000)
    alone = rf.Scene(room, [source], [many.receiver_positions[700]], **how).run()
    assert many.receivers[700] == "seat_0701"
    assert np.allclose(many.response("seat_0701"), alone.response(), rtol=0, atol=1e-12)
    ours = {row["band"]: row for row in many._store.figures() if row["receiver"] == "seat_0701"}
    compared = 0
    for row in alone._store.figures():
        for name in ("EDT", "C50", "Ts", "G"):
            if row[name] is not None:
                assert ours[row["band"]][name] == pytest.approx(row[name], rel=1e-9)
                compared += 1
    assert compared >= 4


def test_channels_are_known_by_what_their_names_say() -> None:
    assert channel_of("R") == ("R", "R")
    assert channel_of("A:03") == ("A", "A") and channel_of("B:b15") == ("B", "B")
    assert channel_of("M:m01") == ("M", "M:m01") and channel_of("M:m1024") == ("M", "M:m1024")
    assert channel_of("M::v") == ("M", "M::v") and channel_of("M::10") == ("M", "M::10")
    for part in ("R:100", "R:1", "R:b1", "R:m1", "R:m00", "R:m12345678", "R:00:v", "R:m\N{ARABIC-INDIC DIGIT ONE}1"):
        assert channel_of(part) is None, part
    assert channel_of("C:v") is None and channel_of("S:h01") is None and channel_of("S:h15") is None


def test_parts_of_a_measured_source_are_no_sources(first: Path, tmp_path: Path) -> None:
    part = tmp_path / "parts.h5"
    shutil.copy(first, part)
    with h5py.File(part, "r+") as file:
        file.copy("sources/left", "sources/left:h01")
        file["sources/left:h01"].attrs["index"] = 7
    assert rf.open_result(part).sources == rf.open_result(first).sources == ["left", "right"]


def test_microphones_of_an_array_have_figures_of_their_own(first: Path, tmp_path: Path) -> None:
    array = tmp_path / "array.h5"
    shutil.copy(first, array)
    with h5py.File(array, "r+") as file:
        names = {one: file["receivers"][one] for one in file["receivers"] if ":" not in one and one != "lobe"}
        (plain,) = names
        file.move(f"receivers/{plain}", "receivers/device::front")
        rows = json.loads(text(file["metrics"].attrs["json"]))
        for row in rows:
            row["receiver"] = "device::front" if row["receiver"] == plain else row["receiver"]
        file["metrics"].attrs["json"] = json.dumps(rows)
    result = rf.open_result(array)
    assert list(result.places_of_figures()) == ["device::front", "lobe", "bformat"]
    assert "device::front" in {row["receiver"] for row in result._store.figures()}
    pytest.importorskip("matplotlib")
    drawn = result.plot_reverberation(receiver="device")
    assert any(np.isfinite(line.get_ydata()).any() for line in drawn.get_lines())
