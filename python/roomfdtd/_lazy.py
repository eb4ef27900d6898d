"""Modules that only some functions need."""

from __future__ import annotations

import importlib
from typing import Any


def load(module: str, extra: str) -> Any:
    """A module of one of the package's extras; ImportError names the extra."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        message = f"{module} is needed here: pip install 'roomfdtd[{extra}]', or pip install {module.split('.')[0]}"
        raise ImportError(message) from error
