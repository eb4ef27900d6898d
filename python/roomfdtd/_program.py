"""The command ``fdtd`` of the package, and where the engine's GPU code is."""

import importlib.util
import os
import sys
from pathlib import Path


def main() -> None:
    program = Path(__file__).parent / "bin" / "fdtd"
    os.execv(program, [str(program), *sys.argv[1:]])


def name_gpu_code() -> None:
    """Name the library of the package ``roomfdtd-cuda``, where there is one, to the extension and to programs.

    ``FDTD_GPU_CODE`` in the environment is its path, which a user may set instead.
    """
    if os.environ.get("FDTD_GPU_CODE"):
        return
    found = importlib.util.find_spec("roomfdtd_cuda")
    if found is not None and found.origin is not None:
        library = Path(found.origin).parent / "libfdtd_gpu.so"
        if library.exists():
            os.environ["FDTD_GPU_CODE"] = str(library)
