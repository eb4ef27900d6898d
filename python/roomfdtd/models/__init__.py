"""Rooms and materials of other programs, each read by the library that its format has."""

from ._import import SUFFIXES, import_model
from ._libraries import import_materials
from ._model import Model

__all__ = ["SUFFIXES", "Model", "import_materials", "import_model"]
