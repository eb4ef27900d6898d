"""The studio's server: at 127.0.0.1 alone, behind the guard."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Response
from fastapi.responses import FileResponse
from nicegui import ui

from .bodies import BodyStore
from .folder import OutsideFolder
from .guard import Guard
from .page import Page
from .session import Session

RECONNECT = 60.0  # s
SERVED = (".png", ".wav", ".flac")  # no page of a file: it would speak in the studio's name


class Studio:
    """The application of a session, listening to a port.

    Parameters
    ----------
    session : Session
    port : int
        0: any that is free.

    Attributes
    ----------
    guard : Guard
        ``guard.address`` is the page's address with its token.
    """

    def __init__(self, session: Session, port: int = 0) -> None:
        self.session = session
        _ = session.library  # asks the program, which takes too long to do it while the page waits
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port))
        self._socket.listen(128)  # a browser that comes before the server accepts waits, and is not refused
        self.port = int(self._socket.getsockname()[1])
        app = FastAPI(openapi_url=None)
        store = BodyStore(app)
        app.add_api_route("/studio/file/{name:path}", self._file, methods=["GET"])

        @ui.page("/", title="fdtd studio", language="en-US")
        def index() -> None:
            Page(session, store)

        # A browser that is slow to come, or comes back from sleep, finds its page as it was.
        ui.run_with(app, title="fdtd studio", show_welcome_message=False, language="en-US", reconnect_timeout=RECONNECT)
        self.guard = Guard(app, self.port)
        config = uvicorn.Config(self.guard, log_level="warning", access_log=False, server_header=False, proxy_headers=False)
        self._server = uvicorn.Server(config)

    def serve(self) -> None:
        """Serve until Ctrl-C; a run that is at work then writes a checkpoint."""
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self.session.planner.close()
            self.session.sensitivity.stop()
            self.session.runner.stop()
            self.session.runner.join(60.0)

    def stop(self) -> None:
        """End :meth:`serve`, from another thread."""
        self._server.should_exit = True

    def _file(self, name: str) -> Response:
        try:
            path = self.session.folder.path(name)
        except OutsideFolder:
            return Response("Refused: outside the opened folder.\n", status_code=403)
        if path.suffix.lower() not in SERVED or not path.is_file():
            return Response(status_code=404)
        return FileResponse(path)


def redirect_file(address: str) -> Path:
    """A page that only this user can read and that leads to the address: arguments of a browser all users can read."""
    handle, name = tempfile.mkstemp(prefix="roomfdtd-studio-", suffix=".html")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f'<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={address}">\n')
    return Path(name)
