"""Who may talk to the studio: one browser of this machine's user, on the studio's own page.

An ASGI application around another one. Every request, the handshake of a web socket included, passes these checks:

- the header ``Host`` is 127.0.0.1 with the studio's port: a name that an attacker's DNS points here is refused;
- the header ``Origin``, where there is one, is the studio's own, and there must be one for a web socket and for every
  method that changes something: another page of the same browser is refused;
- the cookie that the first page has set, or the token in the address of that page: another user is refused.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

READING = ("GET", "HEAD")
# The page goes on by itself: of a redirection from another site's link browsers send no SameSite=Strict cookie.
WELCOME = b"""<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/">
<title>fdtd studio</title><p><a href="/">Open the studio</a></p></html>"""


class Guard:
    """The checks, around an application.

    Parameters
    ----------
    app : App
        Sees only what has passed.
    port : int
        That the studio listens to.
    token : str, optional
        By default 256 random bits.
    """

    def __init__(self, app: App, port: int, token: str | None = None) -> None:
        self.app = app
        self.token = token or secrets.token_urlsafe(32)
        self.host = f"127.0.0.1:{port}"
        self.origin = f"http://{self.host}"
        self.cookie = f"roomfdtd_studio_{port}"  # browsers share cookies among the ports of a machine
        self._headers = [(name.encode(), value.encode()) for name, value in security_headers(self.host).items()]

    @property
    def address(self) -> str:
        """The address to open, with the token."""
        return f"{self.origin}/?token={self.token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        refused = self.refusal(scope)
        if refused:
            await _refuse(scope, receive, send, refused)
        elif scope["type"] == "http" and self._brings_token(scope):
            await self._welcome(send)
        else:
            await self._pass_on(scope, receive, send)

    def refusal(self, scope: Scope) -> str:
        """Why a request is refused; empty where it is not."""
        if _header(scope, b"host") != self.host:
            return "the studio is reached at 127.0.0.1 alone"
        origin = _header(scope, b"origin")
        needs_origin = scope["type"] == "websocket" or scope.get("method") not in READING
        if origin is None and needs_origin or origin is not None and origin != self.origin:
            return "another page may not use the studio"
        if not self._brings_cookie(scope) and not (scope["type"] == "http" and self._brings_token(scope)):
            return "open the address that the studio has printed"
        return ""

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """To the application; its complaint that nobody waits for an answer is none where the browser has gone."""
        gone = False

        async def watched() -> Message:
            nonlocal gone
            message = await receive()
            gone = gone or message["type"] == "http.disconnect"
            return message

        try:
            await self.app(scope, watched, self._with_headers(send))
        except RuntimeError:
            if not gone:
                raise

    def _brings_cookie(self, scope: Scope) -> bool:
        try:
            jar = SimpleCookie(_header(scope, b"cookie") or "")
        except CookieError:
            return False
        return self.cookie in jar and _equal(jar[self.cookie].value, self.token)

    def _brings_token(self, scope: Scope) -> bool:
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        return scope.get("path") == "/" and any(_equal(one, self.token) for one in query.get("token", []))

    async def _welcome(self, send: Send) -> None:
        cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
        kind = (b"content-type", b"text/html; charset=utf-8")
        headers = [*self._headers, kind, (b"set-cookie", cookie.encode()), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": WELCOME})

    def _with_headers(self, send: Send) -> Send:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *self._headers]
            await send(message)

        return sent


def security_headers(host: str) -> dict[str, str]:
    """Headers of every answer: nothing is loaded from elsewhere, no other page shows the studio in a frame.

    Vue compiles its templates in the browser, which takes 'unsafe-eval'; NiceGUI's page starts itself by a script in it.
    """
    policy = {
        "default-src": "'none'",
        "script-src": "'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "media-src": "'self' blob:",
        "connect-src": f"'self' ws://{host}",
        "worker-src": "'self' blob:",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return {
        "content-security-policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
    }


def _header(scope: Scope, name: bytes) -> str | None:
    """A header's value; of several the values together, which no check accepts."""
    found = [value.decode("latin-1") for key, value in scope["headers"] if key == name]
    return ", ".join(found) if found else None


def _equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


async def _refuse(scope: Scope, receive: Receive, send: Send, why: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 4403, "reason": why})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": f"Refused: {why}.\n".encode()})
