"""The studio's guard: another page, another user, another name of this machine, a path out of the folder."""

import asyncio
import os
import pathlib
import re

import pytest
from roomfdtd.studio import folder
from roomfdtd.studio.folder import Folder, OutsideFolder
from roomfdtd.studio.guard import Guard

PORT = 18080
HOST = f"127.0.0.1:{PORT}"


async def inner(scope, receive, send):
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"inside"})


GUARD = Guard(inner, PORT)
COOKIE = f"{GUARD.cookie}={GUARD.token}"


def asked(kind="http", method="GET", path="/", query="", again=(), **headers):
    """Messages that a request is answered with; a header that is None is left out, those of `again` come a second time."""
    named = {"host": HOST, "cookie": COOKIE} | headers
    scope = {
        "type": kind,
        "path": path,
        "query_string": query.encode(),
        "headers": [(key.encode(), value.encode()) for key, value in [*again, *named.items()] if value is not None],
    }
    if kind == "http":
        scope["method"] = method
    sent = []

    async def receive():
        return {"type": f"{kind}.connect" if kind == "websocket" else "http.request"}

    async def send(message):
        sent.append(message)

    asyncio.run(GUARD(scope, receive, send))
    return sent


def status(**request):
    first = asked(**request)[0]
    if first["type"] == "websocket.accept":
        return 101
    return first["status"] if first["type"] == "http.response.start" else first["code"]


def test_the_own_page_is_served():
    assert status() == 200
    assert status(method="POST", origin=f"http://{HOST}") == 200
    assert status(kind="websocket", origin=f"http://{HOST}") == 101


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", f"localhost:{PORT}", "127.0.0.1", None])
def test_another_name_of_this_machine_is_refused(host):
    assert status(host=host) == 403
    assert status(kind="websocket", origin=f"http://{HOST}", host=host) == 4403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1", f"https://{HOST}", ""])
def test_another_page_is_refused(origin):
    assert status(origin=origin) == 403
    assert status(method="POST", origin=origin) == 403
    assert status(kind="websocket", origin=origin) == 4403


def test_a_socket_or_a_change_without_an_origin_is_refused():
    assert status(kind="websocket") == 4403
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert status(method=method) == 403


def test_two_hosts_or_origins_are_refused():
    """A proxy and a server may each read another one of them."""
    for name, other in (("host", "evil.example"), ("host", HOST), ("origin", "http://evil.example")):
        assert status(again=[(name, other)], origin=f"http://{HOST}") == 403


PART = GUARD.token[:-1]


@pytest.mark.parametrize("cookie", [None, "", f"{GUARD.cookie}=guess", f"other={GUARD.token}", f"{GUARD.cookie}=", f"{GUARD.cookie}={PART}"])
def test_a_second_user_is_refused(cookie):
    assert status(cookie=cookie) == 403
    for wrong in ("guess", PART, GUARD.token + "a", ""):
        assert status(cookie=cookie, query=f"token={wrong}") == 403
    assert status(cookie=cookie, path="/file", query=f"token={GUARD.token}") == 403, "a token opens the page alone"
    assert status(kind="websocket", origin=f"http://{HOST}", cookie=cookie) == 4403
    own = f"token={GUARD.token}"
    assert status(kind="websocket", origin=f"http://{HOST}", cookie=cookie, query=own) == 4403


def test_the_token_is_exchanged_for_a_cookie_that_scripts_and_other_sites_do_not_get():
    start, body = asked(cookie=None, query=f"token={GUARD.token}")
    headers = dict(start["headers"])
    assert headers[b"set-cookie"] == f"{COOKIE}; Path=/; HttpOnly; SameSite=Strict".encode()
    assert headers[b"cache-control"] == b"no-store"
    assert b"inside" not in body["body"] and GUARD.token.encode() not in body["body"]
    assert Guard(inner, PORT).token != GUARD.token and len(GUARD.token) >= 43


@pytest.mark.parametrize("request_", [{}, {"cookie": None, "query": f"token={GUARD.token}"}])
def test_every_answer_forbids_what_comes_from_elsewhere(request_):
    headers = dict(asked(**request_)[0]["headers"])
    for name, value in ((b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"), (b"x-frame-options", b"DENY")):
        assert headers[name] == value
    assert headers[b"cross-origin-resource-policy"] == headers[b"cross-origin-opener-policy"] == b"same-origin"
    policy = headers[b"content-security-policy"].decode()
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'" and rules["frame-ancestors"] == "'none'"
    allowed = {source for rule in rules.values() for source in rule.split()}
    assert {source for source in allowed if "/" in source} == {f"ws://{HOST}"}
    assert not allowed & {"*", "https:", "http:"}


def test_a_refusal_is_plain_text_that_is_not_kept():
    start, body = asked(cookie=None)
    headers = dict(start["headers"])
    assert headers == {b"content-type": b"text/plain; charset=utf-8", b"cache-control": b"no-store"}
    assert body["body"].startswith(b"Refused: ") and GUARD.token.encode() not in body["body"]


def test_a_path_out_of_the_folder_is_refused(tmp_path):
    opened = tmp_path / "opened"
    (opened / "in").mkdir(parents=True)
    (tmp_path / "secret.toml").write_text("schema = 1\n")
    (tmp_path / "opened-too").mkdir()
    (tmp_path / "opened-too/x.toml").write_text("")
    (opened / "room.toml").write_text("")
    (opened / ".hidden.toml").write_text("")
    os.symlink(tmp_path / "secret.toml", opened / "link.toml")
    os.symlink(tmp_path, opened / "up")
    os.symlink(opened / "loop", opened / "loop")
    folder = Folder(opened)
    outside = ["../secret.toml", str(tmp_path / "secret.toml"), "link.toml", "up/secret.toml", "in/../../secret.toml"]
    for name in [*outside, "../opened-too/x.toml", "a\0b", "/etc/passwd"]:
        with pytest.raises(OutsideFolder):
            folder.path(name)
    assert folder.path("in/../room.toml") == opened.resolve() / "room.toml"
    assert folder.path("new.toml") == opened.resolve() / "new.toml"
    assert folder.files(".toml") == ["room.toml"]


def test_no_name_of_a_scene_is_read_as_properties():
    """A quotation mark in a name would end a value in ``props``, whose keys with a colon are code in the browser."""
    sources = list(pathlib.Path(folder.__file__).parent.glob("*.py"))
    assert len(sources) > 20
    for source in sources:
        assert not re.search(r"""props\(\s*f["']""", source.read_text()), source
