"""The opened folder: no path that the page names leads out of it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from ..errors import FdtdError

MESHES = (".obj", ".stl", ".ply", ".gltf", ".glb", ".dae", ".dxf")
SOUNDS = (".wav", ".flac")
MOST_LISTED = 2000


class OutsideFolder(FdtdError):
    """A path that leads out of the opened folder."""

    status = 5


class Folder:
    """A folder whose files may be read and written, and no others.

    Parameters
    ----------
    root : Path
        It must exist.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve(strict=True)

    def path(self, name: str | Path) -> Path:
        """The path of a file or folder, ``..`` and symbolic links resolved; it need not exist.

        Raises
        ------
        OutsideFolder
            It lies outside the folder.
        """
        try:
            found = (self.root / name).resolve()
        except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a null byte
            raise OutsideFolder(f"{str(name)!r}: no path of a file") from error
        if not found.is_relative_to(self.root):
            raise OutsideFolder(
                f"{str(name)!r}: it lies outside {self.root}", "open the studio in a folder that holds both"
            )
        return found

    def name(self, path: Path) -> str:
        """A path as the page shows it: from the folder on."""
        return self.path(path).relative_to(self.root).as_posix()

    def address(self, path: Path) -> str:
        """The address at which the page's server has a file."""
        return f"/studio/file/{quote(self.name(path))}"

    def files(self, *suffixes: str) -> list[str]:
        """Names of the files with these endings, three folders deep; hidden ones left out."""
        found: list[str] = []
        level = [self.root]
        for _ in range(3):
            below: list[Path] = []
            for folder in level:
                for entry in _entries(folder):
                    if entry.is_dir() and not entry.is_symlink():
                        below.append(entry)
                    elif entry.suffix.lower() in suffixes and self._is_inside(entry):
                        found.append(entry.relative_to(self.root).as_posix())
                if len(found) >= MOST_LISTED:
                    return sorted(found)
            level = below
        return sorted(found)

    def _is_inside(self, path: Path) -> bool:
        try:
            return self.path(path).is_file()
        except OutsideFolder:
            return False


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError:
        return []
