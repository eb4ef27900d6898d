"""Modules that only some functions need."""

from __future__ import annotations

import importlib
from typing import Any


def load(module: str, extra: str) -> Any:
    """A module of one of the package's extras; ImportError names the extra."""
    try:
        return importlib.import_module(module)
    except (ImportError, OSError) as error:  # OSError: a library of the system that the module opens
        raise ImportError(missing(module, extra, error)) from error


def missing(module: str, extra: str, error: Exception, packages: str = "") -> str:
    """Why a module cannot be imported, and how it, or `packages`, are installed: roomfdtd itself is in no package index."""
    package = module.partition(".")[0]
    if not isinstance(error, ModuleNotFoundError) or (error.name or "").partition(".")[0] != package:
        return f"{module} is installed and cannot be imported: {error}"
    return f"{module} is needed here: pip install '.[{extra}]' in a checkout, or pip install {packages or package}"
