"""The CHORAS method of packaging/choras, with a minimal protocol in place of CHORAS' base class, and no network."""

import importlib
import json
import math
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import roomfdtd as rf

pytest.importorskip("pandas")
FOLDER = Path(__file__).resolve().parents[2] / "packaging/choras"
# The kinds of issues and the levels of GEOMETRY_COMPATIBILITY_AND_VALIDATION.md.
KINDS = {
    "duplicate_vertex", "zero_area_face", "non_planar_face", "t_junction", "intersection", "boundary_edge", "possible_hole",
    "small_face", "collinear_face", "overlapping_face",
}  # fmt: skip
SIDES = (4.0, 3.0, 2.5)


class SimulationMethod:
    """As much of choras_simulation_core.SimulationMethod as a method sees."""

    def __init__(self, input_json_path: str | Path | None) -> None:
        if not input_json_path or not Path(input_json_path).exists():
            raise FileNotFoundError(f"Input JSON file not found: {input_json_path}")
        self.input_json_path = input_json_path
        self.sent = False

    def save_results(self) -> bool:
        self.sent = True
        return True


@pytest.fixture(scope="module")
def method() -> Iterator[Any]:
    core, exceptions = types.ModuleType("choras_simulation_core"), types.ModuleType("choras_simulation_core.exceptions")
    for name in ("ConfigurationError", "GeometryError", "ComputationError", "ResourceError"):
        setattr(exceptions, name, type(name, (Exception,), {}))
    core.SimulationMethod, core.exceptions = SimulationMethod, exceptions  # type: ignore[attr-defined]
    sys.modules |= {"choras_simulation_core": core, "choras_simulation_core.exceptions": exceptions}
    sys.path.insert(0, str(FOLDER))
    yield importlib.import_module("fdtd_interface.fdtd_interface")
    sys.path.remove(str(FOLDER))
    for name in [one for one in sys.modules if one.startswith(("choras_simulation_core", "fdtd_interface"))]:
        del sys.modules[name]


def _geometry() -> tuple[list[Any], dict[str, tuple[int, ...]]]:
    corners = [(i * SIDES[0], j * SIDES[1], k * SIDES[2]) for k in (0, 1) for j in (0, 1) for i in (0, 1)]
    faces = {"037fa4d1$floor": (0, 2, 3, 1), "ceiling": (4, 5, 7, 6), "wall1": (0, 1, 5, 4), "wall2": (2, 6, 7, 3),
             "wall3": (0, 4, 6, 2), "wall4": (1, 3, 7, 5)}  # fmt: skip
    return corners, faces


def _geo() -> str:
    corners, faces = _geometry()
    lines = [f"Point({i + 1}) = {{ {x}, {y}, {z}, 1.0 }};" for i, (x, y, z) in enumerate(corners)]
    edges = {(a, b): i + 1 for i, (a, b) in enumerate((a, b) for a in range(8) for b in range(a) if (a ^ b) in (1, 2, 4))}
    lines += [f"Line({i}) = {{ {a + 1}, {b + 1} }};" for (a, b), i in edges.items()]
    for i, (name, face) in enumerate(faces.items(), 1):
        ends = zip(face, (*face[1:], face[0]))
        loop = ", ".join(str(edges[a, b] if (a, b) in edges else -edges[b, a]) for a, b in ends)
        lines += [f"Line Loop({i}) = {{ {loop} }};", f"Plane Surface({i}) = {{ {i} }};", f'Physical Surface("{name}") = {{ {i} }};']
    lines += ["Surface Loop(1) = { 1, 2, 3, 4, 5, 6 };", "Volume(1) = { 1 };", 'Physical Volume("RoomVolume") = { 1 };']
    return "\n".join([*lines, "Mesh.Algorithm = 6;", "Mesh.CharacteristicLengthFromPoints = 1;"]) + "\n"


def _model() -> Any:
    from roomfdtd.models._model import model_of

    corners, faces = _geometry()
    triangles = [one for a, b, c, d in faces.values() for one in ((a, b, c), (a, c, d))]
    return model_of(np.array(corners), triangles, [name for name in faces for _ in range(2)])


@pytest.fixture()
def job(method: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two sources and three receivers; the geometry is a stand-in, which the test with gmsh takes away."""
    (tmp_path / "room.geo").write_text(_geo())
    monkeypatch.setattr(rf, "import_model", lambda path: _model())
    places = [(3.0, 2.0, 1.2), (1.0, 2.2, 1.1), (3.2, 0.8, 0.9)]
    parameters: dict[str, list[float]] = {name: [] for name in ("edt", "t20", "t30", "c80", "d50", "ts", "spl_t0_freq")}
    responses = [{"x": x, "y": y, "z": z, "parameters": parameters, "receiverResults": []} for x, y, z in places]
    sources = [(1.0, 1.0, 1.5), (2.0, 1.7, 1.3)]
    config = {
        "absorption_coefficients": {
            "037fa4d1": "0.1, 0.2, 0.3, 0.4, 0.5", "ceiling": [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 1.2],
            **{f"wall{i}": "0.1, 0.1, 0.1, 0.1, 0.1" for i in (1, 2, 3, 4)},
        },
        "geo_path": "room.geo", "msh_path": "room.msh",
        "simulationSettings": {"sampling_rate": 16000, "fdtd_max_frequency": 150, "fdtd_ir_length": 0.6, "fdtd_rays": 1000, "speed_of_sound": 340,
                               "fdtd_device": "cpu", "fdtd_humidity": None},
        "results": [
            {"sourceX": x, "sourceY": y, "sourceZ": z, "resultType": "FDTD", "percentage": 0,
             "frequencies": [125, 250, 500, 1000, 2000], "responses": responses}
            for x, y, z in sources
        ],
        "should_cancel": False, "task_id": -1,
    }  # fmt: skip
    path = tmp_path / "input.json"
    path.write_text(json.dumps(config))
    return path


def test_all_receivers_of_all_sources_are_filled(method: Any, job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    write = method.FdtdMethod._write

    def spy(self: Any, config: Any) -> None:
        seen.append(config["results"][1]["percentage"])
        write(self, config)

    run = rf.Scene.run

    def steps(self: rf.Scene, folder: Path, progress: Any) -> rf.Result:
        """Reports of two passes, and the run itself, which is too short for any."""
        for label in ("source source_0", "source source_1"):
            for fraction in (0.0, 0.5, 1.0):
                progress(types.SimpleNamespace(label=label, fraction=fraction))
        return run(self, folder)

    monkeypatch.setattr(method.FdtdMethod, "_write", spy)
    monkeypatch.setattr(rf.Scene, "run", steps)
    method.FdtdMethod(job).run_simulation()
    assert seen == [5, 10, 30, 50, 70, 90, 100]  # geometry, time steps, results
    config = json.loads(job.read_text())
    assert config["task_id"] == -1
    for entry in config["results"]:
        assert entry["percentage"] == 100 and entry["frequencies"] == [63, 125, 250, 500, 1000, 2000, 4000]
        for response in entry["responses"]:
            samples = np.array(response["receiverResults"])
            assert samples.shape == (int(0.6 * 16000),)
            # A true impulse response: the direct sound comes at r / c with a sum of 1 / r.
            distance = math.dist([entry[f"source{axis}"] for axis in "XYZ"], [response[axis] for axis in "xyz"])
            onset = np.flatnonzero(np.abs(samples) > 0.2 * np.abs(samples).max())[0] / 16000
            assert onset == pytest.approx(distance / 340, abs=0.0006)
            parameters = response["parameters"]
            assert set(parameters) == {"edt", "t20", "t30", "c80", "d50", "ts", "spl_t0_freq"}
            assert {len(values) for values in parameters.values()} == {7}
            at = entry["frequencies"].index(1000)
            assert 0.2 < parameters["t20"][at] < 1.5 and 30 < parameters["d50"][at] < 100 and 5 < parameters["ts"][at] < 200
            assert 85 < parameters["spl_t0_freq"][at] < 105  # 100 dB of power in 94 m2 of which a quarter absorbs
            assert all(parameters[name][0] is not None for name in ("c80", "d50"))  # 63 Hz
            assert all(parameters[name][6] is not None for name in ("t20", "c80"))  # 4 kHz
    responses = [response["receiverResults"] for entry in config["results"] for response in entry["responses"]]
    assert len({tuple(samples[:200]) for samples in responses}) == 6
    table = np.loadtxt(job.with_name("input_pressure.csv"), delimiter=",", skiprows=1)
    assert table[:, 1].tolist() == responses[0] and table[1, 0] == pytest.approx(1 / 16000)


def test_the_geometry_is_read_by_gmsh(method: Any, job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gmsh = pytest.importorskip("gmsh", reason="no gmsh: `pip install gmsh`")
    monkeypatch.undo()  # the reader itself
    simulation = method.FdtdMethod(job)
    config = json.loads(job.read_text())
    scene = simulation._scene(config)
    areas = rf.import_model(job.with_name("room.geo")).areas()
    assert areas == pytest.approx({"037fa4d1$floor": 12, "ceiling": 12, "wall1": 10, "wall2": 10, "wall3": 7.5, "wall4": 7.5})
    document = scene.document
    floor = document["materials"][document["room"]["walls"]["037fa4d1$floor"]]
    assert floor["absorption"] == {"bands": [125, 250, 500, 1000, 2000], "alpha": [0.1, 0.2, 0.3, 0.4, 0.5]}
    ceiling = document["materials"][document["room"]["walls"]["ceiling"]]
    assert ceiling["absorption"]["bands"][0] == 63 and ceiling["absorption"]["alpha"][-1] == 1.0
    assert floor["scattering"] == 0.1 and document["room"]["seal"] == 0.02
    assert document["air"] == {"temperature": 20, "relative_humidity": 50, "sound_speed": 340}
    texts = config | {"simulationSettings": {key: str(value) for key, value in config["simulationSettings"].items() if value} | {"fdtd_humidity": ""}}
    assert simulation._scene(texts).document == document
    job.with_name("broken.geo").write_text("Point(1) = { 0, 0")
    with pytest.raises(method.exceptions.GeometryError, match="gmsh cannot read it"):
        simulation._scene(config | {"geo_path": "broken.geo"})
    # The mesh of volume, where the geometry is not there.
    gmsh.initialize(interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.open(str(job.with_name("room.geo")))
        gmsh.model.mesh.generate(3)
        gmsh.write(str(job.with_name("room.msh")))
    finally:
        gmsh.finalize()
    job.with_name("room.geo").unlink()
    simulation._scene(config)
    assert rf.import_model(job.with_name("room.msh")).areas() == pytest.approx(areas)


def test_a_run_is_cancelled(method: Any, job: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    config = json.loads(job.read_text())
    config["simulationSettings"] |= {"fdtd_max_frequency": 800, "fdtd_ir_length": 5, "fdtd_above": "none"}
    job.write_text(json.dumps(config))
    progress = method.FdtdMethod._progress

    def cancel(self: Any, percentage: int) -> None:
        progress(self, percentage)
        if percentage == 10:
            job.write_text(json.dumps(json.loads(job.read_text()) | {"should_cancel": True}))

    monkeypatch.setattr(method.FdtdMethod, "_progress", cancel)
    cli = importlib.import_module("fdtd_interface.__cli__")
    monkeypatch.setenv("JSON_PATH", str(job))
    monkeypatch.setattr(SimulationMethod, "save_results", lambda self: pytest.fail("a run without results is sent"))
    # The backend lists a simulation as cancelled by should_cancel, and as failed by the status.
    assert cli.main() == 0 and "cancelled: there are no results" in capsys.readouterr().out
    config = json.loads(job.read_text())
    assert config["should_cancel"] is True and "error" not in config
    assert 10 <= config["results"][0]["percentage"] < 90 and config["results"][0]["responses"][0]["receiverResults"] == []
    assert not job.with_name("input_pressure.csv").exists()


def test_a_run_that_is_cancelled_after_its_last_step_has_no_results(method: Any, job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = rf.Scene.run

    def then_cancelled(self: rf.Scene, folder: Path, progress: Any) -> rf.Result:
        result = run(self, folder)
        job.write_text(json.dumps(json.loads(job.read_text()) | {"should_cancel": True}))
        return result

    monkeypatch.setattr(rf.Scene, "run", then_cancelled)
    simulation = method.FdtdMethod(job)
    simulation.run_simulation()
    config = json.loads(job.read_text())
    assert simulation.cancelled and config["should_cancel"] is True
    assert config["results"][0]["percentage"] == 10 and config["results"][0]["responses"][0]["receiverResults"] == []


def test_errors_are_those_of_choras(method: Any, job: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    cli = importlib.import_module("fdtd_interface.__cli__")

    def failed(change: dict[str, Any]) -> dict[str, str]:
        before = json.loads(job.read_text())
        job.write_text(json.dumps(before | change))
        monkeypatch.setenv("JSON_PATH", str(job))
        assert cli.main() == 1
        error: dict[str, str] = json.loads(job.read_text())["error"]
        job.write_text(json.dumps(before))
        return error

    error = failed({"absorption_coefficients": {"ceiling": "0.1"}})
    assert error["type"] == "ConfigurationError" and "'037fa4d1$floor' has no absorption" in error["message"]
    error = failed({"simulationSettings": {"sampling_rate": 5000}})
    assert error["type"] == "ConfigurationError" and "sampling_rate: 5000 Hz is out of range; write 8000 to 96000 Hz" in error["message"]
    settings = json.loads(job.read_text())["simulationSettings"]
    for change, words in (
        ({"simulationSettings": settings | {"fdtd_max_frequency": "many"}}, "fdtd_max_frequency: 'many' is no number"),
        ({"simulationSettings": settings | {"fdtd_ir_length": math.nan}}, "fdtd_ir_length: nan is no number"),
        ({"simulationSettings": settings | {"fdtd_sound_power": 0}}, "fdtd_sound_power: 0 W is out of range; write 1e-09 to 100 W"),
        ({"absorption_coefficients": None}, "absorption_coefficients of the surfaces are missing"),
        ({"results": [{"frequencies": [125], "responses": [{"x": 1}]}]}, "sourceX: None is no number"),
        ({"results": {"0": 1}}, "no results with responses"),
    ):
        error = failed(change)
        assert error["type"] == "ConfigurationError" and words in error["message"]
    before = job.read_text()
    job.write_text(before[:-2])
    assert cli.main() == 1 and "is no JSON" in capsys.readouterr().err and job.read_text() == before[:-2]
    job.write_text(before)
    error = failed({"geo_path": "none.geo", "msh_path": ""})
    assert error["type"] == "GeometryError" and "none.geo" in error["message"]
    outside = json.loads(job.read_text())["results"]
    outside[0]["sourceX"] = 40.0
    error = failed({"results": outside})
    assert error["type"] == "GeometryError" and "source_0" in error["message"]
    monkeypatch.setenv("JSON_PATH", "")
    with pytest.raises(FileNotFoundError):
        cli.main()


@pytest.mark.parametrize("place, value, words", [
    ("simulationSettings", [1], "simulationSettings: write an object of settings by name"),
    ("simulationSettings.fdtd_max_frequency", 20, "fdtd_max_frequency: 20 Hz is out of range; write 50 to 8000 Hz"),
    ("simulationSettings.fdtd_max_frequency", True, "fdtd_max_frequency: True is no number"),
    ("simulationSettings.fdtd_max_frequncy", 200, "fdtd_max_frequncy: there is no such setting; write fdtd_max_frequency"),
    ("simulationSettings.fdtd_colour", 1, "fdtd_colour: there is no such setting; known: fdtd_above, fdtd_device, "),
    ("simulationSettings.fdtd_above", "rays", "fdtd_above: 'rays' is not known; write one of auto, none"),
    ("simulationSettings.fdtd_device", ["cpu"], "fdtd_device: ['cpu'] is not known; write one of auto, cpu"),
    ("simulationSettings.fdtd_humidity", 120, "fdtd_humidity: 120 % is out of range; write 0 to 100 %"),
    ("simulationSettings.fdtd_scattering", -0.1, "fdtd_scattering: -0.1 is out of range; write 0 to 1"),
    ("simulationSettings.speed_of_sound", 0, "speed_of_sound: 0 m/s is out of range; write 50 to 10000 m/s"),
    ("simulationSettings.sampling_rate", 44100.5, "sampling_rate: 44100.5 is no whole number"),
    ("geo_path", 7, "geo_path, msh_path: write the path of a file as a text"),
    ("results", [], "no results with responses to fill; list each source in results"),
    ("results.1.responses", [], "results[1].responses: there are no receivers; list one or more places x, y, z"),
    ("results.0.responses.1", [1, 2, 3], "results[0].responses[1]: write an object with x, y, z"),
    ("results.0.responses.2.y", None, "results[0].responses[2].y: None is no number"),
    ("results.1.sourceZ", "high", "results[1].sourceZ: 'high' is no number"),
    ("results.1.frequencies", "125", "results[1].frequencies: '125' is no list; write the octaves in Hz"),
    ("results.0.frequencies", [125, -250], "results[0].frequencies: [125, -250]; write each octave once, in Hz"),
    ("results.0.frequencies", [125, 125.0], "results[0].frequencies: [125, 125.0]; write each octave once, in Hz"),
    ("absorption_coefficients", [0.1], "absorption_coefficients of the surfaces are missing"),
    ("absorption_coefficients.wall1", [0.1, math.nan, 0.1, 0.1, 0.1], "absorption coefficients of 'wall1': nan is no number"),
    ("absorption_coefficients.wall1", "0.1, , 0.1", "absorption coefficients of 'wall1': '' is no number"),
    ("absorption_coefficients.wall1", 0.3, "absorption coefficients of 'wall1': 0.3 are no numbers; write one for each octave"),
    ("absorption_coefficients.wall1", "0.1, 0.1", "absorption coefficients of 'wall1': 2 for 5 octaves; write 5, or 5 to 8"),
])  # fmt: skip
def test_an_input_that_is_wrong_is_one_error_of_its_field(method: Any, job: Path, monkeypatch: pytest.MonkeyPatch, place: str, value: Any, words: str) -> None:
    config = json.loads(job.read_text())
    *way, last = place.split(".")
    at = config
    for key in way:
        at = at[int(key) if isinstance(at, list) else key]
    at[int(last) if isinstance(at, list) else last] = value
    job.write_text(json.dumps(config))
    monkeypatch.setenv("JSON_PATH", str(job))
    assert importlib.import_module("fdtd_interface.__cli__").main() == 1
    error = json.loads(job.read_text())["error"]
    assert error["type"] == "ConfigurationError" and words in error["message"]


def test_settings_that_the_program_refuses(method: Any) -> None:
    def made(*places: str) -> Exception:
        problems = [{"place": place, "line": 1, "column": 1, "message": "is wrong", "hint": "mend it"} for place in places]
        found: Exception = method._choras_error(rf.SceneError("problems", problems=problems))
        return found

    error = made("air.sound_speed", "simulation.max_frequency")
    assert type(error).__name__ == "ConfigurationError"
    assert str(error) == "speed_of_sound: is wrong (mend it); fdtd_max_frequency: is wrong (mend it)"
    assert type(made("air.sound_speed", "receiver.receiver_0")).__name__ == "GeometryError"
    assert type(made("room.mesh")).__name__ == type(made()).__name__ == "GeometryError"


def test_a_file_that_cannot_be_written(method: Any, job: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    before = job.read_text()

    def refuse(*given: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.replace", refuse)
    monkeypatch.setenv("JSON_PATH", str(job))
    assert importlib.import_module("fdtd_interface.__cli__").main() == 1
    said = capsys.readouterr().err
    assert said == f"fdtd: {job}: progress and results cannot be written: Permission denied; make the file and its folder writable\n"
    assert job.read_text() == before and not list(job.parent.glob(".*.part"))


def test_notes_are_lines_of_the_log(method: Any, job: Path, capsys: Any) -> None:
    config = json.loads(job.read_text())
    config["absorption_coefficients"]["wall9"] = "0.1, 0.1, 0.1, 0.1, 0.1"
    config["simulationSettings"]["de_c0"] = 343
    job.write_text(json.dumps(config))
    method.FdtdMethod(job).run_simulation()
    lines = capsys.readouterr().out.splitlines()
    assert "fdtd: warning: absorption_coefficients: 'wall9' is no surface of room.geo and has no effect" in lines
    assert "fdtd: warning: simulationSettings: 'de_c0' is no setting of this method and has no effect" in lines
    assert "fdtd: waves are right up to 150 Hz" in lines
    notes = [line for line in lines if line.startswith("fdtd: note: ")]
    assert any("Schroeder frequency" in line for line in notes) and len(set(notes)) == len(notes)


def test_coefficients_that_are_none(method: Any, job: Path, capsys: Any) -> None:
    simulation = method.FdtdMethod(job)
    config = json.loads(job.read_text())
    scene = simulation._scene(config)
    said = capsys.readouterr().out
    assert said == "fdtd: warning: absorption coefficients of 'ceiling': those up to 1.2 become 1\n"
    document = scene.document
    assert document["materials"][document["room"]["walls"]["ceiling"]]["absorption"]["alpha"] == [0.3] * 6 + [1.0]
    for stated in ("-0.1, 0.1, 0.1, 0.1, 0.1", [0.1, 0.1, -0.1, 0.1, 0.1]):
        changed = config | {"absorption_coefficients": config["absorption_coefficients"] | {"ceiling": stated}}
        with pytest.raises(method.exceptions.ConfigurationError, match="absorption coefficients of 'ceiling': -0.1 is negative"):
            simulation._scene(changed)
    settings = config["simulationSettings"]
    assert simulation._scene(config | {"simulationSettings": settings | {"fdtd_rays": 10}}).document["above"]["rays"] == 1000
    assert "fdtd: warning: fdtd_rays: 10 become 1000" in capsys.readouterr().out
    with pytest.raises(method.exceptions.ConfigurationError, match="fdtd_rays: -1 is out of range; write 0 to 10000000"):
        simulation._scene(config | {"simulationSettings": settings | {"fdtd_rays": -1}})


def test_a_finished_run_is_sent(method: Any, job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli = importlib.import_module("fdtd_interface.__cli__")
    made: list[Any] = []
    monkeypatch.setattr(cli.FdtdMethod, "run_simulation", lambda self: made.append(self))
    monkeypatch.setenv("JSON_PATH", str(job))
    assert cli.main() == 0 and made[0].sent


def test_settings_and_rules(method: Any) -> None:
    settings = json.loads((FOLDER / "fdtd_setting.json").read_text())
    assert settings["type"] == "simulationSettings"
    assert {option["id"]: option["default"] for option in settings["options"]} == method.DEFAULTS
    for option in settings["options"]:
        assert option["display"] in ("text", "radio") and option["name"]
        if option["display"] == "text":
            assert option["min"] <= option["default"] <= option["max"]
            assert method.RANGES[option["id"]] == (option["min"], option["max"], option.get("endAdornment", ""))
        else:
            assert option["default"] in option["options"].values()
            assert method.CHOICES[option["id"]] == tuple(option["options"].values())
    rules = json.loads((FOLDER / "geometry_compatibility.json").read_text())
    assert set(rules["issues"]) == KINDS
    levels = [one["compatibility"] for one in rules["issues"].values()]
    assert levels.count("compatible") == 9 and levels.count("warning") == 1
    entry = json.loads((FOLDER / "methods-config-entry.json").read_text())
    assert entry["simulationType"] == rules["method"] and entry["settings"] == "fdtd_setting.json"
    assert entry["containerImage"] in (FOLDER / "Dockerfile").read_text()
