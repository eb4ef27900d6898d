"""One user's work: the opened folder, the edited scene, its plan and its runs. Knows no page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import tomlkit

from .. import _engine
from ..errors import FdtdError
from .begin import box_scene, mesh_scene
from .document import SceneDocument
from .folder import MESHES, Folder
from .planner import DEBOUNCE, Planner
from .runner import Runner
from .sensitivity import Sensitivity

BOX_WALLS = ("x_min", "x_max", "y_min", "y_max", "z_min", "z_max")
FIRST_BOX = (5.0, 4.0, 3.0)  # m


class Session:
    """The opened folder, and what is done in it.

    Parameters
    ----------
    root : Path
        The folder.
    scene : Path, optional
        A scene in it; by default a new box.
    debounce : float
        As :class:`Planner` takes it.
    """

    def __init__(self, root: Path, scene: Path | None = None, debounce: float = DEBOUNCE) -> None:
        self.folder = Folder(root)
        text = box_scene(FIRST_BOX)
        self.document = SceneDocument(text) if scene is None else SceneDocument.open(self.folder.path(scene))
        self.planner = Planner(self._scene_folder(), debounce)
        self.runner = Runner(self._scene_folder())
        self.sensitivity = Sensitivity()
        self.revision = 0  # grows when another document is opened

    @property
    def name(self) -> str:
        """The scene's file as the page shows it; empty where it has none."""
        return "" if self.document.path is None else self.folder.name(self.document.path)

    @property
    def stem(self) -> str:
        """The name of the scene's runs."""
        return "scene" if self.document.path is None else self.document.path.stem

    @cached_property
    def library(self) -> list[dict[str, Any]]:
        """The entries of the material library."""
        return _engine.materials()

    # Scenes

    def open(self, name: str) -> None:
        """Open a scene of the folder."""
        self._take(SceneDocument.open(self.folder.path(name)))

    def new_box(self, size: Sequence[float] = FIRST_BOX) -> None:
        """Begin with a box of these sides (m)."""
        self._take(SceneDocument(box_scene(size)))

    def new_mesh(self, name: str, units: str = "", up: str = "") -> list[str]:
        """Begin with the inside of a mesh of the folder; notes on it, in sentences."""
        path = self.folder.path(name)
        if path.suffix.lower() not in MESHES or not path.is_file():
            raise FdtdError(f"{name}: no mesh", f"it reads {', '.join(MESHES)}")
        text, notes = mesh_scene(path, self.folder.root, units, up)
        self._take(SceneDocument(text))
        return notes

    def save(self, name: str = "", force: bool = False) -> Path:
        """Save the scene, as another file of the folder where `name` is given: ``.toml`` is added."""
        if not name:
            return self.document.save(force=force)
        path = self.folder.path(name if name.endswith(".toml") else f"{name}.toml")
        if path.parent != self._scene_folder():
            raise FdtdError(f"{name}: relative paths of the scene start from its folder", "save it there")
        return self.document.save(path, force=force)

    def _take(self, document: SceneDocument) -> None:
        if self.runner.status.active:
            raise FdtdError("a run is at work", "stop it, or wait for its end")
        self.document = document
        self.sensitivity.forget()
        self.planner.reset(self._scene_folder())
        self.runner.folder = self._scene_folder()
        self.revision += 1

    def _scene_folder(self) -> Path:
        return self.folder.root if self.document.path is None else self.document.path.parent

    # Edits

    def edit(self, label: str, change: Callable[[tomlkit.TOMLDocument], object]) -> bool:
        """Change the scene; whether it differs afterwards."""
        return self.document.edit(label, change)

    def points(self, kind: str) -> list[dict[str, Any]]:
        """Tables of the sources or receivers, each with a ``name``."""
        listed = self.document.tables.get(kind, [])
        return [one for one in listed if isinstance(one, dict) and one.get("name")] if isinstance(listed, list) else []

    def material_names(self) -> dict[str, str]:
        """Materials that a wall may name, and in what words: the scene's own, then the library's."""
        materials = self.document.tables.get("materials", {})
        own = {str(name): f"{name} (of this scene)" for name in materials} if isinstance(materials, dict) else {}
        library = {str(one["name"]): f"{one['name']}: {one['about']}" for one in self.library}
        return own | {name: words for name, words in library.items() if name not in own}

    # Runs

    def runs(self) -> list[str]:
        """Folders of finished runs, as the page shows them, the latest first."""
        files = [self.folder.path(name) for name in self.folder.files(".h5") if name.endswith("result.h5")]
        files.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        return [self.folder.name(path.parent) for path in files]
