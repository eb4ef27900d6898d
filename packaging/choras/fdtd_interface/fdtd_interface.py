"""A simulation of CHORAS by fdtd: its JSON file is read, run, and extended by progress and results.

All sources and receivers are computed in one run. A response is convolved with the free-field pressure at 1 m to give the
pressure at the receiver: a direct sound over r metres is a pulse of sum 1/r, and sample 0 is the emission.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import roomfdtd as rf
from choras_simulation_core import SimulationMethod, exceptions

from .settings import CHOICES, DEFAULTS, RANGES, number, read_settings, warn

__all__ = ["CHOICES", "DEFAULTS", "RANGES", "FdtdMethod"]

OCTAVES = (63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0)
REPORTED = OCTAVES[:7]  # besides those that CHORAS asks for
# Figures of CHORAS: that of roomfdtd, and its factor.
FIGURES = {"edt": ("EDT", 1.0), "t20": ("T20", 1.0), "t30": ("T30", 1.0), "c80": ("C80", 1.0), "d50": ("D50", 100.0),
           "ts": ("Ts", 1000.0)}  # fmt: skip
_BANDS = {5: OCTAVES[1:6], 6: OCTAVES[1:7], 7: OCTAVES[:7], 8: OCTAVES}  # of so many coefficients


class Cancelled(Exception):
    """CHORAS has asked to stop."""


class FdtdMethod(SimulationMethod):
    """The method "FDTD"."""

    def __init__(self, input_json_path: str | Path | None = None) -> None:
        super().__init__(input_json_path)
        self.cancelled = False
        self._percentage = -1
        self._power = 0.0  # dB re 1 pW
        self._said: set[str] = set()

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
                plan = scene.plan()
                passes = int(plan["passes"])
                print(f"fdtd: waves are right up to {plan['valid_bandwidth']:.4g} Hz", flush=True)
                self._note(plan.get("warnings", []))
                seen: list[str] = []

                def progress(now: rf.Progress) -> None:
                    if not seen or seen[-1] != now.label:
                        seen.append(now.label)
                    self._progress(10 + int(80 * min((len(seen) - 1 + now.fraction) / passes, 1.0)))

                self._progress(10)
                result = scene.run(Path(folder) / "out", progress=progress)
                self._note(result.remarks)
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
        except (OSError, ValueError):  # no JSON: it stays as it is
            return
        if isinstance(config, dict):
            try:
                self._write(config | {"error": {"type": type(error).__name__, "message": str(error)}})
            except exceptions.ResourceError:  # the log has the error
                return

    # The scene

    def _scene(self, config: Mapping[str, Any]) -> rf.Scene:
        settings = read_settings(config)
        self._power = 10 * math.log10(settings["fdtd_sound_power"] / 1e-12)
        air: rf.Air = {"temperature": settings["fdtd_temperature"], "relative_humidity": settings["fdtd_humidity"]}
        if "speed_of_sound" in settings:
            air["sound_speed"] = settings["speed_of_sound"]
        above: rf.Above = {"method": settings["fdtd_above"]}
        if settings["fdtd_rays"] > 0 and above["method"] != "none":
            above["rays"] = settings["fdtd_rays"]
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
            output={"sample_rate": settings["sampling_rate"]},
        )

    def _room(self, config: Mapping[str, Any], settings: Mapping[str, Any]) -> rf.Room:
        """The surfaces of the geometry by their physical groups, with absorption and scattering."""
        paths = [config[key] for key in ("geo_path", "msh_path") if config.get(key)]
        if not all(isinstance(path, str) for path in paths):
            raise exceptions.ConfigurationError("geo_path, msh_path: write the path of a file as a text")
        files = [Path(self.input_json_path).parent / path for path in paths]  # an absolute path stays as it is
        file = next((one for one in files if one.is_file()), None)
        if file is None:
            raise exceptions.GeometryError(f"there is no geometry: {', '.join(map(str, files)) or 'geo_path is missing'}")
        try:
            model = rf.import_model(file)
        except rf.FdtdError as error:
            raise exceptions.GeometryError(str(error)) from error
        self._note(model.notes)
        asked = [_octaves(f"results[{i}].frequencies", entry.get("frequencies")) for i, entry in enumerate(config["results"])][0]
        stated = config.get("absorption_coefficients")
        if not isinstance(stated, dict):
            raise exceptions.ConfigurationError("absorption_coefficients of the surfaces are missing")
        walls = {}
        for name in model.names:
            key = name if name in stated else name.split("$")[0]
            if key not in stated:
                raise exceptions.ConfigurationError(f"surface {name!r} has no absorption coefficients: assign a material")
            walls[name] = _material(key, stated[key], asked).scattering(settings["fdtd_scattering"])
        known = {name.split("$")[0] for name in model.names} | set(model.names)
        for key in sorted(set(stated) - known):
            warn(f"absorption_coefficients: {key!r} is no surface of {file.name} and has no effect")
        seal = settings["fdtd_seal"]
        return model.room(walls, seal=seal if seal > 0 else None)

    # The results

    def _write_results(self, result: rf.Result, config: Mapping[str, Any]) -> None:
        rate = result.sample_rate
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
                j = receivers[_place("responses", response, "x", "y", "z")]
                response["receiverResults"] = responses[j][i].tolist()
                response["parameters"] = _parameters(table, f"source_{i}", f"receiver_{j}", bands, self._power)
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
        if not isinstance(results, list) or not results or not all(isinstance(one, dict) for one in results):
            raise exceptions.ConfigurationError("the JSON file has no results with responses to fill; list each source in results")
        for i, entry in enumerate(results):
            if not isinstance(entry.get("responses"), list) or not entry["responses"]:
                raise exceptions.ConfigurationError(f"results[{i}].responses: there are no receivers; list one or more places x, y, z")
        return config

    def _write(self, config: Mapping[str, Any]) -> None:
        """As a whole: CHORAS reads the file at any time."""
        path = Path(self.input_json_path)
        aside = path.with_name(f".{path.name}.part")
        try:
            aside.write_text(json.dumps(config, indent=4), encoding="utf-8")
            os.replace(aside, path)
        except OSError as error:
            with contextlib.suppress(OSError):
                aside.unlink(missing_ok=True)
            raise exceptions.ResourceError(
                f"{path}: progress and results cannot be written: {error.strerror}; make the file and its folder writable"
            ) from error

    def _note(self, notes: Sequence[str]) -> None:
        """Sentences on the plan or the responses, each once, where CHORAS shows them: in the log."""
        for note in notes:
            if note not in self._said:
                self._said.add(note)
                print(f"fdtd: note: {note}", flush=True)

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


def _place(where: str, table: Any, *keys: str) -> tuple[float, float, float]:
    if not isinstance(table, dict):
        raise exceptions.ConfigurationError(f"{where}: write an object with {', '.join(keys)}")
    x, y, z = (number(f"{where}.{key}", table.get(key)) for key in keys)
    return x, y, z


def _sources(config: Mapping[str, Any]) -> list[tuple[float, float, float]]:
    return [_place(f"results[{i}]", entry, "sourceX", "sourceY", "sourceZ") for i, entry in enumerate(config["results"])]


def _receivers(config: Mapping[str, Any]) -> list[tuple[float, float, float]]:
    """Each place once: CHORAS lists the receivers again for each source."""
    found = [
        _place(f"results[{i}].responses[{j}]", response, "x", "y", "z")
        for i, entry in enumerate(config["results"])
        for j, response in enumerate(entry["responses"])
    ]
    return list(dict.fromkeys(found))


def _octaves(where: str, stated: Any) -> list[float]:
    """The octaves that CHORAS asks for, as they are listed."""
    if not stated:
        return list(OCTAVES[1:6])
    if not isinstance(stated, list):
        raise exceptions.ConfigurationError(f"{where}: {stated!r} is no list; write the octaves in Hz, [125, 250, 500]")
    bands = [number(where, band) for band in stated]
    if min(bands) <= 0 or len(set(bands)) < len(bands):
        raise exceptions.ConfigurationError(f"{where}: {stated!r}; write each octave once, in Hz")
    return bands


def _material(name: str, stated: Any, asked: Sequence[float]) -> rf.Material:
    """Coefficients of the octaves that are asked for, or of the octaves that so many coefficients stand for."""
    what = f"absorption coefficients of {name!r}"
    if not isinstance(stated, str | list):
        raise exceptions.ConfigurationError(f"{what}: {stated!r} are no numbers; write one for each octave")
    words = [word.strip() for word in stated.split(",")] if isinstance(stated, str) else stated
    alpha = [number(what, word) for word in words]
    bands = list(asked) if len(asked) == len(alpha) else list(_BANDS.get(len(alpha), ()))
    if not bands:
        raise exceptions.ConfigurationError(f"{what}: {len(alpha)} for {len(asked)} octaves; write {len(asked)}, or 5 to 8")
    if min(alpha) < 0.0:
        raise exceptions.ConfigurationError(f"{what}: {min(alpha):g} is negative; 0 to 1 are needed")
    if max(alpha) > 1.0:  # as reverberation rooms measure them
        warn(f"{what}: those up to {max(alpha):g} become 1")
    if not any(alpha):
        return rf.Material.rigid()
    pairs = sorted(zip(bands, (min(value, 1.0) for value in alpha)))
    return rf.Material.absorption([band for band, _ in pairs], [value for _, value in pairs])


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


# Places of a scene that follow from a setting; all else of it is the geometry and what stands in it.
_SETTINGS = {
    "simulation.max_frequency": "fdtd_max_frequency", "simulation.duration": "fdtd_ir_length", "simulation.device": "fdtd_device",
    "above": "fdtd_above", "air.temperature": "fdtd_temperature", "air.relative_humidity": "fdtd_humidity",
    "air.sound_speed": "speed_of_sound", "output.sample_rate": "sampling_rate", "room.seal": "fdtd_seal",
    "materials": "absorption_coefficients",
}  # fmt: skip


def _choras_error(error: rf.FdtdError) -> Exception:
    if isinstance(error, rf.SceneError):
        said = [(problem["place"], problem["message"], problem["hint"]) for problem in error.problems]
        of = [(key, why, hint) for place, why, hint in said for name, key in _SETTINGS.items() if f"{place}.".startswith(f"{name}.")]
        if of and len(of) == len(said):
            return exceptions.ConfigurationError("; ".join(f"{key}: {why}{f' ({hint})' if hint else ''}" for key, why, hint in of))
    kinds = {
        rf.SceneError: exceptions.GeometryError,
        rf.ResourceError: exceptions.ResourceError,
        rf.NumericalError: exceptions.ComputationError,
    }
    return next((made(str(error)) for kind, made in kinds.items() if isinstance(error, kind)), error)
