"""A simulation of CHORAS by fdtd: its JSON file is read, run, and extended by progress and results.

All sources and receivers are computed in one run. A response is convolved with the free-field pressure at 1 m to give the
pressure at the receiver: a direct sound over r metres is a pulse of sum 1/r, and sample 0 is the emission.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import roomfdtd as rf
from choras_simulation_core import SimulationMethod, exceptions

OCTAVES = (63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0)
REPORTED = OCTAVES[:7]  # besides those that CHORAS asks for
# Figures of CHORAS: that of roomfdtd, and its factor.
FIGURES = {"edt": ("EDT", 1.0), "t20": ("T20", 1.0), "t30": ("T30", 1.0), "c80": ("C80", 1.0), "d50": ("D50", 100.0),
           "ts": ("Ts", 1000.0)}  # fmt: skip
_BANDS = {5: OCTAVES[1:6], 6: OCTAVES[1:7], 7: OCTAVES[:7], 8: OCTAVES}  # of so many coefficients
DEFAULTS: dict[str, Any] = {
    "fdtd_max_frequency": 500.0,
    "fdtd_above": "auto",
    "fdtd_rays": 0,
    "fdtd_ir_length": 0.0,
    "sampling_rate": 44100,
    "fdtd_temperature": 20.0,
    "fdtd_humidity": 50.0,
    "fdtd_scattering": 0.1,
    "fdtd_seal": 0.02,
    "fdtd_sound_power": 0.01,
    "fdtd_device": "auto",
}


LEAST_RAYS = 1000


class Cancelled(Exception):
    """CHORAS has asked to stop."""


class FdtdMethod(SimulationMethod):
    """The method "FDTD"."""

    def __init__(self, input_json_path: str | Path | None = None) -> None:
        super().__init__(input_json_path)
        self.cancelled = False
        self._percentage = -1

    def run_simulation(self) -> None:
        """Run all sources and receivers of the JSON file, and write their responses and figures into it.

        Where CHORAS asks to stop, `cancelled` is True afterwards: the file has no results and keeps ``should_cancel``, by
        which the backend lists the simulation as cancelled.
        """
        config = self._read()
        try:
            scene = self._scene(config)
            self._progress(5)
            with tempfile.TemporaryDirectory(prefix="fdtd-") as folder:
                passes = int(scene.plan()["passes"])
                seen: list[str] = []

                def progress(now: rf.Progress) -> None:
                    if not seen or seen[-1] != now.label:
                        seen.append(now.label)
                    self._progress(10 + int(80 * min((len(seen) - 1 + now.fraction) / passes, 1.0)))

                self._progress(10)
                result = scene.run(Path(folder) / "out", progress=progress)
                self._write_results(result, config)
        except Cancelled:
            self.cancelled = True
            print("fdtd: cancelled: there are no results")
        except rf.FdtdError as error:
            raise _choras_error(error) from error

    def write_error(self, error: Exception) -> None:
        """Put an error into the JSON file, where CHORAS looks for it."""
        try:
            config = json.loads(Path(self.input_json_path).read_text(encoding="utf-8"))
        except ValueError:  # no JSON: it stays as it is
            return
        if isinstance(config, dict):
            self._write(config | {"error": {"type": type(error).__name__, "message": str(error)}})

    # The scene

    def _scene(self, config: Mapping[str, Any]) -> rf.Scene:
        settings = _settings(config)
        rate = int(settings["sampling_rate"])
        if rate < 8000:
            raise exceptions.ConfigurationError(f"sampling_rate: {rate} Hz; 8000 Hz or more are needed")
        air: rf.Air = {"temperature": settings["fdtd_temperature"], "relative_humidity": settings["fdtd_humidity"]}
        if "speed_of_sound" in settings:
            air["sound_speed"] = settings["speed_of_sound"]
        above: rf.Above = {"method": settings["fdtd_above"]}
        rays = int(settings["fdtd_rays"])
        if rays < 0:
            raise exceptions.ConfigurationError(f"fdtd_rays: {rays} is negative; 0 takes as many as the figures need")
        if rays > 0 and above["method"] != "none":
            above["rays"] = max(rays, LEAST_RAYS)
            if rays < LEAST_RAYS:
                _warn(f"fdtd_rays: {rays} become {LEAST_RAYS}")
        length = settings["fdtd_ir_length"]
        return rf.Scene(
            self._room(config, settings),
            [rf.Source(f"source_{i}", place) for i, place in enumerate(_sources(config))],
            [rf.Receiver(f"receiver_{i}", place) for i, place in enumerate(_receivers(config))],
            duration=length if length > 0 else "auto",
            max_frequency=settings["fdtd_max_frequency"],
            air=air,
            above=above,
            device=settings["fdtd_device"],
            output={"sample_rate": rate},
        )

    def _room(self, config: Mapping[str, Any], settings: Mapping[str, Any]) -> rf.Room:
        """The surfaces of the geometry by their physical groups, with absorption and scattering."""
        paths = [config[key] for key in ("geo_path", "msh_path") if config.get(key)]
        files = [Path(self.input_json_path).parent / path for path in paths]  # an absolute path stays as it is
        file = next((one for one in files if one.exists()), None)
        if file is None:
            raise exceptions.GeometryError(f"there is no geometry: {', '.join(map(str, files)) or 'geo_path is missing'}")
        try:
            model = rf.import_model(file)
        except rf.FdtdError as error:
            raise exceptions.GeometryError(str(error)) from error
        asked = [_number("frequencies", band) for band in config["results"][0].get("frequencies") or OCTAVES[1:6]]
        stated = config.get("absorption_coefficients")
        if not isinstance(stated, dict):
            raise exceptions.ConfigurationError("absorption_coefficients of the surfaces are missing")
        walls = {}
        for name in model.names:
            key = name if name in stated else name.split("$")[0]
            if key not in stated:
                raise exceptions.ConfigurationError(f"surface {name!r} has no absorption coefficients: assign a material")
            walls[name] = _material(key, stated[key], asked).scattering(settings["fdtd_scattering"])
        seal = settings["fdtd_seal"]
        return model.room(walls, seal=seal if seal > 0 else None)

    # The results

    def _write_results(self, result: rf.Result, config: Mapping[str, Any]) -> None:
        rate = result.sample_rate
        power = 10 * math.log10(_settings(config)["fdtd_sound_power"] / 1e-12)
        table = result.metrics()
        receivers = {place: i for i, place in enumerate(_receivers(config))}
        responses = result.rir()
        latest = self._read()
        if latest.get("should_cancel") is True:
            raise Cancelled
        for i, entry in enumerate(latest["results"]):
            bands = sorted({*map(float, entry.get("frequencies") or ()), *REPORTED})
            bands = [band for band in bands if band * math.sqrt(2) <= rate / 2]
            entry["frequencies"] = [int(band) if band == int(band) else band for band in bands]
            for response in entry["responses"]:
                j = receivers[_place(response, "x", "y", "z")]
                response["receiverResults"] = responses[j][i].tolist()
                response["parameters"] = _parameters(table, f"source_{i}", f"receiver_{j}", bands, power)
            entry["percentage"] = 100
        self._write(latest)
        first = latest["results"][0]["responses"][0]["receiverResults"]
        lines = ["t,pressure", *(f"{n / rate!r},{sample!r}" for n, sample in enumerate(first))]
        Path(str(self.input_json_path).removesuffix(".json") + "_pressure.csv").write_text("\n".join(lines) + "\n")

    # The file

    def _read(self) -> dict[str, Any]:
        try:
            config = json.loads(Path(self.input_json_path).read_text(encoding="utf-8"))
        except ValueError as error:
            raise exceptions.ConfigurationError(f"{self.input_json_path} is no JSON: {error}") from error
        results = config.get("results") if isinstance(config, dict) else None
        if not isinstance(results, list) or not results or not all(isinstance(one, dict) and one.get("responses") for one in results):
            raise exceptions.ConfigurationError("the JSON file has no results with responses to fill")
        return config

    def _write(self, config: Mapping[str, Any]) -> None:
        """As a whole: CHORAS reads the file at any time."""
        path = Path(self.input_json_path)
        aside = path.with_name(f".{path.name}.part")
        aside.write_text(json.dumps(config, indent=4), encoding="utf-8")
        os.replace(aside, path)

    def _progress(self, percentage: int) -> None:
        """Write a percentage that is new; raises Cancelled where CHORAS asks to stop."""
        if percentage == self._percentage:
            return
        self._percentage = percentage
        config = self._read()
        if config.get("should_cancel") is True:
            raise Cancelled
        for entry in config["results"]:
            entry["percentage"] = percentage
        self._write(config)


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise exceptions.ConfigurationError(f"{name}: {value!r} is no number")
    return number


def _settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the file, else the defaults: texts, and numbers that are finite."""
    stated = config.get("simulationSettings") or {}
    settings = DEFAULTS | {key: value for key, value in stated.items() if value is not None and value != ""}
    for key in [*DEFAULTS, "speed_of_sound"]:
        if key in settings:
            settings[key] = str(settings[key]) if isinstance(DEFAULTS.get(key), str) else _number(key, settings[key])
    if settings["fdtd_sound_power"] <= 0:
        raise exceptions.ConfigurationError("fdtd_sound_power: more than 0 W are needed")
    return settings


def _place(table: Mapping[str, Any], *keys: str) -> tuple[float, float, float]:
    x, y, z = (_number(key, table.get(key)) for key in keys)
    return x, y, z


def _sources(config: Mapping[str, Any]) -> list[tuple[float, float, float]]:
    return [_place(entry, "sourceX", "sourceY", "sourceZ") for entry in config["results"]]


def _receivers(config: Mapping[str, Any]) -> list[tuple[float, float, float]]:
    """Each place once: CHORAS lists the receivers again for each source."""
    found = [_place(response, "x", "y", "z") for entry in config["results"] for response in entry["responses"]]
    return list(dict.fromkeys(found))


def _material(name: str, stated: Any, asked: Sequence[float]) -> rf.Material:
    """Coefficients of the octaves that are asked for, or of the octaves that so many coefficients stand for."""
    try:
        words = stated.split(",") if isinstance(stated, str) else stated
        alpha = [float(word) for word in words]
    except (TypeError, ValueError) as error:
        raise exceptions.ConfigurationError(f"absorption coefficients of {name!r}: {stated!r} are no numbers") from error
    bands = list(asked) if len(asked) == len(alpha) else list(_BANDS.get(len(alpha), ()))
    if not bands or not all(math.isfinite(value) for value in alpha):
        raise exceptions.ConfigurationError(f"absorption coefficients of {name!r}: {len(alpha)} for {len(asked)} octaves")
    if min(alpha) < 0.0:
        raise exceptions.ConfigurationError(f"absorption coefficients of {name!r}: {min(alpha):g} is negative; 0 to 1 are needed")
    if max(alpha) > 1.0:  # as reverberation rooms measure them
        _warn(f"absorption coefficients of {name!r}: those up to {max(alpha):g} become 1")
    kept = [min(value, 1.0) for value in alpha]
    return rf.Material.absorption(bands, kept) if any(kept) else rf.Material.rigid()


def _warn(text: str) -> None:
    """CHORAS' backend logs what its container prints; its JSON file has a place for errors alone."""
    print(f"fdtd: warning: {text}", flush=True)


def _parameters(table: Any, source: str, receiver: str, bands: Sequence[float], power: float) -> dict[str, list[float | None]]:
    """Figures by octave, None where a response does not give one; levels of a source of `power` dB re 1 pW."""
    rows = table.loc[(source, receiver)]

    def value(band: float, figure: str) -> float | None:
        found = float(rows.loc[band, figure]) if band in rows.index else math.nan
        return found if math.isfinite(found) else None

    made: dict[str, list[float | None]] = {}
    for key, (figure, factor) in FIGURES.items():
        made[key] = [None if (one := value(band, figure)) is None else one * factor for band in bands]
    # G is the level less that of the same source at 10 m in free field (ISO 3382-1, A.2.1).
    made["spl_t0_freq"] = [None if (one := value(band, "G")) is None else one + power - 31.0 for band in bands]
    return made


def _choras_error(error: rf.FdtdError) -> Exception:
    kinds = {
        rf.SceneError: exceptions.GeometryError,
        rf.ResourceError: exceptions.ResourceError,
        rf.NumericalError: exceptions.ComputationError,
    }
    return next((made(str(error)) for kind, made in kinds.items() if isinstance(error, kind)), error)
