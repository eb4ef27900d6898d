"""Sweeps: products, pairs, lists and draws, run by the program; the flat table as CSV, pandas and Parquet."""

import csv
from pathlib import Path

import numpy as np
import pytest
import roomfdtd as rf


def room(**more: object) -> rf.Scene:
    return rf.Scene(
        rf.Room.box(1.6, 1.3, 1.1, {"default": "panel", "floor": "carpet-heavy"}),
        sources=[(0.4, 0.5, 0.6)],
        receivers=[(1.1, 0.8, 0.5), (0.9, 0.9, 0.7)],
        duration=0.1,
        max_frequency=400.0,
        stencil="leggy-2",
        materials={"panel": rf.Material.admittance(0.05)},
        **more,
    )


def test_a_product_is_what_the_runs_are_alone(tmp_path: Path) -> None:
    begun: list[tuple[int, int]] = []
    made = rf.sweep(
        room(),
        tmp_path / "out",
        product={"room.walls.floor": ["carpet-heavy", "linoleum"], "materials.panel": [rf.Material.admittance(0.1)]},
        jobs=1,
        progress=lambda *at: begun.append(at),
    )
    assert begun == [(1, 2), (2, 2)] and made.keys == ["room.walls.floor", "materials.panel"]
    assert [run["room.walls.floor"] for run in made.runs] == ["carpet-heavy", "linoleum"] and not made.failures
    values = {"room.walls.floor": "linoleum", "materials.panel": rf.Material.admittance(0.1)}
    alone = room().replace(values).run()
    assert np.array_equal(made.result(2).responses, alone.responses)
    stamp = (tmp_path / "out/001/result.h5").stat().st_mtime_ns
    again = rf.sweep(room(), tmp_path / "out", product={key: made_of(made, key) for key in made.keys})
    assert (tmp_path / "out/001/result.h5").stat().st_mtime_ns == stamp and again.keys == made.keys
    assert [path.name for path in Path().glob(".scene-*")] == []


def made_of(made: rf.Sweep, key: str) -> list[object]:
    return [rf.Material.admittance(0.1)] if key == "materials.panel" else [run[key] for run in made.runs]


def test_pairs_lists_and_draws_as_one_flat_table(tmp_path: Path) -> None:
    made = rf.sweep(
        room(),
        tmp_path / "out",
        paired={"room.box": [(1.6, 1.3, 1.1), (1.7, 1.4, 1.1)], "simulation.stencil": ["leggy-2", "leggy-3"]},
        listed=[{"receiver.R1.position": (1.1, 0.8, 0.5)}],
        drawn={"materials.panel.admittance": "uniform(0.04, 0.06)"},
        runs=2,
        seed=7,
    )
    assert len(made.runs) == 4 and (made.result(3).plan.stencil, made.result(1).plan.stencil) == (
        "leggy-3/taylor",
        "leggy-2/taylor",
    )
    drawn = [float(run["materials.panel.admittance"]) for run in made.runs]
    assert drawn[0] == drawn[2] != drawn[1] == drawn[3] and 0.04 <= min(drawn) and max(drawn) <= 0.06
    with (tmp_path / "out/sweep.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    pytest.importorskip("pandas")
    frame = made.table()
    assert len(frame) == len(rows) > 8
    assert frame.attrs["units"]["EDT"] == "s" and frame.attrs["units"]["G"] == "dB"
    assert frame["materials.panel.admittance"].dtype == float and frame["band"].dtype == float
    assert frame["room.box"][0] == "[1.6, 1.3, 1.1]" and set(frame["receiver"]) == {"R1", "R2"}
    own = made.result(2).metrics().loc[("S1", "R1")]["C80"]
    ours = frame[(frame.run == 2) & (frame.receiver == "R1") & (frame.band > 0)].set_index("band")["C80"]
    assert np.allclose(ours, own.loc[ours.index], rtol=1e-5, equal_nan=True) and ours.notna().any()
    pytest.importorskip("pyarrow")
    import pandas as pd

    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "out/sweep.parquet"), frame, check_dtype=False)
    assert rf.open_sweep(tmp_path / "out").to_parquet(tmp_path / "own.parquet").stat().st_size > 1000


def test_a_run_that_fails_is_a_row(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/002").write_text("in the way of the second run")
    made = rf.sweep(room(), tmp_path / "out", product={"simulation.stencil": ["leggy-2", "leggy-3", "leggy-1"]})
    assert [run["status"] for run in made.runs] == [0, 5, 0]
    (failed,) = made.failures
    assert failed["simulation.stencil"] == "leggy-3" and "002" in failed["error"]
    html = made._repr_html_()
    assert html.count("<tr>") == 4 + 1 + 3 and "<td>leggy-3</td><td>5</td>" in html and "002" in html
    pytest.importorskip("pandas")
    frame = made.table()
    assert len(frame[frame.run == 2]) == 1 and np.isnan(frame[frame.run == 2]["C50"].iloc[0])


def test_a_mesh_in_memory(tmp_path: Path) -> None:
    corners = np.array([(x, y, z) for z in (0, 1.1) for y in (0, 1.3) for x in (0, 1.6)])
    sides = [(0, 1, 3), (0, 3, 2), (4, 5, 7), (4, 7, 6), (0, 1, 5), (0, 5, 4)]
    sides += [(2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 3, 7), (1, 7, 5)]
    how = {"duration": 0.02, "max_frequency": 400.0}
    mesh = rf.Room.from_mesh((corners, np.array(sides)), "carpet-heavy")
    scene = rf.Scene(mesh, [(0.4, 0.5, 0.6)], [(1.1, 0.8, 0.5)], **how)
    made = rf.sweep(scene, tmp_path / "out", product={"simulation.stencil": ["leggy-1", "leggy-2"]})
    assert [made.result(n).plan.stencil for n in (1, 2)] == ["leggy-1/taylor", "leggy-2/taylor"]


def test_mistakes_leave_nothing_behind(tmp_path: Path) -> None:
    place = tmp_path / "out"
    with pytest.raises(rf.SceneError, match=r"run 002 .*concret"):
        rf.sweep(room(), place, product={"room.walls.floor": ["carpet-heavy", "concret"]})
    with pytest.raises(rf.SceneError, match="is one value"):
        rf.sweep(room(), place, product={"room.walls.floor": "carpet-heavy"})
    with pytest.raises(rf.SceneError, match="3 values, but the lists before have 2"):
        rf.sweep(room(), place, paired={"air.temperature": [1, 2], "air.pressure": [1, 2, 3]})
    with pytest.raises(rf.SceneError, match="no distribution cauchy"):
        rf.sweep(room(), place, drawn={"air.temperature": "cauchy(1, 2)"}, runs=2)
    with pytest.raises(rf.SceneError, match="row 2 has the keys air.pressure"):
        rf.sweep(room(), place, listed=[{"air.temperature": 20}, {"air.pressure": 100}])
    with pytest.raises(rf.SceneError, match="holds no values"):
        rf.sweep(room(), place, listed=[])
    with pytest.raises(rf.FdtdError, match="product"):
        rf.sweep(room(), place)
    with pytest.raises(rf.FileError, match="no sweep that has ended"):
        rf.open_sweep(place)
    assert not place.exists()
    (tmp_path / "sweep.csv").write_text("a,b\n1,2\n")
    with pytest.raises(rf.FileError, match="not the table of a sweep"):
        rf.open_sweep(tmp_path)


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_what_progress_raises_ends_the_sweep(error: type[BaseException], tmp_path: Path) -> None:
    def fail(number: int, count: int) -> None:
        raise error

    values = {"air.temperature": [20, 21]}
    with pytest.raises(rf.Interrupted if error is KeyboardInterrupt else error):  # Ctrl-C
        rf.sweep(room(), tmp_path / "out", product=values, jobs=1, progress=fail)
    assert not (tmp_path / "out/sweep.csv").exists()
    made = rf.sweep(room(), tmp_path / "out", product=values)  # what is missing
    assert [run["status"] for run in made.runs] == [0, 0]
