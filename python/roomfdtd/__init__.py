"""Room acoustics by finite differences in the time domain.

>>> import roomfdtd as rf
>>> scene = rf.Scene(rf.Room.box(5, 4, 3, "plasterboard"), sources=[(1.2, 1.5, 1.4)], receivers=[(3.8, 2.6, 1.2)],
...                  duration=0.6, max_frequency=500)
>>> print(scene.plan())
>>> scene.run("out/room").metrics()
"""

from . import _program, generators, losses
from ._dataset import DataSet, dataset, open_dataset
from ._fit import Fit, fit
from ._gradient import Coordinate, Gradient, Parameter, SensitivityMap, WallModel, differentiable, gradient
from ._match import Match
from ._optimise import Optimum, optimise
from ._pyroomacoustics import from_pyroomacoustics
from ._samples import Samples
from ._small_rooms import modes, notches, place
from ._sweep import Sweep, open_sweep, sweep
from ._throughput import Throughput
from .above import AbovePart
from .errors import FdtdError, FileError, Interrupted, NumericalError, Problem, ResourceError, SceneError
from .materials import Library, Material, materials, stencils
from .models import Model, import_materials, import_model
from .plan import Plan
from .points import Receiver, Source
from .progress import Progress
from .result import Result, open_result
from .room import Room, Surface
from .scene import Above, Air, Output, Scene

__version__ = "0.2.0"

_program.name_gpu_code()

__all__ = [
    "Above",
    "AbovePart",
    "Air",
    "Coordinate",
    "DataSet",
    "FdtdError",
    "FileError",
    "Fit",
    "Gradient",
    "Interrupted",
    "Library",
    "Match",
    "Material",
    "Model",
    "NumericalError",
    "Optimum",
    "Output",
    "Parameter",
    "Plan",
    "Problem",
    "Progress",
    "Receiver",
    "ResourceError",
    "Result",
    "Room",
    "Samples",
    "Scene",
    "SceneError",
    "SensitivityMap",
    "Source",
    "Surface",
    "Sweep",
    "Throughput",
    "WallModel",
    "dataset",
    "differentiable",
    "fit",
    "from_pyroomacoustics",
    "generators",
    "gradient",
    "import_materials",
    "import_model",
    "losses",
    "materials",
    "modes",
    "notches",
    "open_dataset",
    "open_result",
    "open_sweep",
    "optimise",
    "place",
    "stencils",
    "sweep",
]
