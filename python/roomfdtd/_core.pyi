"""The engine inside this process. Documents are JSON texts; ``name`` is the scene's path for messages and folders."""

from collections.abc import Callable

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
def version() -> str: ...
