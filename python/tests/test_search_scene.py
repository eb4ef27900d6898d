"""The scene that a search hands back: its plain run has the responses of the search."""

import warnings

import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd import _engine, losses

inside = pytest.mark.skipif(_engine._core is None, reason="a checkout without the extension")
CLOSE = {"f64": 1e-9, "f32": 1e-4}  # of the largest sample


def room(precision="f64", **options):
    walls = {"default": "plaster", "floor": "carpet", "x_min": "panel", "ceiling": "carpet-heavy"}
    materials = {
        "plaster": rf.Material.absorption([125, 250, 500], [0.05, 0.08, 0.1]).scattering(0.2),
        "carpet": rf.Material.absorption([125, 250, 500], [0.2, 0.3, 0.5]),
        "panel": rf.Material.admittance(0.1),
        "carpet-heavy": rf.Material.library("carpet-heavy"),
    }
    return rf.Scene(
        rf.Room.box(2.2, 1.8, 1.5, walls),
        sources=[(0.52, 0.63, 0.71)],
        receivers=[(1.62, 1.13, 0.94)],
        duration=0.1,
        max_frequency=280,
        precision=precision,
        output={"sample_rate": 8000},
        above={"method": "none"},
        materials=materials,
        **options,
    )


def energy(responses):
    return 0.5 * float((responses**2).sum()), responses


def distance(found, wanted):
    return np.abs(found - wanted).max() / np.abs(wanted).max()


@inside
@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_the_scene_at_any_values_runs_as_the_model(precision, tmp_path):
    model = rf.WallModel(room(precision).replace({"simulation.wall_error": 2.0}), positions=["S1", "R1"])  # one grid
    values = model.values * np.resize([1.7, 0.6, 1.2], len(model.values))
    values[-6:] = model.values[-6:] + [0.1, -0.05, 0.02, -0.1, 0.05, 0.03]
    scene = model.scene_at(values)
    wanted = model.responses(values)
    assert distance(scene.run(tmp_path / "moved").responses, wanted) < CLOSE[precision]
    carpet, plaster = (scene.document["materials"][name] for name in ("carpet", "plaster"))
    assert carpet["absorption"] == {"bands": [125.0, 250.0, 500.0], "alpha": [*values[2:4], 0.5]}  # 500 Hz does not move
    assert plaster["scattering"] == 0.2
    assert scene.document["materials"]["panel"]["admittance"] == values[4]
    again = rf.WallModel(scene, positions=["S1", "R1"])
    assert again.values == pytest.approx(values, rel=1e-15)
    assert distance(again.responses(values), wanted) < CLOSE[precision]


@inside
def test_the_walls_of_a_scene_that_states_smooth_laws_are_those_of_its_model(tmp_path):
    scene = room()
    smooth = {f"materials.{name}.law": "smooth" for name in scene.document["materials"]}
    model = rf.WallModel(scene)
    assert distance(scene.replace(smooth).run(tmp_path / "smooth").responses, model.responses(model.values)) < 1e-9
    fewest = distance(scene.run(tmp_path / "fewest").responses, model.responses(model.values))
    assert fewest > 0.01  # other laws of the same coefficients


@inside
@pytest.mark.parametrize("method", ["L-BFGS-B", "least-squares"])
def test_a_search_hands_back_the_scene_of_its_loss(method, tmp_path):
    pytest.importorskip("scipy.optimize")
    target = rf.WallModel(room(), ["carpet", "panel"])
    loss = losses.waveform(target.responses([0.35, 0.2, 0.05]), 8000.0)
    boxes = {"R1": ((1.5, 1.1, 0.9), (1.7, 1.2, 1.0))} if method == "L-BFGS-B" else None
    best = rf.optimise(room(), loss, ["carpet", "panel"], positions=boxes, method=method, pairs=4)
    assert best.loss < 0.5 * best.history[0]
    heard = best.scene.run(tmp_path / "best").responses
    assert loss(heard)[0] == pytest.approx(best.loss, rel=1e-6, abs=1e-15)
    at = rf.WallModel(room(), ["carpet", "panel"], positions=list(boxes or []))
    assert distance(heard, at.responses([one.value for one in best.parameters])) < 1e-9


def prism(materials, **options):
    """Of an oblique wall, or a box."""
    walls = {"default": "first", "floor": "second", "x_min": "third"}
    floor = [(0, 0), (2.2, 0), (2.2, 1.2), (1.4, 1.8), (0, 1.8)]
    corners = [(x, y, z) for z in (0.0, 1.5) for x, y in floor]
    faces = [face for i in (1, 2, 3) for face in ((0, i + 1, i), (5, 5 + i, 6 + i))]
    faces += [face for i in range(5) for face in ((i, (i + 1) % 5, 5 + (i + 1) % 5), (i, 5 + (i + 1) % 5, 5 + i))]
    names = ["second", "first"] * 3 + ["third"] * 10
    mesh = rf.Room.from_mesh((np.array(corners), faces), {name: name for name in materials}, face_materials=names)
    room = mesh if options.pop("mesh") else rf.Room.box(2.2, 1.8, 1.5, walls)
    how = {"duration": 0.2, "max_frequency": 280, "output": {"sample_rate": 8000}, "above": {"method": "none"}}
    return rf.Scene(room, [(0.52, 0.63, 0.71)], [(1.22, 1.13, 0.94)], materials=materials, **how, **options)


ENDS = [  # of the coefficients that a search may set
    ([1e-12, 1.0], [1.0, 1e-12], 1e6),
    ([1.0, 1.0], [0.5, 1e-12], 1e-30),
    ([0.02, 0.9], [0.9, 0.02], 1.0),
]


@inside
@pytest.mark.parametrize("precision", ["f64", "f32"])
@pytest.mark.parametrize("mesh", [False, True])
@pytest.mark.parametrize("first, second, third", ENDS)
def test_runs_at_the_ends_of_all_coefficients_keep_their_energy_balance(first, second, third, mesh, precision, tmp_path):
    h5py = pytest.importorskip("h5py")
    materials = {name: rf.Material.absorption([125, 250], alpha) for name, alpha in (("first", first), ("second", second))}
    materials["third"] = rf.Material.admittance(third)
    scene = prism({name: one.smooth() for name, one in materials.items()}, mesh=mesh, precision=precision)
    scene.run(tmp_path / "ends", threads=1)
    with h5py.File(tmp_path / "ends" / "result.h5") as file:
        error = np.abs(file["energy/S1/balance_error"][()]).max()
    assert error < {"f64": 1e-11, "f32": 1e-4}[precision]


class KnownPlans:
    """In the extension's place: responses linear in an admittance, and a plan that follows it."""

    EngineError = type("EngineError", (Exception,), {})
    by = np.random.default_rng(3).standard_normal((400, 1))

    def __init__(self):
        self.coarser_above = 0.3
        self.band_alone = False
        self.fails = None
        self.plans = []

    def parameters(self):
        return [("panel", 0.0, 0.1)]

    def tables(self):
        return [("panel", [0.0], [0.1])]

    def points(self):
        return []

    def responses(self, values):
        return self.by @ values, 400, 8000.0

    def slopes(self, values, loss, with_map):
        value, slopes = loss(*self.responses(values))
        return value, list(slopes @ self.by), None

    def plan(self, text, name, overrides, device, threads):
        panel = rf.Scene.parse(text, check=False).document["materials"]["panel"]
        assert panel["law"] == "smooth"  # whose grid may be another than that of the scene as it is stated
        self.plans.append((device, threads))
        if panel["admittance"] > self.coarser_above:
            if self.fails is not None:
                raise self.fails
            if self.band_alone:
                return '{"stencil": "leggy-3", "grid": [22, 18, 15], "spacing": 0.1, "valid_bandwidth": 312.5}'
            return '{"stencil": "compact-2", "grid": [12, 10, 8], "spacing": 0.1875, "valid_bandwidth": 280.0}'
        return '{"stencil": "leggy-3", "grid": [22, 18, 15], "spacing": 0.1, "valid_bandwidth": 280.0}'

    Gradients = property(lambda self: lambda *_: self)


@pytest.fixture
def plans(monkeypatch):
    pytest.importorskip("scipy.optimize")
    core = KnownPlans()
    monkeypatch.setattr(_engine, "_core", core)
    return core


def search_to(value, scene=None, **options):
    loss = losses.waveform((KnownPlans.by @ [value])[None, None], 8000.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        best = rf.optimise(scene or room(), loss, ["panel"], **options)
    assert best.parameters[0].value == pytest.approx(value, rel=0.01)
    assert all(one.category is UserWarning and one.filename == __file__ for one in caught)
    return [str(one.message) for one in caught]


@pytest.mark.parametrize("method", ["L-BFGS-B", "least-squares"])
def test_a_search_warns_where_a_run_of_its_scene_takes_another_grid(plans, method):
    assert search_to(0.2, method=method) == []
    (note,) = search_to(0.5, method=method, device="cpu", threads=2)
    assert "compact-2 with a spacing of 187.5 mm to 280 Hz, than the search, leggy-3 with a spacing of 100 mm to 280 Hz" in note
    fixed = 'state stencil = "leggy-3", wall_error = 2 and, in the place of max_frequency, grid_spacing = 0.1 in the scene'
    assert fixed in note
    assert plans.plans[-2:] == [("cpu", 2)] * 2
    plans.band_alone = True
    (note,) = search_to(0.5, method=method)
    assert "leggy-3 with a spacing of 100 mm to 312.5 Hz, than the search, leggy-3 with a spacing of 100 mm to 280 Hz" in note


def test_a_search_whose_scene_has_no_plan_says_so(plans):
    plans.fails = plans.EngineError(3, "no memory for it", "", "[]")
    assert search_to(0.5) == ["rf.optimise: the scene found has no plan, and no run: no memory for it"]
    plans.fails = KeyboardInterrupt()
    loss = losses.waveform((KnownPlans.by @ [0.5])[None, None], 8000.0)
    with pytest.raises(KeyboardInterrupt) as caught:
        rf.optimise(room(), loss, ["panel"])
    assert caught.value.best.parameters[0].value == pytest.approx(0.5, rel=0.01)


@inside
def test_the_remedy_of_another_grid_keeps_the_grid_of_the_search(tmp_path):
    """In a room where "auto" takes a coarser stencil for absorbing walls."""
    pytest.importorskip("scipy.optimize")
    scene = rf.Scene(
        rf.Room.box(3.1, 2.6, 2.2, {"default": "wall"}),
        [(0.52, 0.63, 0.71)],
        [(1.62, 1.13, 0.94)],
        duration=0.1,
        max_frequency=280,
        precision="f64",
        output={"sample_rate": 8000},
        above={"method": "none"},
        materials={"wall": rf.Material.absorption([125, 250], [0.3, 0.3])},
    )

    def search(scene):
        model = rf.WallModel(scene)
        loss = losses.waveform(model.responses([0.6, 0.6]), 8000.0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            best = rf.optimise(scene, loss, pairs=8)
        return best, loss, [str(one.message) for one in caught]

    best, _, (note,) = search(scene)
    plans = [one.plan() for one in (scene, best.scene)]
    assert plans[0].stencil != plans[1].stencil and plans[0].grid != plans[1].grid
    for plan in plans:
        assert f"{plan.stencil} with a spacing of {1000 * plan.spacing:.4g} mm" in note
    stencil, spacing = note.partition('state stencil = "')[2].split('"')[0], note.partition("grid_spacing = ")[2].split()[0]
    stated = {"simulation.stencil": stencil, "simulation.max_frequency": None, "simulation.grid_spacing": float(spacing)}
    fixed = scene.replace(stated)
    assert fixed.plan().grid == plans[0].grid
    best, loss, (note,) = search(fixed)
    assert best.scene.plan().grid == plans[0].grid and "another grid or band" in note  # absorbing walls hold further up
    best, loss, notes = search(fixed.replace({"simulation.wall_error": 2}))
    assert notes == [] and best.scene.plan().grid == plans[0].grid
    assert loss(best.scene.run(tmp_path / "best").responses)[0] == pytest.approx(best.loss, rel=1e-6, abs=1e-15)
