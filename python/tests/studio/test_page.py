"""A user's path on the page, in headless Chromium; and pages that have no business there."""

import http.server
import re
import shutil
import socket
import subprocess
import threading
import time
import tomllib

import pytest

pytest.importorskip("nicegui")
pytest.importorskip("trimesh")
pytest.importorskip("playwright")

from roomfdtd import _engine  # noqa: E402
from studio_browser import CHROMIUM, LONGEST, browser, choose, set_field, started, watched  # noqa: E402
from studio_scenes import BOX  # noqa: E402

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

UNNAMED = """() => [...document.querySelectorAll('input, button, select, textarea, [role=img], audio')]
  .filter(e => e.offsetParent && !(e.getAttribute('aria-label') || e.labels?.length || e.textContent.trim() || e.closest('label')))
  .map(e => e.outerHTML.slice(0, 120))"""
CAMERA = "() => { const view = document.querySelector('.nicegui-scene'); return getElement(Number(view.id.replace('c', ''))).camera.position.toArray(); }"
WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture()
def hall(root, tmp_path):
    for name in ("hall.toml", "hall.obj"):
        shutil.copy(root / "scenes/examples" / name, tmp_path)
    return tmp_path / "hall.toml"


def drag(page, words, across, up):
    """Drag the body under a label."""
    box = page.locator(".studio-view").get_by_text(words, exact=True).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 6):
        page.mouse.move(x + across * step / 5, y + up * step / 5)
        time.sleep(0.05)
    page.mouse.up()


def wait_for(condition):
    deadline = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)


def test_a_hall_is_opened_changed_planned_run_and_heard(hall):
    before = hall.read_text()
    with started(hall) as address, browser() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        complaints = watched(page, address.partition("/?")[0])
        page.goto(address)
        page.get_by_text("Waves valid to").wait_for()
        page.wait_for_timeout(1500)
        label = page.locator(".studio-view").get_by_text("stage", exact=True)
        before_drag = label.bounding_box()
        drag(page, "stage", 30, -12)
        page.get_by_text("(not saved)").wait_for()
        page.wait_for_timeout(1000)
        for axis, way in (("x", 30), ("y", -12)):
            assert abs(label.bounding_box()[axis] - before_drag[axis] - way) < 8, "it is where the mouse has left it"
        set_field(page, "stage, y in m", 0.25)
        choose(page, "Material of curtain", "curtain-cotton")
        choose(page, "Above that", "Waves alone")
        set_field(page, "Duration / s", "1.0")
        set_field(page, "Waves up to / Hz", 250)
        page.get_by_text("250 Hz", exact=True).first.wait_for()
        assert page.evaluate(WIDE) <= 0 and page.evaluate(UNNAMED) == []
        page.get_by_role("button", name="Run").click()
        page.get_by_label("T20 by octave, source stage").wait_for()
        table = page.get_by_label("T20 by octave, in s")
        assert float(table.locator("tbody tr").first.locator("td").nth(3).inner_text()) > 0.1
        page.get_by_role("button", name="Listen").click()
        page.locator("audio").first.wait_for()
        page.wait_for_function("() => document.querySelector('audio').duration > 3")
        assert page.evaluate(WIDE) <= 0 and page.evaluate(UNNAMED) == []
        page.set_viewport_size({"width": 800, "height": 1100})
        page.wait_for_timeout(300)
        assert page.evaluate(WIDE) <= 0
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_text("Saved hall.toml").wait_for()
        assert hall.read_text() != before
        page.keyboard.press("Control+z")
        page.get_by_text("(not saved)").wait_for()
        assert complaints == []
    scene = tomllib.loads(hall.read_text())
    x, y, z = scene["source"][0]["position"]
    assert (y, z) == (0.25, 2.5) and abs(x - 2.0) > 0.05, "dragged level"
    assert scene["room"]["walls"]["curtain"] == "curtain-cotton"
    assert [line.partition("#")[2] for line in hall.read_text().splitlines() if "#" in line] == [
        line.partition("#")[2] for line in before.splitlines() if "#" in line
    ], "comments stay"
    subprocess.run([_engine.program(), "run", "hall.toml", "-o", "by_hand", "--quiet"], cwd=hall.parent, check=True)
    for name in ("ir_stalls.wav", "responses.wav"):
        assert (hall.parent / "out/hall" / name).read_bytes() == (hall.parent / "by_hand" / name).read_bytes()


def test_the_room_is_used_by_keyboard_and_by_night(hall):
    with started(hall) as address, browser() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        complaints = watched(page, address.partition("/?")[0])
        page.goto(address)
        page.locator(".studio-view").get_by_text("stage", exact=True).wait_for()
        page.wait_for_timeout(500)
        page.locator(".studio-view").focus()
        page.keyboard.press("p")
        page.get_by_text("Surface ", exact=False).first.wait_for()
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        page.keyboard.press("ArrowUp")
        page.get_by_text(re.compile(r"Source stage at .*, 0\.6, 2\.5 m")).wait_for()
        wait_for(lambda: page.get_by_label("stage, y in m", exact=True).input_value() == "0.6")
        seen = page.evaluate(CAMERA)
        page.keyboard.press("d")
        page.wait_for_function(f"(seen) => JSON.stringify(({CAMERA})()) !== JSON.stringify(seen)", arg=seen)
        page.emulate_media(color_scheme="dark")
        page.wait_for_function("() => document.body.classList.contains('body--dark')")
        page.get_by_label("Appearance: as the system").click()
        page.get_by_label("Appearance: dark").click()
        page.wait_for_function("() => !document.body.classList.contains('body--dark')")
        assert page.evaluate("() => localStorage.getItem('fdtd-studio-appearance')") == "light"
        page.get_by_text("Notches by walls").click()
        page.get_by_label("Notches by first reflections of walls").locator("tbody tr").first.wait_for()
        page.wait_for_timeout(500)
        assert page.evaluate("() => scrollY > 100 && document.querySelector('.studio-view').getBoundingClientRect().top > 40"), "the room stays in sight"
        assert page.evaluate(WIDE) <= 0 and page.evaluate(UNNAMED) == [] and complaints == []


DRAWN = "() => getElement(Number(document.querySelector('.nicegui-scene').id.replace('c', ''))).renderer.info.render.frame"
LIST = "() => [...document.querySelectorAll('.q-menu')].map(one => getComputedStyle(one).visibility)"


def test_a_page_at_rest_draws_nothing_and_a_list_that_is_late_is_shown(tmp_path):
    """Without a GPU pictures of a room leave a page no time, and Quasar gives up to place a list without a size."""
    scene = tmp_path / "box.toml"
    scene.write_text(BOX)
    with started(scene) as address, browser() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        complaints = watched(page, address.partition("/?")[0])
        page.goto(address)
        page.get_by_text("Waves valid to").wait_for()
        page.evaluate("() => { window.plans = 0; new MutationObserver(() => { window.plans += 1; }).observe(document.querySelector('[aria-label=Plan]'), {childList: true}); }")
        page.get_by_text("Notches by walls").click()
        page.get_by_label("Notches by first reflections of walls").locator("tbody tr").first.wait_for()
        assert page.evaluate("() => window.plans") == 0, "screen readers speak a plan once"

        def drawn_in_a_while():
            before = page.evaluate(DRAWN)
            page.wait_for_timeout(700)
            return page.evaluate(DRAWN) - before

        wait_for(lambda: drawn_in_a_while() == 0)
        page.locator(".studio-view").focus()
        for key in ("d", "n", "ArrowUp"):
            before = page.evaluate(DRAWN)
            page.keyboard.press(key)
            page.wait_for_function(f"(before) => ({DRAWN})() > before", arg=before)
        style = page.add_style_tag(content=".q-menu > * { display: none }")
        page.get_by_label("Above that", exact=True).first.click()
        page.wait_for_function(f"() => ({LIST})().includes('hidden')")
        page.wait_for_timeout(500)  # Quasar's second and last attempt
        assert page.evaluate(LIST) == ["hidden"]
        style.evaluate("one => one.remove()")
        page.wait_for_function(f"() => ({LIST})()[0] === 'visible'")
        page.keyboard.press("Escape")
        near = page.evaluate(CAMERA)
        page.get_by_role("button", name="Open", exact=True).click()
        set_field(page, "x / m", 60)
        page.get_by_role("button", name="New box").click()
        page.wait_for_function(f"(near) => ({CAMERA})()[2] > 3 * near[2]", arg=near)  # a room of another size is seen
        set_field(page, "Length / m", 50)
        page.get_by_label("Undo: length 50 m").wait_for()
        set_field(page, "Air / °C", 25)
        page.get_by_label("Undo: air of 25 °C").wait_for()
        page.get_by_role("switch", name="Film of a slice").click()
        page.get_by_label("Undo: film at z = 1.2 m").wait_for()
        assert complaints == []


HOSTILE = """async (host) => {
  const socket = await new Promise(done => {
    const one = new WebSocket(`ws://${host}/_nicegui_ws/socket.io/?EIO=4&transport=websocket`);
    one.onopen = () => done('open');
    one.onerror = () => done('refused');
  });
  const read = await fetch(`http://${host}/`, {credentials: 'include'}).then(r => r.status, () => 'refused');
  const sent = await fetch(`http://${host}/`, {method: 'POST', mode: 'no-cors', credentials: 'include'}).then(r => r.type, () => 'refused');
  const frame = await new Promise(done => {
    const one = document.createElement('iframe');
    one.src = `http://${host}/`;
    one.onload = () => { try { done(one.contentDocument ? 'own' : 'foreign'); } catch { done('foreign'); } };
    document.body.append(one);
  });
  return {socket, read, sent, frame};
}"""


def test_another_page_and_another_user_are_refused(hall):
    class Empty(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!DOCTYPE html><title>hostile</title><body>")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Empty)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with started(hall) as address, browser() as chromium:
            origin = address.partition("/?")[0]
            host = origin.removeprefix("http://")
            own = chromium.new_context()
            page = own.new_page()
            page.goto(address)
            page.get_by_text("fdtd studio").first.wait_for()
            assert "token" not in page.url, "the address bar shows no token"
            assert page.evaluate("() => document.cookie") == ""
            hostile = own.new_page()  # of the same browser, which has the cookie
            hostile.goto(f"http://127.0.0.1:{server.server_address[1]}/")
            seen = hostile.evaluate(HOSTILE, host)
            assert seen["socket"] == "refused" and seen["read"] == "refused" and seen["frame"] == "foreign"
            assert own.request.post(f"{origin}/", headers={"origin": "http://evil.example"}).status == 403
            assert own.request.get(f"{origin}/", headers={"host": "evil.example"}).status == 403
            assert own.request.get(f"{origin}/studio/file/..%2f..%2fetc%2fpasswd").status == 403
            assert own.request.get(f"{origin}/studio/file/hall.toml").status == 404, "sounds and pictures alone"
            assert own.request.get(f"{origin}/").status == 200
            with pytest.raises(ConnectionRefusedError):  # another address of this machine
                socket.create_connection(("127.0.0.2", int(host.partition(":")[2])), 5)
            second = chromium.new_context()
            assert second.request.get(f"{origin}/").status == 403
            guess = re.sub(r"token=.", "token=!", address)
            assert second.request.get(guess).status == 403
    finally:
        server.shutdown()


PROPERTY = """x" :title="(window.hacked=1)" y=\"1"""
ELEMENT = "<img src=x onerror=window.hacked=1>"
TEMPLATE = "`${window.hacked=1}`"
HOSTILE_SCENE = f"""schema = 1
[simulation]
duration = 0.2
max_frequency = 100.0
[above]
method = "none"
[room]
box = [3.0, 2.5, 2.2]
[room.walls]
default = '{TEMPLATE}'
[materials.'{TEMPLATE}']
admittance = 0.2
[[source]]
name = '{ELEMENT}'
position = [0.8, 0.7, 1.1]
[[receiver]]
name = '{PROPERTY}'
position = [2.1, 1.7, 1.0]
"""


def test_names_of_a_scene_are_no_code(tmp_path):
    folder = tmp_path / "a # folder % of 100"
    folder.mkdir()
    scene = folder / "hostile.toml"
    scene.write_text(HOSTILE_SCENE)
    with started(scene) as address, browser() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        complaints = watched(page, address.partition("/?")[0])
        page.goto(address)
        page.get_by_text("holds the character").first.wait_for()  # the program refuses them, after the page has shown them
        page.get_by_label(f"{PROPERTY}, x in m", exact=True).first.wait_for()
        page.wait_for_timeout(500)
        assert page.evaluate("() => window.hacked") is None
        assert complaints == []
