"""Bodies that the page draws, kept while it may fetch them."""

from __future__ import annotations

from collections import OrderedDict

from fastapi import FastAPI, Response

from .drawing import Body

MOST = 256


class BodyStore:
    """Serves bodies at ``/studio/body/KEY.stl``.

    Parameters
    ----------
    app : FastAPI
    """

    def __init__(self, app: FastAPI) -> None:
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        app.add_api_route("/studio/body/{key}.stl", self._serve, methods=["GET"])

    def put(self, body: Body) -> str:
        """The address of a body."""
        self._kept[body.key] = body.stl
        self._kept.move_to_end(body.key)
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)
        return f"/studio/body/{body.key}.stl"

    def _serve(self, key: str) -> Response:
        stl = self._kept.get(key)
        return Response(status_code=404) if stl is None else Response(stl, media_type="model/stl")
