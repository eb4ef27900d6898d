"""The engine inside this process. Documents are JSON texts; ``name`` is the scene's path for messages and folders."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

class EngineError(Exception):
    """Its arguments: exit status, message, hint, problems as a JSON text."""

def check(text: str, name: str, overrides: list[str], allow_outside: bool = False) -> None: ...
def plan(
    text: str,
    name: str,
    overrides: list[str],
    device: str | None = None,
    threads: int = 0,
    allow_outside: bool = False,
) -> str: ...
def run(
    text: str,
    name: str,
    overrides: list[str],
    output: str,
    device: str | None = None,
    threads: int = 0,
    allow_outside: bool = False,
    force: bool = False,
    resume: bool = False,
    checkpoint_every: str | None = None,
    max_time: str | None = None,
    outputs: list[str] = ...,
    progress: Callable[..., object] | None = None,
    waves: str = "",
    rooms_at_once: int = 1,
) -> str: ...

class Gradients:
    """A room whose walls, sources and receivers move: responses as (one list, number of samples, Hz)."""

    def __init__(
        self,
        text: str,
        name: str,
        overrides: list[str],
        device: str | None,
        threads: int,
        materials: list[str] | None,
        memory: int,
        points: list[str],
    ) -> None: ...
    def planned(self) -> str: ...
    def parameters(self) -> list[tuple[str, float, float]]: ...
    def points(self) -> list[tuple[str, bool, float, float, float]]: ...
    def responses(self, values: list[float]) -> tuple[NDArray[np.float64], int, float]: ...
    def slopes(
        self,
        values: list[float],
        loss: Callable[[NDArray[np.float64], int, float], tuple[float, NDArray[np.float64]]],
        with_map: bool,
    ) -> tuple[float, list[float], dict[str, Any] | None]: ...

def version() -> str: ...
