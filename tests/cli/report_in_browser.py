"""A report in headless Chromium: it renders without a message on the console, fetches nothing, fits a phone, and turns.

usage: report_in_browser.py FDTD SCENE...    runs each scene coarsely, or takes a report.html as it is

The first scene is run once more, too short for any decay: then the plot of decays says so. Where there is no Chromium
(Debian's package chromium) it ends with 77, which CTest takes for skipped, or fails with FDTD_BROWSER=required.
"""

import functools
import html
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

COARSE = ["--set", "simulation.duration=1.0", "--set", "simulation.max_frequency=250"]  # octaves of 31.5 to 125 Hz
TOO_SHORT = ["--set", "simulation.duration=0.02", "--set", "simulation.max_frequency=250"]

# Looks at the page in a frame as wide as a phone, then as a desk, and leaves what it saw as text.
PROBE = """<!DOCTYPE html><meta charset="utf-8"><pre id="seen"></pre><script>
const errors = [], seen = {};
async function look(width, dark) {
  const frame = document.createElement('iframe');
  frame.style.cssText = `width:${width}px;height:844px;border:0`;
  frame.src = 'report.html';
  await new Promise(done => { frame.onload = done; document.body.append(frame); });
  await new Promise(done => setTimeout(done, 300));
  const page = frame.contentDocument, view = frame.contentWindow;
  for (const part of page.querySelectorAll('details')) part.open = true;
  const wide = [...page.body.querySelectorAll('*')].filter(e => !e.closest('.scroll, pre, svg') &&
    e.getBoundingClientRect().right > width + 0.5).map(e => e.tagName + '.' + e.className);
  const canvas = page.getElementById('room');
  const colours = () => {
    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, set = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3]) set.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return set.size;
  };
  const picture = () => canvas.toDataURL();
  const before = canvas && picture();
  let turned = false, keyed = false;
  if (canvas) {
    const at = (kind, x) => canvas.dispatchEvent(new view.PointerEvent(kind, { clientX: x, clientY: 200, pointerId: 1, pointerType: 'touch', bubbles: true }));
    canvas.setPointerCapture = () => {};
    at('pointerdown', 100); at('pointermove', 160); at('pointerup', 160);
    turned = picture() !== before;
    const then = picture();
    canvas.dispatchEvent(new view.KeyboardEvent('keydown', { key: 'ArrowUp' }));
    keyed = picture() !== then;
  }
  const images = [...page.querySelectorAll('image')];
  const loaded = await Promise.all(images.map(one => new Promise(done => {
    const test = new view.Image();
    test.onload = () => done(test.naturalWidth > 1);
    test.onerror = () => done(false);
    test.src = one.getAttribute('href');
  })));
  const text = page.querySelector('svg .title');
  const result = {
    scroll: page.documentElement.scrollWidth, client: page.documentElement.clientWidth, wide,
    colours: canvas ? colours() : 0, turned, keyed,
    images: images.length, loaded: loaded.filter(Boolean).length,
    plots: page.querySelectorAll('svg[role=img]').length,
    unnamed: [...page.querySelectorAll('svg[role=img], canvas')].filter(e => !e.getAttribute('aria-label')).length,
    smallest: Math.min(...[...page.querySelectorAll('svg[role=img] text')].map(e => e.getBoundingClientRect().height)),
    fetched: view.performance.getEntriesByType('resource').map(e => e.name).filter(name => !name.startsWith('data:')),
    empty: [...page.querySelectorAll('svg[role=img]')].filter(e => !e.querySelector('path, image')).map(e => [
      e.getAttribute('aria-label'), [...e.querySelectorAll('.empty')].map(text => text.textContent).join(' ')]),
  };
  frame.remove();
  return result;
}
(async () => {
  try { seen.phone = await look(390); seen.desk = await look(1200); } catch (error) { seen.error = String(error.stack); }
  document.getElementById('seen').textContent = JSON.stringify(seen);
  document.title = 'done';
})();
</script>"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the folder and notes what was asked for."""

    asked: list = []

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.asked.append(self.path)
        super().do_GET()


def browse(chromium, folder):
    """What PROBE saw, the console's lines, and the paths that the server was asked for."""
    (folder / "probe.html").write_text(PROBE)
    Quiet.asked = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        done = subprocess.run(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
             "--enable-logging=stderr", "--v=0", f"--user-data-dir={folder / 'profile'}", "--window-size=1300,1000",
             "--virtual-time-budget=20000", "--timeout=60000", "--dump-dom",
             f"http://127.0.0.1:{server.server_address[1]}/probe.html"],
            capture_output=True, text=True, timeout=180, check=False)
    finally:
        server.shutdown()
    found = re.search(r'<pre id="seen">(.+?)</pre>', done.stdout, re.S)
    if not found:
        sys.exit(f"Chromium gave no page:\n{done.stderr[-3000:]}")
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return json.loads(html.unescape(found.group(1))), console, list(Quiet.asked)


def problems_of(seen, console, asked, empty):
    """`empty`: the plots that have nothing to draw, with the reasons that they must give."""
    if "error" in seen:
        return [seen["error"]]
    problems = [f"console: {line}" for line in console]
    problems += [f"fetched {path}" for path in asked if path not in ("/probe.html", "/report.html", "/favicon.ico")]
    for name, view in seen.items():
        if view["scroll"] > view["client"] or view["wide"]:
            problems.append(f"{name}: {view['scroll']} px wide in {view['client']}, beyond: {view['wide'][:5]}")
        if view["fetched"]:
            problems.append(f"{name}: fetched {view['fetched']}")
        if view["unnamed"] or view["plots"] < 5:
            problems.append(f"{name}: {view['plots']} plots, {view['unnamed']} without a name")
        unexpected = [(title, why) for title, why in view["empty"]
                      if not any(start in title and reason in why for start, reason in empty.items())]
        if unexpected or any(not any(start in title for title, _ in view["empty"]) for start in empty):
            problems.append(f"{name}: empty plots: {view['empty']}, expected: {empty}")
        if view["loaded"] != view["images"] or view["images"] < 1:
            problems.append(f"{name}: {view['loaded']} of {view['images']} pictures can be read")
        if view["colours"] < 5 or not view["turned"] or not view["keyed"]:
            problems.append(f"{name}: the room has {view['colours']} colours, turned: {view['turned']}, {view['keyed']}")
        if view["smallest"] < 7:
            problems.append(f"{name}: text {view['smallest']:.1f} px high")
    return problems


def main():
    program, *scenes = sys.argv[1:]
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        required = os.environ.get("FDTD_BROWSER") == "required"
        print(f"{'failed' if required else 'skipped'}: there is no Chromium here (Debian: apt-get install chromium)")
        sys.exit(1 if required else 77)
    failed = False
    runs = [(scene, COARSE, {}) for scene in scenes] + [(scenes[0], TOO_SHORT, {"Decay": "no decay: "})]
    for scene, options, empty in runs:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            if scene.endswith(".html"):
                if options is TOO_SHORT:
                    continue
                shutil.copy(scene, folder / "report.html")
            else:
                subprocess.run([program, "run", scene, "-o", folder / "made", "--quiet", *options],
                               check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                shutil.copy(folder / "made/report.html", folder / "report.html")
            seen, console, asked = browse(chromium, folder)
            problems = problems_of(seen, console, asked, empty)
            print(f"{scene} {' '.join(options)}: {'; '.join(problems) if problems else 'good'}")
            failed = failed or bool(problems)
    sys.exit(1 if failed else 0)


main()
