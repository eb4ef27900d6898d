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


class Cancelled(Exception):
    """CHORAS has asked to stop."""


class FdtdMethod(SimulationMethod):
    """The method "FDTD"."""

    def __init__(self, input_json_path: str | Path | None = None) -> None:
        super().__init__(input_json_path)
        self._percentage = -1

    def run_simulation(self) -> None:
        """Run all sources and receivers of the JSON file, and write their responses and figures into it."""
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
            print("fdtd: cancelled")
        except rf.FdtdError as error:
            raise _choras_error(error) from error

    def write_error(self, error: Exception) -> None:
        """Put an error into the JSON file, where CHORAS looks for it."""
        config = self._read()
        config["error"] = {"type": type(error).__name__, "message": str(error)}
        self._write(config)

    # The scene

    def _scene(self, config: Mapping[str, Any]) -> rf.Scene:
        settings = DEFAULTS | {key: value for key, value in config.get("simulationSettings", {}).items() if value is not None}
        rate = int(settings["sampling_rate"])
        if rate < 8000:
            raise exceptions.ConfigurationError(f"sampling_rate: {rate} Hz; 8000 Hz or more are needed")
        air: rf.Air = {"temperature": float(settings["fdtd_temperature"]), "relative_humidity": float(settings["fdtd_humidity"])}
        if "speed_of_sound" in settings:
            air["sound_speed"] = float(settings["speed_of_sound"])
        above: rf.Above = {"method": str(settings["fdtd_above"])}
        if int(settings["fdtd_rays"]) > 0 and above["method"] != "none":
            above["rays"] = max(int(settings["fdtd_rays"]), 1000)
        length = float(settings["fdtd_ir_length"])
        return rf.Scene(
            self._room(config, settings),
            [rf.Source(f"source_{i}", place) for i, place in enumerate(_sources(config))],
            [rf.Receiver(f"receiver_{i}", place) for i, place in enumerate(_receivers(config))],
            duration=length if length > 0 else "auto",
            max_frequency=float(settings["fdtd_max_frequency"]),
            air=air,
            above=above,
            device=str(settings["fdtd_device"]),
            output={"sample_rate": rate},
        )

    def _room(self, config: Mapping[str, Any], settings: Mapping[str, Any]) -> rf.Room:
        """The surfaces of the geometry by their physical groups, with absorption and scattering."""
        paths = [config[key] for key in ("geo_path", "msh_path") if config.get(key)]
        files = [Path(self.input_json_path).parent / path for path in paths]  # an absolute path stays as it is
        file = next((one for one in files if one.exists()), None)
        if file is None:
            raise exceptions.GeometryError(f"there is no geometry: {', '.join(map(str, files)) or 'geo_path is missing'}")
        model = rf.import_model(file)
        asked = [float(band) for band in config["results"][0].get("frequencies", OCTAVES[1:6])]
        walls = {}
        for name in model.names:
            stated = config["absorption_coefficients"]
            key = name if name in stated else name.split("$")[0]
            if key not in stated:
                raise exceptions.ConfigurationError(f"surface {name!r} has no absorption coefficients: assign a material")
            walls[name] = _material(key, stated[key], asked).scattering(float(settings["fdtd_scattering"]))
        seal = float(settings["fdtd_seal"])
        return model.room(walls, seal=seal if seal > 0 else None)

    # The results

    def _write_results(self, result: rf.Result, config: Mapping[str, Any]) -> None:
        rate = result.sample_rate
        settings = DEFAULTS | dict(config.get("simulationSettings", {}))
        power = 10 * math.log10(float(settings["fdtd_sound_power"]) / 1e-12)
        table = result.metrics()
        receivers = {place: i for i, place in enumerate(_receivers(config))}
        responses = result.rir()
        latest = self._read()
        for i, entry in enumerate(latest["results"]):
            bands = sorted({*map(float, entry.get("frequencies", ())), *REPORTED})
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
        config = json.loads(Path(self.input_json_path).read_text(encoding="utf-8"))
        if not isinstance(config, dict) or not config.get("results"):
            raise exceptions.ConfigurationError("the JSON file has no results to fill")
        return config

    def _write(self, config: Mapping[str, Any]) -> None:
        """As a whole: CHORAS reads the file at any time."""
        path = Path(self.input_json_path)
        aside = path.with_name(f".{path.name}.part")
        aside.write_text(json.dumps(config, indent=4, allow_nan=False), encoding="utf-8")
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


def _place(table: Mapping[str, Any], *keys: str) -> tuple[float, float, float]:
    x, y, z = (float(table[key]) for key in keys)
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
    kept = [min(max(value, 0.0), 1.0) for value in alpha]
    return rf.Material.absorption(bands, kept) if any(kept) else rf.Material.rigid()


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
