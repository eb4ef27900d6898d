"""``python -m roomfdtd.studio [SCENE]``: opens the studio in the browser."""

from __future__ import annotations

import argparse
import sys
import threading
import webbrowser
from pathlib import Path

from .. import _lazy
from ..errors import FdtdError

PACKAGES = "nicegui tomlkit trimesh scipy"  # those of the extra


def port(text: str) -> int:
    """The number of a port; argparse names this function in its error."""
    number = int(text)
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{number} is no port: give 0 to 65535")
    return number


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m roomfdtd.studio", description=(
        "Opens a page of this machine on which a scene is made, planned, run and listened to. "
        "Files are read and written in the scene's folder alone, or in the current one."
    ))  # fmt: skip
    parser.add_argument("scene", nargs="?", type=Path, help="scene file (TOML), or a folder; without it, a new box")
    parser.add_argument("--port", type=port, default=0, help="port at 127.0.0.1; 0, the default: any that is free")
    parser.add_argument("--no-browser", action="store_true", help="print the address alone, and open no browser")
    options = parser.parse_args()
    try:
        from .server import Studio, redirect_file
        from .session import Session
    except ImportError as error:
        print(_lazy.missing(error.name or "nicegui", "studio", error, PACKAGES), file=sys.stderr)
        return 3
    given: Path = options.scene or Path()
    try:
        session = Session(given) if given.is_dir() else Session(given.parent, Path(given.name))
        studio = Studio(session, options.port)
    except FdtdError as error:
        print(f"roomfdtd.studio: {error}", file=sys.stderr)
        return error.status
    except OSError as error:
        place = f"port {options.port}" if given.parent.exists() else given.parent
        hint = "leave --port out, and a free one is taken" if given.parent.exists() else "open a folder that exists"
        print(f"roomfdtd.studio: {place}: {error.strerror}\n  hint: {hint}", file=sys.stderr)
        return 5
    print(f"The studio is at\n  {studio.guard.address}\nuntil Ctrl-C. The address is yours alone: it holds the token.", flush=True)
    page = None if options.no_browser else redirect_file(studio.guard.address)
    if page is not None:
        threading.Timer(0.5, webbrowser.open, [page.as_uri()]).start()
    try:
        studio.serve()
    finally:
        if page is not None:
            page.unlink(missing_ok=True)
    return 0


sys.exit(main())
