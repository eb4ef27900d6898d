"""The processes that compute a data set: a Dask cluster of this machine, a worker for each GPU, or a client's own."""

from __future__ import annotations

import ast
import concurrent.futures
import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Literal

from . import _engine, _lazy
from ._rooms import Job, Outcome, compute
from .errors import ResourceError, SceneError

Batch = int | Literal["auto"] | None
NO_BATCH = "batch: rooms are computed side by side inside the Python process, and this checkout has no extension"
MOST_AT_ONCE = 32  # in a batch "auto"

Gpus = Sequence[int] | Literal["all"]


def distribute(client: Any, job: Job, wanted: Sequence[int], keep: Callable[[Outcome], None]) -> None:
    """Compute rooms on a cluster. Dask computes a room again elsewhere when its worker is lost."""
    distributed = _lazy.load("distributed", "datasets")
    futures = {client.submit(compute, job, room, pure=False): room for room in wanted}
    for future in distributed.as_completed(futures):
        if future.status == "finished":
            keep(future.result())
        elif future.status != "error":
            raise ResourceError(f"the cluster has lost room {futures[future]}", "call it again: it continues")
        else:  # workers were lost again and again while it was computed
            error = future.exception()
            failure = {"kind": type(error).__name__, "status": None, "message": str(error), "hint": "retry_failed=True"}
            keep(Outcome(futures[future], "", 0.0, failure=failure))
        future.release()


def in_threads(job: Job, wanted: Sequence[int], keep: Callable[[Outcome], None]) -> None:
    """Compute rooms by threads of this process, a batch at a time."""
    with concurrent.futures.ThreadPoolExecutor(job.batch) as pool:
        futures = [pool.submit(compute, job, room) for room in wanted]
        try:
            for future in concurrent.futures.as_completed(futures):
                keep(future.result())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def batch(wanted: Batch, workers: int, client: Any, gpus: Gpus | None) -> int:
    """Rooms at a time on each GPU; 1: no batch. Raises where they cannot be computed side by side."""
    if wanted is None:
        return 1
    if wanted != "auto" and (not hasattr(wanted, "__index__") or wanted < 1):
        raise SceneError(f"batch: {wanted!r}", 'give a whole number, at least 1, or "auto"')
    if client is not None or (workers > 0 and gpus is None):
        raise SceneError("batch: it is for GPUs of this machine", 'give gpus="all" or their numbers, or workers=0')
    _require_batches(None if gpus is None else gpu_numbers(gpus))
    if wanted != "auto":
        return int(wanted)
    return max(1, min(MOST_AT_ONCE, _processors() // (1 if gpus is None else len(gpu_numbers(gpus)))))


def _require_batches(gpus: Sequence[int] | None) -> None:
    """Raise ResourceError where GPUs of these numbers, by default the first one, do not compute rooms side by side."""
    hint = "install the package, or leave batch out: each worker then computes one room at a time"
    if _engine._core is None:
        raise ResourceError(NO_BATCH, hint)
    found = {gpu["device"]: gpu for gpu in _engine.version()["gpus"]}
    for name in (f"cuda:{number}" for number in ([0] if gpus is None else gpus)):
        if name not in found:
            raise ResourceError(f"batch: there is no GPU {name} that the program can use", hint)
        if not found[name].get("takes_batches", False):
            raise ResourceError(f"batch: {name} computes one room at a time: it needs compute capability 9.0", hint)


@contextlib.contextmanager
def cluster(client: Any, workers: int, gpus: Gpus | None, batch: int = 1) -> Iterator[Any]:
    """The client that is there, or one of a cluster of this machine: `workers`, or one for each GPU."""
    if client is not None:
        yield client
        return
    distributed = _lazy.load("distributed", "datasets")
    require_guard(sys._getframe())
    if gpus is None:
        cluster = distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
        )
    else:
        cluster = distributed.SpecCluster(
            scheduler={"cls": distributed.Scheduler, "options": {"dashboard": False, "host": "127.0.0.1", "port": 0}},
            workers={
                number: {
                    "cls": distributed.Nanny,
                    "options": {"nthreads": batch, "host": "127.0.0.1", "env": {"CUDA_VISIBLE_DEVICES": name}},
                }
                for number, name in gpu_names(gpus).items()
            },
        )
    with cluster, distributed.Client(cluster) as connected:
        yield connected


def require_guard(frame: FrameType | None) -> None:
    """Raise SceneError where a script starts workers, which import it, outside of ``if __name__ == "__main__"``."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == "__main__":
            try:
                tree = ast.parse(Path(frame.f_code.co_filename).read_text(encoding="utf-8"))
            except (OSError, SyntaxError, ValueError):  # a notebook, a text
                return
            line = frame.f_lineno
            if not any(_guards(node) and node.lineno <= line <= (node.end_lineno or 0) for node in tree.body):
                place = f"{Path(frame.f_code.co_filename).name}:{line}"
                hint = 'put the call, and what only it needs, below: if __name__ == "__main__":'
                raise SceneError(f"{place}: workers import this script, and would start workers again", hint)
            return
        frame = frame.f_back


def _guards(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and any(isinstance(one, ast.Name) and one.id == "__name__" for one in ast.walk(node.test))


def gpu_numbers(gpus: Gpus) -> list[int]:
    """GPUs by the numbers that the program gives them: of those that this process sees."""
    if gpus != "all":
        listed = [] if isinstance(gpus, str) or not hasattr(gpus, "__iter__") else list(gpus)
        if not listed or not all(hasattr(number, "__index__") and int(number) >= 0 for number in listed):
            raise SceneError(f"gpus: {gpus!r} names no GPUs", 'give numbers from 0, as [0, 1], or "all"')
        return list(dict.fromkeys(int(number) for number in listed))
    found = [gpu["device"] for gpu in _engine.version()["gpus"] if "why_not" not in gpu]
    if not found:
        raise ResourceError("gpus: there is no GPU that the program can use", "`fdtd doctor` prints why")
    return [int(device.partition(":")[2]) for device in found]


def gpu_names(gpus: Gpus) -> dict[int, str]:
    """What CUDA_VISIBLE_DEVICES of a worker holds, for each GPU by its number.

    Where this process sees only some GPUs, as in a job of a cluster, they are numbered anew from 0, while a worker's
    variable counts all: number n is the n-th entry of this process's own variable.
    """
    seen = os.environ.get("CUDA_VISIBLE_DEVICES")
    entries = None if seen is None else [entry.strip() for entry in seen.split(",")]
    names = {}
    for number in gpu_numbers(gpus):
        if entries is not None and number >= len(entries):
            raise SceneError(f"gpus: there is no GPU {number}", f"CUDA_VISIBLE_DEVICES holds {seen!r}")
        names[number] = str(number) if entries is None else entries[number]
    return names


def device(client: Any, gpus: Gpus | None, batch: int = 1) -> str | None:
    """The device of the runs, where it is not that of their scenes."""
    return "cuda" if client is None and (gpus is not None or batch > 1) else None


def threads(wanted: int | None, workers: int, client: Any, gpus: Gpus | None, batch: int = 1) -> int:
    """CPU threads of each run; 0: all that there are."""
    if wanted is not None:
        return wanted
    if batch > 1:
        return 1
    at_once = workers if gpus is None else len(gpu_numbers(gpus))
    if client is not None or at_once == 0:
        return 0
    return max(1, _processors() // at_once)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
