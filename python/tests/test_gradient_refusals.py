"""Refusals of gradients, losses and searches, with place and remedy; the best so far of a search in which a run fails."""

import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd import _engine, _optimise, losses

RATE = 8000.0
inside = pytest.mark.skipif(_engine._core is None, reason="a checkout without the extension")
noise = np.random.default_rng(1).standard_normal((1, 2, 1600)) * np.exp(-np.arange(1600) / 300.0)
silent = np.stack([noise[0, 0], np.zeros(1600)])[None]


def room(walls=None, materials=None, **options):
    return rf.Scene(
        rf.Room.box(2.2, 1.8, 1.5, walls or {"default": "hard", "floor": "carpet"}),
        sources=[(0.5, 0.6, 0.7)],
        receivers=[(1.6, 1.1, 0.9)],
        duration=0.05,
        max_frequency=280,
        output={"sample_rate": 8000},
        above={"method": "none"},
        materials={
            "hard": rf.Material.absorption([125, 250], [0.1, 0.1]),
            "carpet": rf.Material.absorption([125, 250, 500], [0.2, 0.3, 0.4]),
        }
        if materials is None
        else materials,
        **options,
    )


def refused(call, *words):
    """A SceneError whose text has all words; returns its problems' places."""
    with pytest.raises(rf.SceneError) as caught:
        call()
    for word in words:
        assert word in str(caught.value), (word, str(caught.value))
    return [one["place"] for one in caught.value.problems]


REFUSED_LOSSES = {
    "spectrum of a width that is none": (lambda: losses.spectrum(noise, RATE, 50, 200, width=None), "losses.spectrum", "width"),
    "spectrum of a width below 0": (lambda: losses.spectrum(noise, RATE, 50, 200, width=-1.0), "width"),
    "waveform of an endless gain": (lambda: losses.waveform(noise, RATE, gain_db=float("inf")), "gain_db: inf is not finite"),
    "a sum with nan": (lambda: losses.total((float("nan"), losses.waveform(noise, RATE))), "weight 0: nan is not finite"),
    "decay of no octave": (lambda: losses.decay(noise, RATE, []), "losses.decay: bands"),
    "decay at 0 Hz": (lambda: losses.decay(noise, RATE, [0]), "bands: 0.0 is not a finite number above 0"),
    "decay at a text": (lambda: losses.decay(noise, RATE, ["low"]), "losses.decay: bands"),
    "decay above half the rate": (lambda: losses.decay(noise, RATE, [500, 4000]), "octave of 4000 Hz"),
    "decay across half the rate": (lambda: losses.decay(noise, RATE, [3000]), "octave of 3000 Hz"),
    "decay of one row": (lambda: losses.decay(noise[0, 0], RATE, [500]), "(sources, receivers, samples)"),
    "decay of silence": (lambda: losses.decay(silent, RATE, [500]), "losses.decay", "silent"),
    "decay of 0 dB": (lambda: losses.decay(noise, RATE, [500], range_db=0), "range_db"),
    "decay at rate 0": (lambda: losses.decay(noise, 0, [500]), "rate"),
    "decay of nan": (lambda: losses.decay(noise * np.nan, RATE, [500]), "not finite"),
    "spectrum of one row": (lambda: losses.spectrum(noise[0, 0], RATE, 100, 900), "(sources, receivers, samples)"),
    "spectrum of silence": (lambda: losses.spectrum(silent, RATE, 100, 900), "losses.spectrum", "silent"),
    "spectrum above half the rate": (lambda: losses.spectrum(0.0, RATE, 100, 5000), "within half the rate"),
    "spectrum of a band that falls": (lambda: losses.spectrum(0.0, RATE, 900, 100), "no band"),
    "clarity of five targets": (lambda: losses.clarity([1, 2, 3, 4, 5], RATE, [500])(noise), "shape (5,)", "(1, 1, 2)"),
    "clarity above half the rate": (lambda: losses.clarity(1.0, RATE, [8000]), "octave of 8000 Hz"),
    "clarity of no time": (lambda: losses.clarity(1.0, RATE, [500], early=0), "early"),
    "waveform of silence": (lambda: losses.waveform(0 * noise, RATE), "losses.waveform", "silent"),
    "waveform of one row": (lambda: losses.waveform(noise[0, 0], RATE), "(sources, receivers, samples)"),
    "time of a receiver that is none": (
        lambda: losses.reverberation_time(RATE, 500, receiver=9)(noise),
        "receiver",
        "9 is none of 0 to 1",
    ),
    "time of a source below 0": (lambda: losses.reverberation_time(RATE, 500, source=-2), "source"),
    "time above half the rate": (lambda: losses.reverberation_time(RATE, 4000), "octave of 4000 Hz"),
    "spectrum of no width": (lambda: losses.spectrum(0.0, RATE, 100, 900, width=-1), "width"),
    "spectrum from nowhere": (lambda: losses.spectrum(0.0, RATE, None, 900), "losses.spectrum: low", "not None"),
    "spectrum from nan": (lambda: losses.spectrum(0.0, RATE, float("nan"), 900), "losses.spectrum: low: nan", "in Hz"),
    "spectrum of one response": (lambda: losses.spectrum(0.0, RATE, 100, 900)(noise[0, 0]), "(sources, receivers, samples)"),
    "clarity of one response": (lambda: losses.clarity(0.0, RATE, [500])(noise[0, 0]), "(sources, receivers, samples)"),
    "time of one response": (lambda: losses.reverberation_time(RATE, 500)(noise[0, 0]), "(sources, receivers, samples)"),
    "waveform of a text's gain": (lambda: losses.waveform(noise, RATE, gain_db="x"), "gain_db"),
    "a sum of texts' weight": (lambda: losses.total(("x", losses.waveform(noise, RATE))), "weight"),
    "a sum of no pairs": (lambda: losses.total(losses.waveform(noise, RATE)), "losses.total"),
    "decay every second of less": (lambda: losses.decay(noise, RATE, [500], every=1), "every: 1 s is not within the target, 0.2 s"),
    "decay at octaves named twice": (lambda: losses.decay(noise, RATE, [500, 250, 500]), "bands: 500 Hz is named twice"),
    "decay of less than a period": (lambda: losses.decay(noise, RATE, [4]), "bands: the octave of 4 Hz has a period longer"),
    "decay of what overflows": (lambda: losses.decay(noise * 1e200, RATE, [500]), "target: a sample of", "scale"),
    "decay of what vanishes": (lambda: losses.decay(noise * 1e-200, RATE, [500]), "silent: source 0, receiver 0"),
    "decay of responses with nan": (lambda: losses.decay(noise, RATE, [500])(noise * np.nan), "responses[0, 0] is not finite"),
    "spectrum of two widths": (lambda: losses.spectrum(0.0, RATE, 100, 900, width=[1, 2]), "width: a number is needed"),
    "spectrum of a mean by name": (lambda: losses.spectrum(0.0, RATE, 100, 900, mean="no"), "mean: 'no' is neither True"),
    "clarity of nothing": (lambda: losses.clarity([], RATE, [500]), "target has shape (0,)", "give one number"),
    "clarity of three octaves": (lambda: losses.clarity(np.ones((3, 1, 1)), RATE, [500]), "(1, sources, receivers)"),
    "clarity of no sample": (lambda: losses.clarity(1.0, RATE, [500], early=1e-9), "early: 1e-09 s is less than a sample"),
    "clarity in ms": (lambda: losses.clarity(1.0, RATE, [500], early=80)(noise), "end before the late sound", "state seconds"),
    "clarity of less than a period": (lambda: losses.clarity(1.0, RATE, [4], early=0.02)(noise), "octave of 4 Hz"),
    "time of two octaves": (lambda: losses.reverberation_time(RATE, [500, 250]), "band: a number is needed"),
    "waveform of gains": (lambda: losses.waveform(noise, RATE, gain_db=[1, 2]), "gain_db: a number is needed"),
    "waveform of a gain that overflows": (lambda: losses.waveform(noise, RATE, gain_db=1e6), "gain_db: 1e+06 dB a second"),
    "waveform of a list with nan": (lambda: losses.waveform(noise, RATE)((noise * np.nan).tolist()), "is not finite"),
    "a sum of weights": (lambda: losses.total(([1, 2], losses.waveform(noise, RATE))), "weight 0: a number is needed"),
    "a sum of none": (lambda: losses.total((0, losses.waveform(noise, RATE))), "weights: all are 0"),
    "a sum of a number": (lambda: losses.total((1, lambda r: 3.0))(noise), "losses.total: loss 0: it returns no pair"),
    "squares of a text": (lambda: losses.Squares("x", lambda r: r), "losses.Squares: loss: a function of the responses"),
    "a sum of nothing": (lambda: losses.total(), "losses.total"),
}


@pytest.mark.parametrize("name", REFUSED_LOSSES)
def test_losses_refuse_with_a_place(name):
    call, *words = REFUSED_LOSSES[name]
    places = refused(call, *words)
    assert places and places[0].startswith("losses.")


def test_octaves_and_targets_at_the_limits_are_taken():
    losses.decay(noise, RATE, [250, 2000])
    assert losses.waveform(silent, RATE)(silent)[0] == 0.0  # one of two is silent
    assert losses.waveform(noise, RATE)(noise.tolist())[0] == 0.0
    part = losses.waveform(noise, RATE)
    assert losses.total((0, part), (1, part))(2 * noise)[0] == pytest.approx(1.0)  # one part is left out
    losses.decay(noise, RATE, [5], every=0.19)
    assert losses.clarity([[[1.0]], [[2.0]]], RATE, [250, 500], early=0.02)(noise)[0] > 0.0


class KnownRoom:
    """In the extension's place: responses that are linear in two coefficients; a run of a number fails."""

    EngineError = type("EngineError", (Exception,), {})
    by = np.random.default_rng(5).standard_normal((400, 2))
    begin = 0.2, 0.3

    def __init__(self):
        self.runs = 0
        self.fails_at = 0
        self.error: BaseException = RuntimeError()

    def __call__(self, *arguments):
        self.arguments = arguments
        return self

    Gradients = property(lambda self: self)

    def parameters(self):
        return [("carpet", band, value) for band, value in zip((125.0, 250.0), self.begin, strict=True)]

    def tables(self):
        return [("carpet", [125.0, 250.0], list(self.begin))]

    def points(self):
        return [(name, name == "S1", 0.5, 0.6, 0.7) for name in self.arguments[-1]]

    def plan(self, *arguments):
        return '{"stencil": "leggy-1", "grid": [9, 8, 7], "spacing": 0.25, "valid_bandwidth": 280.0}'

    def responses(self, values):
        self.runs += 1
        if self.runs == self.fails_at:
            raise self.error
        return self.by @ values[:2], 400, RATE

    def slopes(self, values, loss, with_map):
        value, slopes = loss(*self.responses(values))
        return value, list(slopes @ self.by) + [0.0] * (len(values) - 2), None


@pytest.fixture
def known(monkeypatch):
    core = KnownRoom()
    monkeypatch.setattr(_engine, "_core", core)
    return core


GOAL = losses.waveform((KnownRoom.by @ [0.5, 0.1])[None, None], RATE)


@pytest.mark.parametrize(
    "residuals, words",
    [
        (np.full(3, np.nan), "residuals[0] is not finite"),
        (np.ones((2, 2)), "not an array of shape (2, 2)"),
        (np.ones(3) * 1j, "real numbers are needed"),
    ],
)
def test_residuals_of_a_loss_of_ones_own_are_checked(known, residuals, words):
    pytest.importorskip("scipy")
    loss = losses.Squares(GOAL, lambda responses: residuals)
    with pytest.raises(rf.SceneError) as caught:
        rf.optimise(room(), loss, ["carpet"], method="least-squares", bounds=(0.01, 0.9))
    assert words in str(caught.value)
    assert not hasattr(caught.value, "best")  # no run has ended


def test_arguments_of_a_model_are_refused_by_their_names(known):
    assert refused(lambda: rf.WallModel(room(), materials="carpet"), "'carpet' is one text", "['carpet']") == ["materials"]
    assert refused(lambda: rf.WallModel(room(), positions="R1"), "'R1' is one text") == ["positions"]
    assert refused(lambda: rf.WallModel(room(), materials=[3]), "texts") == ["materials"]
    assert refused(lambda: rf.WallModel(room(), threads=2.5), "whole number") == ["threads"]
    assert refused(lambda: rf.WallModel(room(), device=3), "a text is needed") == ["device"]
    for call in (rf.gradient, rf.optimise):
        assert refused(lambda call=call: call("room.toml", GOAL), "from_toml") == ["scene"]
    for size in (-1, "much", "8", "0GB", "8 TB", "8gb", "-8GB", " 8GB", "1e-10GB", 0.5, "", float("nan"), True, None, [1], 1e19):
        assert refused(lambda size=size: rf.WallModel(room(), memory=size), "no number of bytes", '"8GB"') == ["memory"]
    for size, number in (("8GB", 8e9), ("1.5 GiB", 1.5 * 2**30), ("500MB", 5e8), (2e9, 2e9), (0, 0), ("300kB", 3e5), (".5KiB", 512), (1234.5, 1234)):
        rf.WallModel(room(), memory=size)
        assert known.arguments[-2] == number
    rf.WallModel(room())
    assert known.arguments[5] is None  # what moves by default the engine says, as in a plan
    assert refused(lambda: room().check(overrides="a=1"), "overrides: 'a=1' is one text") == ["overrides"]


def test_what_a_loss_returns_is_checked(known):
    model = rf.WallModel(room(), ["carpet"])

    def of(loss):
        return refused(lambda: model.gradient(model.values, loss), "loss: ")

    for loss in (
        lambda r: 1.0,
        lambda r: (1.0, r, r),
        lambda r: None,
        lambda r: ("much", r),
        lambda r: (1.0, r + 1j),
        lambda r: (r.sum(axis=-1).repeat(2), r),
        3,
    ):
        assert of(loss) == ["loss"]
    assert "differentiable" in str(pytest.raises(rf.SceneError, model.gradient, model.values, lambda r: 1.0).value)
    assert refused(lambda: model.pulled_back(model.values, np.zeros(3)), "(1, 1, 400)") == ["slopes"]
    assert refused(lambda: model.responses(["a", "b"]), "numbers are needed, not ['a', 'b']") == ["values"]
    found = model.gradient(model.values, lambda r: (np.array([0.5 * (r**2).sum()]), r))
    assert isinstance(found.loss, float)


def test_arguments_of_a_search_are_refused_before_it_begins(known):
    pytest.importorskip("scipy.optimize")
    box = ((0.4, 0.5, 0.7), (0.6, 0.9, 0.7))
    cases = [
        ({"pairs": 2.5}, "pairs", "a whole number is needed, not 2.5"),
        ({"pairs": 0}, "pairs", "0 is no whole number from 1 up"),
        ({"pairs": True}, "pairs", "whole number"),
        ({"progress": 3}, "progress", "a function is needed"),
        ({"positions": ["S1"]}, "positions", "boxes by the names"),
        ({"materials": [], "positions": {}}, "materials", "nothing moves"),
        ({"materials": []}, "materials", "nothing moves"),
        ({"materials": "carpet"}, "materials", "one text"),
        ({"bounds": (0.1, 3.0)}, "bounds", "3 of the absorption of carpet at 125 Hz"),
        ({"bounds": [(0.1, 0.9), (0.1, 1.5)]}, "bounds", "1.5 of the absorption of carpet at 250 Hz"),
        ({"bounds": ("low", "high")}, "bounds", "numbers"),
        ({"bounds": (0.1, float("nan"))}, "bounds", "not finite"),
        ({"positions": {"S1": "here"}}, "positions of S1", "numbers"),
        ({"positions": {"S1": (box[1], box[0])}}, "positions", "two corners"),
        ({"positions": {"S1": ((-0.1, 0.5, 0.7), box[1])}}, "positions", "beyond the room", "(2.2, 1.8, 1.5) m"),
        ({"positions": {"S1": (box[0], (2.3, 0.9, 0.7))}}, "positions", "the box of S1 reaches beyond the room"),
    ]
    for options, place, *words in cases:
        options = {"materials": ["carpet"]} | options
        assert refused(lambda options=options: rf.optimise(room(), GOAL, **options), *words) == [place], options
    assert known.runs == 0
    rf.optimise(room(), GOAL, ["carpet"], positions={"S1": ((0, 0, 0), (2.2, 1.8, 1.5))}, pairs=np.int64(2))
    assert known.runs == 2


def test_the_box_of_a_mesh_in_memory_is_known():
    corners = np.array([[i, j, k] for i in (0.3, 2.5) for j in (-0.2, 1.6) for k in (0, 1.5)])
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = {"shell": (corners, [face for a, b, c, d in sides for face in ((a, b, c), (a, c, d))])}

    def scene(**options):
        room = rf.Room.from_mesh(faces, "concrete", **options)
        return rf.Scene(room, [(1, 1, 1)], [(2, 1, 1)], duration=0.1, max_frequency=200)

    inside = {"R1": ((0.3, -0.2, 0), (2.5, 1.6, 1.5))}
    assert list(_optimise._boxes(scene(), inside)) == ["R1"]
    beyond = {"R1": ((0.2, -0.2, 0), (2.5, 1.6, 1.5))}
    refused(lambda: _optimise._boxes(scene(), beyond), "beyond the room")
    assert list(_optimise._boxes(scene(units="cm"), beyond)) == ["R1"]  # not known without the file's units


@pytest.mark.parametrize("method", ["L-BFGS-B", "least-squares"])
def test_a_run_that_fails_leaves_the_best_so_far(known, method):
    pytest.importorskip("scipy.optimize")

    def search():
        known.runs = 0
        return rf.optimise(room(), GOAL, ["carpet"], method=method, pairs=20)

    whole = search()
    assert len(whole.history) > 6
    known.error, known.fails_at = rf.NumericalError("the energy grows"), 5
    best = search()
    assert best.message == "a run has failed: the energy grows"
    assert best.loss == min(best.history) < best.history[0]
    values = np.array([one.value for one in best.parameters])
    assert GOAL((known.by @ values)[None, None])[0] == pytest.approx(best.loss, rel=1e-9)
    assert best.scene.document["materials"]["carpet"]["absorption"]["alpha"][:2] == pytest.approx(list(values), abs=1e-3)
    for error in (ZeroDivisionError(), KeyboardInterrupt(), rf.Interrupted("Ctrl-C")):
        known.error = error
        with pytest.raises(type(error)) as caught:
            search()
        assert caught.value.best.history == best.history
        assert caught.value.best.parameters == best.parameters
    known.error, known.fails_at = rf.NumericalError("the energy grows"), 1
    with pytest.raises(rf.NumericalError) as caught:
        search()
    assert not hasattr(caught.value, "best")  # there is none


@inside
def test_by_default_what_may_move_moves_and_others_are_refused_by_name():
    materials = {
        "hard": rf.Material.absorption([125, 250], [0.1, 0.1]),
        "rock": rf.Material.porous(5000, 0.1),
        "spare": rf.Material.admittance(0.2),
    }
    scene = room({"default": "hard", "floor": "rock"}, materials)
    assert {one.material for one in rf.WallModel(scene).parameters} == {"hard"}
    refused(lambda: rf.WallModel(scene, ["hard", "rock"]), "rock states neither", 'materials=["hard"]')
    refused(lambda: rf.WallModel(scene, ["spare"]), "spare is on no wall", 'materials=["hard"]')
    refused(lambda: rf.WallModel(scene, ["hard", "hard"]), "hard is named twice", "once")
    library = room("carpet-heavy", {})
    refused(lambda: rf.gradient(library, losses.waveform(noise, RATE)), "no material moves", 'materials=["carpet-heavy"]')
    assert rf.WallModel(library, positions=["R1"]).parameters[0].point == "R1"
    silent_octave = {"hard": rf.Material.absorption([125, 250], [0.1, 0.0])}
    refused(lambda: rf.WallModel(room("hard", silent_octave)), "hard absorbs nothing at 250 Hz", "0.001")


@inside
def test_the_parameters_of_a_material_are_its_octaves_to_the_band_and_its_lowest():
    materials = {"high": rf.Material.absorption([1000, 2000], [0.2, 0.3])}
    model = rf.WallModel(room("high", materials))
    assert [(one.band, one.value) for one in model.parameters] == [(1000.0, 0.2)]


def a_map(count=24):
    position = np.stack(np.meshgrid([0.1, 0.3, 0.5, 0.7], [0.1, 0.3, 0.5], [0.1, 0.3]), axis=-1).reshape(-1, 3)[:count]
    value = np.linspace(-1, 2, count)
    return rf.SensitivityMap(position, np.full(count, 0.04), value, np.arange(count) % 3, ["wall"] * count)


def test_a_map_is_written_or_says_why_not(tmp_path):
    pytest.importorskip("h5py")
    with pytest.raises(rf.FileError, match="there is no folder") as caught:
        a_map().to_hdf5(tmp_path / "none" / "map.h5")
    assert ".part" not in str(caught.value)
    (tmp_path / "folder.h5").mkdir()
    with pytest.raises(rf.FileError, match="folder.h5: cannot be written"):
        a_map().to_hdf5(tmp_path / "folder.h5")
    assert [one.name for one in tmp_path.iterdir()] == ["folder.h5"]


def test_a_map_is_drawn_face_by_face():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    found = a_map()
    figure = found.plot()
    figure.canvas.draw()
    *panels, bar = figure.axes
    assert len(panels) == 6
    drawn = np.concatenate([panel.collections[0].get_array() for panel in panels])
    assert np.array_equal(np.sort(drawn), found.value)  # each face once
    for panel in panels:
        for path in panel.collections[0].get_paths():  # faces as wide as their voxels: they touch
            assert np.ptp(path.vertices, axis=0) == pytest.approx([0.2, 0.2])
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    for i, one in enumerate(boxes):  # ticks and labels of no part run into another
        assert not any(one.overlaps(other) for other in boxes[i + 1 :])
    low, high = bar.get_ylim()
    assert low == -high == -2.0
