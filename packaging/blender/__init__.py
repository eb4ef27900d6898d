"""Room acoustics in Blender: the objects of a scene become a room for the program fdtd, and its results come back."""

from . import operators, panels, settings


def register() -> None:
    settings.register()
    operators.register()
    panels.register()


def unregister() -> None:
    panels.unregister()
    operators.unregister()
    settings.unregister()
