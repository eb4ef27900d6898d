"""Room acoustics by finite differences in the time domain."""

from .errors import FdtdError, FileError, Interrupted, NumericalError, Problem, ResourceError, SceneError

__all__ = ["FdtdError", "FileError", "Interrupted", "NumericalError", "Problem", "ResourceError", "SceneError"]
