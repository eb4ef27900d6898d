"""The CHORAS interface of fdtd."""

from .fdtd_interface import FdtdMethod

__all__ = ["FdtdMethod"]
