"""Results: responses, figures of merit, and what else a run has left on disk."""

from __future__ import annotations

import itertools
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _document, _engine, _html, _lazy, _rir
from ._store import Place, Store, snapshot, text
from ._units import UNITS, in_order, note_units
from .above import AbovePart, Energy
from .errors import FdtdError, FileError
from .plan import Plan

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas
    import pyfar
    import xarray

    from ._match import Match
    from .scene import Scene

Format = Literal["float", "pcm24"]
SPEECH_OCTAVES = (125, 250, 500, 1000, 2000, 4000, 8000)  # Hz


def open_result(
    path: str | Path,
    *,
    _document: Mapping[str, Any] | None = None,
    _temporary: tempfile.TemporaryDirectory[str] | None = None,
) -> Result:
    """Open the result of a run.

    Parameters
    ----------
    path : path
        ``result.h5``, or the folder that holds it.

    Raises
    ------
    FileError
        There is no such file, or it is no result.
    """
    file = Path(path)
    if file.is_dir():
        file = file / "result.h5"
    return Result(Store(file), dict(_document or {}), _temporary)


class Result:
    """The result of a run; made by ``Scene.run`` and :func:`open_result`.

    A response is a digital filter: convolved with the free-field pressure of a monopole at 1 m it gives the pressure
    at the receiver. An arrival over r metres is a band-limited pulse whose samples sum to 1/r; sample 0 is the
    emission. An ambisonic receiver A has several channels, A:00, A:01, ... in ACN order and SN3D normalisation.

    Attributes
    ----------
    path : Path
        The file result.h5.
    document : dict
        The document of ``fdtd run --json``; empty for a result that was opened.
    sample_rate : float
        Of the responses, in Hz.
    sound_speed : float
        m/s.
    """

    def __init__(
        self, store: Store, document: dict[str, Any], temporary: tempfile.TemporaryDirectory[str] | None
    ) -> None:
        self._store = store
        self._temporary = temporary  # kept as long as the result
        self.path = store.path
        self.document = document
        self.sample_rate = store.sample_rate
        self.sound_speed = store.sound_speed

    def __copy__(self) -> Result:
        return self  # nothing of it changes

    def __deepcopy__(self, memo: dict[int, Any]) -> Result:
        return self

    def __getstate__(self) -> dict[str, Any]:
        if self._temporary is not None:
            raise FdtdError(
                f"{self.path}: it lies in a temporary folder, which this process removes",
                "give run() a folder, or send responses and figures instead of the result",
            )
        return self.__dict__

    # The contents

    @property
    def sources(self) -> list[str]:
        """Names of the sources."""
        return [place.owner for place in self._store.sources]

    @property
    def receivers(self) -> list[str]:
        """Names of the receivers' channels, in the order of :attr:`responses`."""
        return [place.name for place in self._store.receivers]

    @property
    def source_positions(self) -> NDArray[np.float64]:
        """Shape (sources, 3), in m."""
        return np.array([place.position for place in self._store.sources])

    def places_of_figures(self) -> dict[str, tuple[float, float, float]]:
        """Receivers and microphones as :meth:`metrics` names them, with their positions in m."""
        return {place.shown: place.position for place in self._store.receivers}

    @property
    def receiver_positions(self) -> NDArray[np.float64]:
        """Shape (receivers, 3), in m."""
        return np.array([place.position for place in self._store.receivers])

    @property
    def times(self) -> NDArray[np.float64]:
        """Time of each sample after the emission, shape (samples,), in s."""
        return np.arange(self._store.samples) / self.sample_rate

    @property
    def valid_to(self) -> float:
        """Frequency in Hz up to which responses are right: where geometry ends, or waves without it."""
        return float(self._store.above["upper"] if self._store.above else self._store.plan["valid_bandwidth"])

    @property
    def above(self) -> AbovePart | None:
        """Geometry above the waves' band; None where responses end with the waves."""
        if not self._store.above:
            return None
        stored = self._store.above
        agreement = json.loads(text(stored["agreement"])) if "agreement" in stored else {}
        pairs = max((agreement[name]["pairs"] for name in ("G", "C80", "T20") if name in agreement), default=0)
        spread = {name[len("spread_") :]: np.asarray(of) for name, of in stored.items() if name.startswith("spread_")}

        def energy(receiver: str | int, source: str | int) -> Energy:
            found = self._store.late_energy(self._channels(receiver)[0], self._source(source))
            return np.arange(found.shape[1], dtype=np.float64) * float(stored["bin"]), found

        def images(receiver: str | int, source: str | int) -> NDArray[np.float64]:
            found = [self._store.images(one, self._source(source)) for one in self._channels(receiver)]
            return found[0] if len(found) == 1 else np.stack(found)

        return AbovePart(
            waves_to=float(stored["from"]),
            geometry_from=float(stored["to"]),
            valid_to=float(stored["upper"]),
            octaves=np.asarray(stored["octaves"]),
            bin=float(stored["bin"]),
            coherent_until=float(stored["coherent_until"]),
            rays=int(stored["rays"]),
            seed=int(stored["seed"]),
            image_order=int(stored["image_order"]),
            directions=np.asarray(stored["directions"]).reshape(-1, 3),
            trust=agreement["trust"] if pairs else None,
            agreement=agreement,
            spread=spread,
            _energy=energy,
            _images=images,
        )

    @property
    def plan(self) -> Plan:
        """The plan that was computed."""
        return Plan(self._store.plan | {"device": self._store.provenance["device"]})

    @property
    def materials(self) -> list[dict[str, Any]]:
        """Requested and fitted absorption of each material by octave band."""
        return self._store.materials

    @property
    def remarks(self) -> list[str]:
        """Notes on the responses."""
        return self._store.remarks

    @property
    def provenance(self) -> dict[str, str]:
        """Version, build, scene, device and date."""
        return dict(self._store.provenance)

    @property
    def seconds(self) -> dict[str, float]:
        """Wall-clock time of each stage in s: ``steps``, and of a result of this session ``planning``, ``above``
        (geometry) and ``rendering``."""
        timing = self.document.get("timing", {})
        stages = {"planning": "planning_seconds", "steps": "seconds", "above": "above_seconds", "rendering": "rendering_seconds"}
        found = {stage: float(timing[key]) for stage, key in stages.items() if key in timing}
        return found or {"steps": self._store.wall_seconds}

    @property
    def scene(self) -> Scene:
        """The scene that was computed, by its text in the result; its relative paths start from the result's folder."""
        from .scene import Scene

        return Scene.parse(self._store.provenance["scene"], self.path.parent, check=False)

    @property
    def surface(self) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], list[str]]:
        """The room: vertices (v, 3) in m, faces (f, 3), the material of each face (f,), names of the materials."""
        return self._store.surface()

    # Responses

    @property
    def responses(self) -> NDArray[np.float64]:
        """All responses, shape (sources, receivers, samples)."""
        return self._store.pressure(self._store.receivers)

    def response(self, receiver: str | int = 0, source: str | int = 0) -> NDArray[np.float64]:
        """One response.

        Parameters
        ----------
        receiver, source : str or int
            Name, or number from 0.

        Returns
        -------
        ndarray, shape (samples,)
            Of an ambisonic receiver's name all channels, shape (channels, samples); of a binaural one those of the
            field in the middle of its head: :meth:`ears` has what is at the ears.
        """
        chosen = self._channels(receiver)
        data = self._store.pressure(chosen, self._source(source))
        return np.asarray(data[0, 0] if len(chosen) == 1 else data[0])

    def rir(self) -> list[list[NDArray[np.float64]]]:
        """All responses as ``rir[receiver][source]``, as ``room.rir`` of pyroomacoustics lists them.

        Both have the same scale: a direct sound over r metres is a pulse of sum 1/r. Sample 0 is the emission here; there
        it is sample ``constants.get("frac_delay_length") // 2``.

        Returns
        -------
        list of list of ndarray, shape (samples,)
        """
        return _rir.rir(self.responses)

    def simulate(
        self, signals: ArrayLike | Sequence[ArrayLike | None], delays: Sequence[float] | None = None
    ) -> NDArray[np.float64]:
        """The sound at all receivers while sources play signals.

        Parameters
        ----------
        signals : array_like, shape (samples,), or sequence of them and of None
            Of the only source, or of each, at :attr:`sample_rate`: finite numbers; None is silence.
        delays : sequence of float, optional
            When each begins, in s, to the sample before.

        Returns
        -------
        ndarray, shape (receivers, samples)
        """
        return _rir.simulate(self.responses, self.sample_rate, signals, delays)

    def ears(self, receiver: str, source: str | int = 0, rotation: float | None = None) -> NDArray[np.float64]:
        """The response of a binaural receiver.

        Parameters
        ----------
        receiver : str
            Name.
        source : str or int
            Name, or number from 0.
        rotation : float, optional
            One of the receiver's ``rotations`` in degrees; by default the first.

        Returns
        -------
        ndarray, shape (2, samples)
            Of the left and the right ear.
        """
        row = self._store.sources.index(self._source(source))
        return self._store.ears(receiver, row, rotation)

    def raw(self, receiver: str | int = 0, source: str | int = 0) -> tuple[NDArray[np.float64], float]:
        """The grid's own samples for the drive (1, -1).

        Parameters
        ----------
        receiver, source : str or int
            Name, or number from 0.

        Returns
        -------
        samples : ndarray, shape (steps,)
        rate : float
            Sample rate in Hz.
        """
        return self._store.raw(self._channels(receiver)[0], self._source(source))

    def energy(self, source: str | int = 0) -> dict[str, NDArray[np.float64]]:
        """The energy balance of a run.

        Parameters
        ----------
        source : str or int
            Name, or number from 0.

        Returns
        -------
        dict of str to ndarray, shape (n,)
            ``step``, ``stored``, ``injected``, ``dissipated`` and ``balance_error``; empty where receivers sent
            (``Scene(reciprocity=...)``) and the source had no pass of its own.
        """
        return self._store.energy(self._source(source))

    def to_xarray(self) -> xarray.Dataset:
        """All responses with named coordinates.

        Returns
        -------
        xarray.Dataset
            ``pressure`` (source, receiver, time) with ``time`` in s, and the positions ``x``, ``y``, ``z`` of
            receivers and ``source_x``, ``source_y``, ``source_z`` of sources in m.
        """
        xr = _lazy.load("xarray", "tables")
        metre = {"units": "m"}
        coordinates: dict[str, Any] = {
            "source": ("source", self.sources),
            "receiver": ("receiver", self.receivers),
            "time": ("time", self.times, {"units": "s", "long_name": "time after the emission"}),
        }
        for axis, name in enumerate("xyz"):
            coordinates[name] = ("receiver", self.receiver_positions[:, axis], metre)
            coordinates[f"source_{name}"] = ("source", self.source_positions[:, axis], metre)
        attributes = {"units": "1", "long_name": "impulse response", "comment": self._store.convention}
        data = {"pressure": (("source", "receiver", "time"), self.responses, attributes)}
        about = {"sample_rate": self.sample_rate, "sound_speed": self.sound_speed} | self.provenance
        dataset: xarray.Dataset = xr.Dataset(data, coordinates, about)
        return dataset

    def to_pyfar(self) -> pyfar.Signal:
        """All responses for pyfar.

        Returns
        -------
        pyfar.Signal, shape (sources, receivers)
        """
        module = _lazy.load("pyfar", "audio")
        signal: pyfar.Signal = module.Signal(
            self.responses, self.sample_rate, fft_norm="none", comment=self._store.convention
        )
        return signal

    # Figures of merit

    def metrics(self, broadband: bool = False) -> pandas.DataFrame:
        """Figures of ISO 3382-1.

        Parameters
        ----------
        broadband : bool
            The figures of all frequencies together instead of octave bands, with the speech transmission index and the
            means over octaves, such as LF_125_1000.

        Returns
        -------
        pandas.DataFrame
            Index (source, receiver, band in Hz), or (source, receiver); columns EDT, T20, T30, Ts (s), C50, C80, G,
            range (dB), D50, curvature (%), nonlinearity_T20, nonlinearity_T30 (per mille; ISO 3382-2, annex B), DRR
            (dB), LF, LFC, LJ (dB) of ambisonic receivers, ST_early, ST_late (dB) 1 m from a source, IACC_early,
            IACC_late, IACC, and others; NaN where the decay cannot support a figure, with the ``reason``; ``doubt`` says which figures are
            to be taken with care, and why; ``from`` the part of the response that makes them: "wave", "geometry" (an
            octave above the crossover), "both"; missing where the program does not know it.
            ``attrs["units"]`` holds the unit of each column and index level.
        """
        pd = _lazy.load("pandas", "tables")
        rows = [row for row in self._store.figures() if (row["band"] == 0.0) == broadband]
        index = ["source", "receiver"] if broadband else ["source", "receiver", "band"]
        frame: pandas.DataFrame = pd.DataFrame(rows, columns=None if rows else index)
        if broadband and rows:
            frame = frame.drop(columns="band")
        numbers = [name for name in frame.columns if name not in ("source", "receiver", "reason", "doubt", "from")]
        frame[numbers] = frame[numbers].astype(float)
        frame = frame.set_index(index).sort_index()
        return note_units(frame[in_order(list(frame.columns))])

    def speech(self, level: float | None = None, noise: Sequence[float] | None = None) -> pandas.DataFrame:
        """The speech transmission index of IEC 60268-16:2020 (indirect method, male speech).

        Parameters
        ----------
        level : float, optional
            Of speech in dB(A) at 1 m in free field, 60 for normal effort; without it the index is that of the room alone,
            without noise, masking and threshold of hearing.
        noise : sequence of float, length 7, optional
            Levels of noise in dB at the receiver, in the octaves of 125 to 8000 Hz; needs `level`.

        Returns
        -------
        pandas.DataFrame
            Index (source, receiver); columns STI, STIPA, MTI_125, ... MTI_8000 (modulation transfer indices by octave),
            0 to 1; U50, U50_125, ... U50_8000 (useful to detrimental sound in dB, A-weighted and by octave; NaN without
            `level`), and ``reason``, why there is no STI: it needs responses to 11.3 kHz.

        Raises
        ------
        SceneError
            `noise` without `level`, or values that are no levels.
        """
        pd = _lazy.load("pandas", "tables")
        rows = []
        for response in self._speech(level, noise):
            bands = {band["centre"]: band for band in response["bands"]}
            row = {"source": response["source"], "receiver": response["receiver"]}
            for name in ("STI", "STIPA", "U50"):
                row[name] = response.get(name)  # results of older versions have STI alone
            for name in ("MTI", "U50"):
                row |= {f"{name}_{octave}": bands.get(float(octave), {}).get(name) for octave in SPEECH_OCTAVES}
            rows.append(row | {"reason": response["STI_reason"]})
        octaves = [f"{name}_{octave}" for name in ("MTI", "U50") for octave in SPEECH_OCTAVES]
        columns = ["source", "receiver", "STI", "STIPA", "U50", *octaves, "reason"]
        frame: pandas.DataFrame = pd.DataFrame(rows, columns=columns)
        frame[columns[2:-1]] = frame[columns[2:-1]].astype(float)
        return note_units(frame.set_index(["source", "receiver"]))

    def open_plan(
        self, line: Sequence[str], noise: Sequence[float] | None = None, places: bool = False
    ) -> pandas.DataFrame:
        """The single numbers of an open-plan office (ISO 3382-3) from receivers along a line away from a source.

        Parameters
        ----------
        line : sequence of str
            Names of receivers, at least four of them 2 to 16 m from the source.
        noise : sequence of float, length 7, optional
            Levels of noise in dB, in the octaves of 125 to 8000 Hz; without it there are no distances of STI.
        places : bool
            The level of speech and STI of each receiver instead of the single numbers.

        Returns
        -------
        pandas.DataFrame
            Index source; columns D2S (dB), LpAS_4m (dB(A)), rC, rD, rP (m), LpAB (dB(A), of the noise) and ``reason``,
            why numbers are missing. Of `places`: index (source, receiver); columns distance (m), LpAS (dB(A)), STI.

        Raises
        ------
        SceneError
            The names are not those of four receivers, or a response lacks an octave of 125 to 8000 Hz.
        """
        pd = _lazy.load("pandas", "tables")
        noise = None if noise is None else _document.numbers(noise, "noise")
        lines = _engine.metrics_of_result(str(self.path), None, noise, line)["lines"]
        if places:
            rows = [{"source": one["source"]} | place for one in lines for place in one["places"]]
            frame: pandas.DataFrame = pd.DataFrame(rows).set_index(["source", "receiver"]).astype(float)
            return note_units(frame)
        numbers = ["D2S", "LpAS_4m", "rC", "rD", "rP", "LpAB"]
        reasons = ["; ".join(f"{name}: {why}" for name, why in one["reasons"].items()) or None for one in lines]
        frame = pd.DataFrame([{name: one[name] for name in ("source", *numbers)} for one in lines])
        frame[numbers] = frame[numbers].astype(float)
        frame["reason"] = reasons
        return note_units(frame.set_index("source"))

    def _speech(self, level: float | None, noise: Sequence[float] | None) -> list[dict[str, Any]]:
        """The document of each response, for speech of a level or of the room alone."""
        level = None if level is None else _document.number(level, "level")
        noise = None if noise is None else _document.numbers(noise, "noise")
        if level is None and noise is None and (stored := self._store.responses_json()) and "STI" in stored[0]:
            return stored
        measured = _engine.metrics_of_result(str(self.path), level, noise)["responses"]
        return [{"source": one["source"], "receiver": one["receiver"]} | one["metrics"] for one in measured]

    def match(
        self,
        measured: str | Path | Sequence[str | Path] | Mapping[str, Any],
        *,
        pairs: Mapping[tuple[str, str], tuple[str, str] | str] | None = None,
        bands: tuple[float, float] = (125, 4000),
    ) -> Match:
        """Compare with what was measured in the room.

        Parameters
        ----------
        measured : path, sequence of paths, or mapping
            Figures, as a file (JSON, CSV) or as the object that the JSON holds (NaN: missing);
            responses, as a folder or as audio files
            ``ir_SOURCE_RECEIVER.wav``; or another result.
        pairs : mapping, optional
            (source, receiver) of the result to (source, receiver) of the measurement, where names differ, or to the name
            of the file of the response.
        bands : (float, float)
            In Hz, the lowest and the highest octave of the overall means.

        Returns
        -------
        Match

        Raises
        ------
        FileError
            A file cannot be read, or holds no figures; the message has the place.
        SceneError
            There is no such pair, or none that is in both.
        """
        from . import _match

        return _match.match(self.path, measured, pairs, bands)

    def map(
        self, figure: str, band: float | None = None, source: str | int = 0, receivers: str | None = None
    ) -> xarray.DataArray:
        """A figure of merit over receivers that stand on a grid.

        Parameters
        ----------
        figure : str
            A column of :meth:`metrics`, such as "C50".
        band : float, optional
            Octave band in Hz; by default all frequencies together.
        source : str or int
        receivers : str, optional
            The name of a table of receivers, such as "seat" for seat_01, seat_02, ...; by default all receivers.

        Returns
        -------
        xarray.DataArray
            Over those of x, y and z (m) along which receivers differ; NaN where no receiver stands.
        """
        xr = _lazy.load("xarray", "tables")
        values = self._figure(figure, band, source)
        chosen = [place for place in self._store.receivers if place.shown in values and _of(place.owner, receivers)]
        if not chosen:
            raise FdtdError(f"there are no receivers {receivers}_1, {receivers}_2, ...", "result.receivers lists all")
        places = np.array([place.position for place in chosen]).round(9)
        numbers = np.array([values[place.shown] for place in chosen])
        axes = [axis for axis in (2, 1, 0) if len(np.unique(places[:, axis])) > 1]
        coordinates = [np.unique(places[:, axis]) for axis in axes]
        data = np.full([len(values_) for values_ in coordinates], np.nan)
        at = tuple(np.searchsorted(c, places[:, axis]) for c, axis in zip(coordinates, axes, strict=True))
        if data.size > 16 * len(numbers):
            raise FdtdError("map: the receivers do not stand on a grid", "plot result.metrics() over their positions")
        data[at] = numbers
        dims = ["xyz"[axis] for axis in axes]
        array: xarray.DataArray = xr.DataArray(data, dict(zip(dims, coordinates, strict=True)), dims, name=figure)
        array.attrs = {"units": UNITS.get(figure, "1"), "band": "all" if band is None else f"{band:g} Hz"}
        for dim in dims:
            array[dim].attrs["units"] = "m"
        return array

    def _figure(self, figure: str, band: float | None, source: str | int) -> dict[str, float]:
        name, wanted = self._source(source).owner, 0.0 if band is None else float(band)
        rows = [row for row in self._store.figures() if row["source"] == name]
        found = {row["receiver"]: row for row in rows if row["band"] == wanted}
        if not found:
            bands = sorted({row["band"] for row in rows} - {0.0})
            raise FdtdError(f"no figures in the band of {wanted:g} Hz", f"bands: {', '.join(f'{b:g}' for b in bands)}")
        first = next(iter(found.values()))
        if figure not in first or figure in ("reason", "doubt", "from"):
            known = [key for key in first if key not in ("source", "receiver", "band", "reason", "doubt", "from")]
            raise FdtdError(f"there is no figure {figure!r}", f"figures: {', '.join(known)}")
        return {key: np.nan if row[figure] is None else float(row[figure]) for key, row in found.items()}

    def decay(
        self, receiver: str | int = 0, source: str | int = 0, band: float | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The decay curve by backward integration (Schroeder, 1965), to draw.

        The figures of :meth:`metrics` have noise truncation and filters of ISO 3382-1 besides.

        Parameters
        ----------
        receiver, source : str or int
        band : float, optional
            Centre of an octave band in Hz (a zero-phase filter); by default all frequencies.

        Returns
        -------
        times, level : ndarray, shape (samples,)
            s, and dB below the whole energy.
        """
        from . import _signal

        response = self._store.pressure(self._channels(receiver)[:1], self._source(source))[0, 0]
        if band is not None:
            response = _signal.octave(response, self.sample_rate, _document.positive(band, "band"))
        return self.times, _signal.backward_level(response)

    # Files

    def to_wav(
        self,
        folder: str | Path,
        *,
        rate: int | None = None,
        format: Format | None = None,
        low_cut: float | None = None,
        normalize: bool = False,
        force: bool = False,
    ) -> list[Path]:
        """Write the responses as audio files, rendered from the grid's own samples.

        Parameters
        ----------
        folder : path
            Its name; files are ``ir_R.wav``, ``responses.wav`` and others, as ``fdtd render`` writes them.
        rate : int, optional
            Sample rate in Hz.
        format : {"float", "pcm24"}, optional
        low_cut : float, optional
            Frequency of the high-pass in Hz; 0: none.
        normalize : bool
            Scale all files by one factor so that the largest sample is 1.
        force : bool
            Replace files that exist.

        Returns
        -------
        list of Path
        """
        return self._render(_document.path(folder, "folder"), False, force, rate, format, low_cut, normalize)

    def to_sofa(self, folder: str | Path, *, rate: int | None = None, force: bool = False) -> list[Path]:
        """Write the responses as SOFA files (AES69, SingleRoomSRIR 1.0).

        Parameters
        ----------
        folder : path
            Where they are written.
        rate : int, optional
            Sample rate in Hz.
        force : bool
            Replace files that exist.

        Returns
        -------
        list of Path
        """
        return self._render(_document.path(folder, "folder"), True, force, rate, None, None, False)

    def _render(
        self,
        folder: Path,
        sofa: bool,
        force: bool,
        rate: int | None,
        format: str | None,
        low_cut: float | None,
        normalize: bool,
    ) -> list[Path]:
        with tempfile.TemporaryDirectory(prefix=".render-", dir=_document.made(folder)) as aside:
            _engine.render(str(self.path), aside, rate, format, low_cut, normalize, sofa, 0, False)
            made = sorted(path for path in Path(aside).iterdir() if (path.suffix == ".sofa") == sofa)
            kept = [folder / path.name for path in made if (folder / path.name).exists()]
            if kept and not force:
                raise FileError(f"{kept[0]}: exists already and is kept", "use force=True to replace it")
            return [Path(shutil.move(path, folder / path.name)) for path in made]

    def snapshot(self, name: str | None = None, source: str | int = 0) -> xarray.DataArray:
        """The frames of a snapshot.

        Parameters
        ----------
        name : str, optional
            Name of the snapshot; by default the first.
        source : str or int

        Returns
        -------
        xarray.DataArray
            Over time (s), z, y, x (m); of a plane without its axis. Walls are NaN. The pressure is that of a pulse
            whose free-field peak at 1 m is 1.
        """
        file = self.path.with_name("snapshots.h5")
        frames: xarray.DataArray = snapshot(file, name, self._source(source).owner)
        return frames

    # Plots

    def plot_response(
        self, receiver: str | int = 0, source: str | int = 0, ax: matplotlib.axes.Axes | None = None
    ) -> matplotlib.axes.Axes:
        """Draw a response over time.

        Parameters
        ----------
        receiver, source : str or int
            Name, or number from 0.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from . import _plots

        return _plots.response(self, receiver, source, ax)

    def plot_decay(
        self,
        receiver: str | int = 0,
        source: str | int = 0,
        bands: Sequence[float] | None = None,
        ax: matplotlib.axes.Axes | None = None,
    ) -> matplotlib.axes.Axes:
        """Draw decay curves.

        Parameters
        ----------
        receiver, source : str or int
            Name, or number from 0.
        bands : sequence of float, optional
            Octave bands in Hz; by default all frequencies together.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from . import _plots

        return _plots.decay(self, receiver, source, bands, ax)

    def plot_spectrum(
        self, receiver: str | int = 0, source: str | int = 0, ax: matplotlib.axes.Axes | None = None
    ) -> matplotlib.axes.Axes:
        """Draw the level of a response over frequency, up to the valid bandwidth.

        Parameters
        ----------
        receiver, source : str or int
            Name, or number from 0.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from . import _plots

        return _plots.spectrum(self, receiver, source, ax)

    def plot_spectrogram(
        self,
        receiver: str | int = 0,
        source: str | int = 0,
        window: float = 0.02,
        ax: matplotlib.axes.Axes | None = None,
    ) -> matplotlib.axes.Axes:
        """Draw the level of a response over time and frequency, in dB below its maximum, up to the valid bandwidth.

        Parameters
        ----------
        receiver, source : str or int
            Name, or number from 0.
        window : float
            Length of the Hann windows in s, each half over the next; a longer one resolves closer frequencies.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from . import _plots

        return _plots.spectrogram(self, receiver, source, window, ax)

    def plot_reverberation(
        self,
        receiver: str | int | None = None,
        source: str | int | None = None,
        figures: Sequence[str] = ("EDT", "T20", "T30"),
        ax: matplotlib.axes.Axes | None = None,
    ) -> matplotlib.axes.Axes:
        """Draw reverberation times by octave.

        Parameters
        ----------
        receiver, source : str or int, optional
            Name, or number from 0; without it the mean over all that have the figure in the octave.
        figures : sequence of str
            Columns of :meth:`metrics` in s.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from . import _plots

        return _plots.reverberation(self, receiver, source, figures, ax)

    def plot_room(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """Draw the edges of the room with sources and receivers.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw: with ``projection="3d"`` the room in space, else from above; by default a new figure in space.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from . import _plots

        return _plots.room(self, ax)

    def plot_map(
        self,
        figure: str,
        band: float | None = None,
        source: str | int = 0,
        receivers: str | None = None,
        ax: matplotlib.axes.Axes | None = None,
    ) -> matplotlib.axes.Axes:
        """Draw a figure of merit over receivers on a plane.

        Parameters
        ----------
        figure : str
            A column of :meth:`metrics`, such as "C50".
        band : float, optional
            Octave band in Hz; by default all frequencies together.
        source : str or int
            Name, or number from 0.
        receivers : str, optional
            The name of a table of receivers; by default all receivers.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from . import _plots

        return _plots.map_of(self, figure, band, source, receivers, ax)

    def plot_slice(
        self,
        time: float,
        name: str | None = None,
        source: str | int = 0,
        ax: matplotlib.axes.Axes | None = None,
    ) -> matplotlib.axes.Axes:
        """Draw a frame of a snapshot of a plane.

        Parameters
        ----------
        time : float
            In s; the nearest frame is drawn.
        name : str, optional
            Name of the snapshot; by default the first.
        source : str or int
            Name, or number from 0.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from . import _plots

        return _plots.slice_of(self, time, name, source, ax)

    def movie(
        self,
        path: str | Path,
        name: str | None = None,
        source: str | int = 0,
        fps: float = 15.0,
        limit: float | None = None,
        overwrite: bool = False,
        *,
        force: bool = False,
    ) -> Path:
        """Write the frames of a snapshot of a plane as a film: axes in m, the time of each frame, walls grey, the source.

        Parameters
        ----------
        path : str or Path
            ``.gif``, or ``.mp4`` where there is an ffmpeg on the PATH.
        name : str, optional
            Name of the snapshot; by default the first.
        source : str or int
            Name, or number from 0.
        fps : float
            Frames a second.
        limit : float, optional
            Pressure at the ends of the colours; by default the one that 1 % of all values exceed.
        overwrite, force : bool
            Replace a file that exists: two names of the same.

        Returns
        -------
        Path

        Raises
        ------
        FdtdError
            The snapshot is a volume, the ending is another one, or ffmpeg is missing.
        FileError
            There are no snapshots, or the file exists.
        """
        from . import _plots

        return _plots.movie_of(self, Path(path), name, source, fps, limit, overwrite or force)

    # Names

    def _source(self, source: str | int) -> Place:
        return _pick(self._store.sources, source, "source")[0]

    def _channels(self, receiver: str | int) -> list[Place]:
        return _pick(self._store.receivers, receiver, "receiver")

    def summary(self) -> dict[str, Any]:
        """The computation in a few lines."""
        count, crossover = len(self._store.receivers), self._store.crossover
        return {
            "file": str(self.path),
            "responses": f"{len(self.sources)} x {count} of {self._store.samples} samples at {self.sample_rate:g} Hz",
            "valid up to": f"{self.valid_to:.5g} Hz" + (f", waves to {crossover[0]:.4g} Hz" if crossover else ""),
            "stencil": self._store.plan["stencil"],
            "device": self._store.provenance["device"],
            "seconds": ", ".join(f"{stage} {taken:.3g}" for stage, taken in self.seconds.items()),
        }

    def __repr__(self) -> str:
        return "Result\n" + "\n".join(f"  {name}: {value}" for name, value in self.summary().items())

    def _repr_html_(self) -> str:
        shown = ("source", "receiver", "band", "EDT", "T20", "T30", "C50", "C80", "D50", "Ts", "G", "from")
        bands = (row for row in self._store.figures() if row["band"] > 0.0)
        first = itertools.islice(bands, 24)  # of thousands of receivers
        rows = [{name: "" if row.get(name) is None else row[name] for name in shown} for row in first]
        return _html.facts("Result", self.summary()) + _html.table(rows) + "<p>more: metrics()</p>"


def _of(name: str, table: str | None) -> bool:
    """Whether a receiver is one of a table's, TABLE_1, TABLE_2, ..."""
    return table is None or name == table or (name.startswith(table + "_") and name[len(table) + 1 :].isdigit())


def _pick(places: Sequence[Place], wanted: str | int, what: str) -> list[Place]:
    if isinstance(wanted, str):
        found = [place for place in places if wanted in (place.name, place.owner)]
    else:
        counts = isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool)
        found = [places[wanted]] if counts and -len(places) <= wanted < len(places) else []
    if not found:
        names = ", ".join(place.name for place in places[:12]) + (", ..." if len(places) > 12 else "")
        raise FdtdError(f"there is no {what} {wanted!r}", f"{what}s: {names}")
    return found

