"""The engine, as the rest of the package sees it: the one module that computes anything.

Scenes are checked, planned and run inside this process, by the extension ``roomfdtd._core``; a checkout has it only
once it is installed, and until then runs the program ``fdtd`` instead, as the other commands always do: that of
``FDTD_PROGRAM`` in the environment, of the package's own ``bin`` folder, or of the PATH. All functions take the text of
a scene and the folder that its relative paths start from, and raise the exceptions of :mod:`roomfdtd.errors`.

Inside the process the interpreter is free while the engine computes, so several threads may run scenes at once. Ctrl-C
ends a run between two blocks of time steps, about a second long, and a checkpoint is written; before the first step
and after the last one it waits for their end. A process that is forked after that, as ``multiprocessing`` may do, runs
the program: OpenMP's threads, for which the extension would wait, stay behind in a fork.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from . import errors
from .errors import FdtdError, FileError, Interrupted, Problem, ResourceError, SceneError, of_status, with_overrides

try:
    from . import _core as _core  # other modules of the package look whether it is there
except ImportError:
    _core = None  # type: ignore[assignment]

Document = dict[str, Any]
_computed = False  # by the extension, in this process


def _after_fork() -> None:
    global _core
    if _computed:
        _core = None  # type: ignore[assignment]


os.register_at_fork(after_in_child=_after_fork)


class ProgressEvent(TypedDict):
    """What ``progress`` is called with: at most ten times a second, from the thread that called :func:`run`."""
    step: int  # of this source's pass
    steps: int
    label: str  # the pass, such as "source S1"
    gpts_per_second: float  # 1e9 grid points updated per second


def program() -> str:
    """Path of the program ``fdtd``."""
    named = os.environ.get("FDTD_PROGRAM")
    own = Path(__file__).parent / "bin" / "fdtd"
    found = named or (str(own) if own.exists() else shutil.which("fdtd"))
    if found is None or not os.access(found, os.X_OK):
        where = f"FDTD_PROGRAM = {named}" if named else "fdtd"
        raise ResourceError(
            f"{where}: there is no such program",
            "install the wheel of roomfdtd, or set FDTD_PROGRAM to the path of the program fdtd",
        )
    return found


def version() -> Document:
    """The features of the engine: the document of ``fdtd doctor --json``."""
    return _object(_call(["doctor", "--json"]))


def stencils(names: Sequence[str] = ()) -> list[Document]:
    """The catalogue of stencils, or those named in full."""
    return _list(_call(["stencils", *names, "--json"]))


def materials(names: Sequence[str] = (), max_frequency: float | None = None) -> list[Document]:
    """The material library, or the fits of those named up to ``max_frequency`` in Hz."""
    limit = [] if max_frequency is None else ["--max-frequency", repr(float(max_frequency))]
    return _list(_call(["materials", *names, *limit, "--json"]))


def check(toml: str, folder: str, overrides: Sequence[str] = ()) -> None:
    """Raise SceneError with all problems of a scene; nothing is planned."""
    if _core is not None:
        _inside(folder, lambda name: _core.check(toml, name, list(overrides)))
        return
    with _scene_file(toml, folder) as path:
        # A plan checks more than the scene, and takes longer: the program has no command for the scene alone.
        _call(["plan", path, *_sets(overrides), "--json"], scene=path)


def plan(
    toml: str, folder: str, overrides: Sequence[str] = (), device: str | None = None, threads: int = 0
) -> Document:
    """The document of ``fdtd plan --json``."""
    if _core is not None:
        return _object(_inside(folder, lambda name: _core.plan(toml, name, list(overrides), device, threads)))
    with _scene_file(toml, folder) as path:
        options = [*_sets(overrides), *_device(device, threads)]
        return _object(_call(["plan", path, *options, "--json"], scene=path))


def run(
    toml: str,
    folder: str,
    overrides: Sequence[str] = (),
    output: str = "out",
    device: str | None = None,
    threads: int = 0,
    force: bool = False,
    resume: bool = False,
    checkpoint_every: str | None = None,
    max_time: str | None = None,
    sofa: bool = False,
    progress: Callable[[ProgressEvent], object] | None = None,
    waves: str = "",
    rooms_at_once: int = 1,
) -> Document:
    """The document of ``fdtd run --json``: simulates and writes into the folder ``output``."""
    outputs = ["sofa"] if sofa else []
    if _core is not None:
        return _object(
            _inside(
                folder,
                lambda name: _core.run(
                    toml,
                    name,
                    list(overrides),
                    output,
                    device,
                    threads,
                    force=force,
                    resume=resume,
                    checkpoint_every=checkpoint_every,
                    max_time=max_time,
                    outputs=outputs,
                    progress=progress,
                    waves=waves,
                    rooms_at_once=rooms_at_once,
                ),
            )
        )
    with _scene_file(toml, folder) as path:
        command = ["run", path, *_sets(overrides), *_device(device, threads), "-o", output, "--json"]
        for name, on in (("--force", force), ("--resume", resume), ("--quiet", progress is None)):
            command += [name] if on else []
        command += [f"--{name}" for name in outputs]
        for name, value in (("--checkpoint-every", checkpoint_every), ("--max-time", max_time), ("--waves", waves or None)):
            command += [name, value] if value is not None else []
        return _object(_call(command, scene=path, progress=progress))


def fit(toml: str, folder: str, measured: str, output: str, options: Sequence[str]) -> Document:
    """The document of ``fdtd fit --json``: writes the fitted scene as ``output``."""
    with _scene_file(toml, folder) as path:
        return _object(_call(["fit", path, measured, "-o", output, *options, "--json", "--quiet"], scene=path))


def begin_scene(mesh: str, scene: str, force: bool = False) -> str:
    """``fdtd import`` of a mesh in metres with z up: writes ``scene``, and returns what the program prints."""
    more = ["--force"] if force else []
    ended = _execute(["import", mesh, "-o", scene, "--units", "m", "--up", "z", *more], None, terminal=False)
    if ended.status != 0:
        raise _exception(ended, None)
    return ended.printed


def metrics(
    path: str,
    channel: int = 1,
    max_frequency: float | None = None,
    scale: float | None = None,
    speech: float | None = None,
    noise: Sequence[float] | None = None,
) -> Document:
    """The document of ``fdtd metrics --json`` of an audio file."""
    command = ["metrics", path, "--channel", str(channel), "--json"]
    for name, value in (("--max-frequency", max_frequency), ("--scale", scale)):
        command += [name, repr(float(value))] if value is not None else []
    return _object(_call(command + _speech(speech, noise)))


def metrics_of_result(
    path: str, speech: float | None = None, noise: Sequence[float] | None = None, line: Sequence[str] = ()
) -> Document:
    """The document of ``fdtd metrics result.h5 --json``, for speech of a level in dB(A) and noise in dB by octave.

    `line`: receivers along a line, for the single numbers of an open-plan office.
    """
    along = ["--line", ",".join(line)] if line else []
    return _object(_call(["metrics", path, "--json", *_speech(speech, noise), *along]))


def match(result: str, measured: Sequence[str], options: Sequence[str]) -> Document:
    """The document of ``fdtd match RESULT MEASURED --json``."""
    return _object(_call(["match", result, *measured, *options, "--json"]))


def _speech(level: float | None, noise: Sequence[float] | None) -> list[str]:
    options = ["--speech", repr(float(level))] if level is not None else []
    return options + (["--noise", ",".join(repr(float(one)) for one in noise)] if noise is not None else [])


def render(
    result: str,
    output: str | None = None,
    rate: int | None = None,
    format: str | None = None,
    low_cut: float | None = None,
    normalize: bool = False,
    sofa: bool = False,
    threads: int = 0,
    force: bool = False,
) -> None:
    """Write the responses of a result.h5 as audio files into the folder ``output``."""
    command = ["render", result]
    for name, value in (("-o", output), ("--rate", rate), ("--format", format), ("--low-cut", low_cut)):
        command += [name, str(value)] if value is not None else []
    for name, on in (("--normalize", normalize), ("--sofa", sofa), ("--force", force)):
        command += [name] if on else []
    _call([*command, "--threads", str(threads)], json_wanted=False)


def sweep(toml: str, folder: str, options: Sequence[str], begins: Callable[[int, int], object] | None = None) -> None:
    """``fdtd sweep`` with `options`; `begins` is called with the number of each run that begins, and of all.

    Runs that fail are no exception: they are in the table that the program writes.
    """

    def consume(line: str) -> bool:
        match = _RUN_BEGINS.match(line)
        if match and begins is not None:
            begins(int(match[1]), int(match[2]))
        return match is not None

    with _scene_file(toml, folder) as path:
        ended = _execute(["sweep", path, *options], consume, terminal=False, keep=False)
        # Where only runs have failed, the program says no more than its notes.
        said = [line for line in ended.messages.splitlines() if not line.startswith("note: ")]
        if ended.status != 0 and (ended.interrupted or ended.status < 0 or said):
            raise _exception(ended, path, {"set": "product", "zip": "paired", "draw": "drawn", "list": "listed"})


def _inside(folder: str, call: Callable[[str], str | None]) -> object:
    """The document that a function of the extension returns as text, or its error as an exception."""
    global _computed
    _computed = True
    name = os.path.join(folder or ".", "scene.toml")
    try:
        text = call(name)
    except _core.EngineError as error:
        raise errors.of_extension(error, name) from None
    return None if text is None else json.loads(text)


def _sets(overrides: Sequence[str]) -> list[str]:
    return [part for text in overrides for part in ("--set", text)]


def _device(device: str | None, threads: int) -> list[str]:
    return ([] if device is None else ["--device", device]) + ["--threads", str(threads)]


def _object(document: object) -> Document:
    if not isinstance(document, dict):
        raise FdtdError("the program has printed another document than expected")
    return document


def _list(document: object) -> list[Document]:
    if not isinstance(document, list):
        raise FdtdError("the program has printed another document than expected")
    return document


@contextlib.contextmanager
def _scene_file(toml: str, folder: str) -> Iterator[str]:
    """The scene as a file in the folder that its relative paths start from, as long as the program runs."""
    try:
        handle, name = tempfile.mkstemp(prefix=".scene-", suffix=".toml", dir=folder or ".")
    except OSError as error:
        raise FileError(f"{folder}: no scene can be written there: {error.strerror}", "copy it to a folder that you can write to") from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(toml)
        yield name
    finally:
        os.unlink(name)


def _call(
    arguments: list[str],
    scene: str | None = None,
    progress: Callable[[ProgressEvent], object] | None = None,
    json_wanted: bool = True,
) -> object:
    """The JSON document that the program prints, or its error as an exception."""

    def consume(line: str) -> bool:
        event = _event(line)
        if event is not None and progress is not None:
            progress(event)
        return event is not None

    # On a terminal the program reports progress ten times a second.
    ended = _execute(arguments, None if progress is None else consume, terminal=progress is not None)
    if ended.status != 0:
        raise _exception(ended, scene)
    return json.loads(ended.printed) if json_wanted else None


class _Ended(NamedTuple):
    status: int
    printed: str
    messages: str
    interrupted: bool  # by Ctrl-C


def _execute(
    arguments: list[str], consume: Callable[[str], bool] | None, terminal: bool, keep: bool = True
) -> _Ended:
    """Run the program; `consume` is called with each of its messages, and returns whether it has taken it.

    Its output is kept unless `keep` is off.
    """
    messages: list[str] = []
    reader, writer = pty.openpty() if terminal else os.pipe()
    try:
        # In a session of its own Ctrl-C reaches Python alone, which passes it on: once, in notebooks as in terminals.
        child = subprocess.Popen(
            [program(), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if keep else subprocess.DEVNULL,
            stderr=writer,
            env={**os.environ, "COLUMNS": "1000000"},  # messages become exceptions: no line of them is broken
            text=True,
            start_new_session=True,
        )
    finally:
        os.close(writer)
    printed: list[str] = []
    document = threading.Thread(target=lambda out: printed.append(out.read() if out else ""), args=(child.stdout,))
    document.daemon = True
    document.start()
    interrupted = False
    while True:
        try:
            for line in _lines(reader):
                if consume is None or not consume(line):
                    messages.append(line)
            break
        except KeyboardInterrupt:
            interrupted = True
            child.send_signal(signal.SIGINT)
        except BaseException:  # consume() has raised: nobody waits for the run
            child.send_signal(signal.SIGINT)
            child.wait()
            os.close(reader)
            raise
    document.join()
    status = child.wait()
    os.close(reader)
    return _Ended(status, printed[0], "\n".join(messages).strip("\n"), interrupted)


def _exception(ended: _Ended, scene: str | None, names: Mapping[str, str] = {}) -> FdtdError:
    error = _error(ended.status, ended.messages, scene, names)
    return Interrupted(error.message, error.hint) if ended.interrupted and ended.status != 130 else error


def _lines(file: int) -> Iterator[str]:
    """Lines of a pipe or a terminal as they come; a line that is redrawn ends at its carriage return."""
    rest = b""
    while True:
        try:
            block = os.read(file, 65536)
        except OSError:  # the end of a terminal
            block = b""
        if not block:
            break
        *whole, rest = re.split(rb"\r\n|\r|\n", rest + block)
        for line in whole:
            yield line.decode(errors="replace").replace("\x1b[K", "")
    if rest:
        yield rest.decode(errors="replace").replace("\x1b[K", "")


_RUN_BEGINS = re.compile(r"run (\d+) of (\d+): ")
_PROGRESS = re.compile(r"\s*[\d.]+ %\s+step (\d+) of (\d+)\s+(.*?)\s+(\S+) Gpts/s\s.* left\s*$")


def _event(line: str) -> ProgressEvent | None:
    match = _PROGRESS.match(line)
    if match is None:
        return None
    return {
        "step": int(match[1]),
        "steps": int(match[2]),
        "label": match[3],
        "gpts_per_second": float(match[4]),
    }


def _error(status: int, text: str, scene: str | None, names: Mapping[str, str] = {}) -> FdtdError:
    if status < 0:
        return ResourceError(f"the program was ended by signal {-status}" + (f"\n{text}" if text else ""))
    began = text.find("fdtd: ")
    text = text[began + len("fdtd: ") :] if began >= 0 else text
    if scene is not None and status == SceneError.status and re.match(r"\d+ problems? in ", text):
        shown = text.replace(scene, "scene.toml")
        return SceneError(with_overrides(shown.rstrip()), problems=_problems(shown))
    message, _, hint = text.partition("\n  hint: ")
    if scene is not None:
        message = message.replace(scene, "scene.toml")
    return of_status(status, message.rstrip() or f"the program ended with status {status}", hint.strip(), names)


_HEAD = re.compile(r"(?:scene\.toml(?::(\d+):(\d+))?|--set .*?): (?:([\w.\-\"\[\]:]+): )?(.*)")


def _problems(text: str) -> list[Problem]:
    problems: list[Problem] = []
    for line in text.splitlines()[1:]:
        if line.startswith("  hint: ") and problems:
            problems[-1]["hint"] = line[len("  hint: ") :]
        elif match := _HEAD.match(line):
            problems.append(
                {
                    "place": match[3] or "",
                    "line": int(match[1] or 0),
                    "column": int(match[2] or 0),
                    "message": match[4],
                    "hint": "",
                }
            )
    return problems


if sys.platform == "win32":
    raise ImportError("roomfdtd runs on Linux and macOS")
