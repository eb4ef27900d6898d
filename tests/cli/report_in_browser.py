"""A report in headless Chromium: it renders without a message on the console, fetches nothing, fits every screen from a
phone to a desk, follows a dark screen, and its room turns; without WebGL the plan of the room stands in its place.

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

# Receivers on a grid, which have maps.
GRID = """schema = 1
[simulation]
duration = 0.5
max_frequency = 250.0
[above]
method = "none"
[room]
box = [3.1, 2.7, 2.2]
walls = { default = "plaster" }
[materials.plaster]
absorption = { bands = [63, 125], alpha = [0.2, 0.2] }
[[source]]
name = "S"
position = [0.4, 0.5, 0.6]
[[receiver]]
name = "seat"
grid = { from = [1.0, 0.7, 1.2], to = [2.5, 2.2, 1.2], count = [3, 3, 1] }
"""

# Looks at the page in frames as wide as a phone, a tablet and a desk, and leaves what it saw as text.
PROBE = """<!DOCTYPE html><meta charset="utf-8"><pre id="seen"></pre><script>
const errors = [], seen = {};
const WIDTHS = location.search.slice(1).split(',').map(Number);
async function look(width) {
  const frame = document.createElement('iframe');
  frame.style.cssText = `width:${width}px;height:844px;border:0`;
  frame.src = 'report.html';
  await new Promise(done => { frame.onload = done; document.body.append(frame); });
  const page = frame.contentDocument, view = frame.contentWindow;
  const canvas = page.getElementById('room');
  // Until the room is drawn, or cannot be: in the time of messages, not in that of the clock, which the browser skips.
  while (canvas && !canvas.dataset.drawn && !canvas.dataset.missing)
    await new Promise(done => { const one = new MessageChannel(); one.port1.onmessage = done; one.port2.postMessage(0); });
  const plan = page.getElementById('room-plan'), planned = Boolean(plan && plan.open);
  for (const part of page.querySelectorAll('details')) part.open = true;
  await new Promise(done => setTimeout(done, 100));
  const wide = [...page.body.querySelectorAll('*')].filter(e => !e.closest('.scroll, pre, svg, #room-names') &&
    e.getBoundingClientRect().right > width + 0.5).map(e => e.tagName + '.' + e.className);
  const colours = () => {
    const flat = page.createElement('canvas');
    flat.width = canvas.width, flat.height = canvas.height;
    const pen = flat.getContext('2d');
    pen.drawImage(canvas, 0, 0);
    const data = pen.getImageData(0, 0, flat.width, flat.height).data, set = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3]) set.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return set.size;
  };
  const picture = () => canvas.toDataURL();
  const before = canvas && picture();
  let turned = false, keyed = false, slid = false;
  if (canvas && canvas.dataset.drawn) {
    const at = (kind, x) => canvas.dispatchEvent(new view.PointerEvent(kind, { clientX: x, clientY: 200, pointerId: 1, pointerType: 'touch', bubbles: true }));
    canvas.setPointerCapture = () => {};
    at('pointerdown', 100); at('pointermove', 160); at('pointerup', 160);
    turned = picture() !== before;
    let then = picture();
    canvas.dispatchEvent(new view.KeyboardEvent('keydown', { key: 'ArrowUp' }));
    keyed = picture() !== then;
    then = picture();
    const zoom = page.getElementById('room-zoom');
    zoom.value = 2;
    zoom.dispatchEvent(new view.Event('input'));
    slid = picture() !== then;
  }
  const images = [...page.querySelectorAll('image')];
  const loaded = await Promise.all(images.map(one => new Promise(done => {
    const test = new view.Image();
    test.onload = () => done(test.naturalWidth > 1);
    test.onerror = () => done(false);
    test.src = one.getAttribute('href');
  })));
  const sounds = await Promise.all([...page.querySelectorAll('audio')].map(async one => {
    const bytes = Uint8Array.from(atob(one.src.split(',')[1]), c => c.charCodeAt(0));
    const sound = await new view.OfflineAudioContext(1, 1, 48000).decodeAudioData(bytes.buffer);
    return [one.getAttribute('aria-label'), sound.duration, sound.getChannelData(0).reduce((most, x) => Math.max(most, Math.abs(x)), 0)];
  }));
  const result = {
    sounds,
    scroll: page.documentElement.scrollWidth, client: page.documentElement.clientWidth, wide,
    colours: canvas ? colours() : 0, turned, keyed, slid, planned, missing: canvas ? canvas.dataset.missing || '' : '',
    paper: view.getComputedStyle(page.body).backgroundColor, charts: [...page.querySelectorAll('svg[role=img]')].map(e => e.getAttribute('aria-label')),
    maps: [...page.querySelectorAll('svg[role=img]')].filter(e => e.querySelector('.cells')).map(e => {
      const paths = [...e.querySelectorAll('.cells')], frame = e.querySelector('.frame').getBoundingClientRect();
      const boxes = paths.map(one => one.getBoundingClientRect());
      return [paths.reduce((sum, one) => sum + one.getAttribute('d').split('M').length - 1, 0), boxes.every(b => b.width > 5 &&
        b.left >= frame.left - 1 && b.right <= frame.right + 1 && b.top >= frame.top - 1 && b.bottom <= frame.bottom + 1)];
    }),
    images: images.length, loaded: loaded.filter(Boolean).length,
    plots: page.querySelectorAll('svg[role=img]').length,
    unnamed: [...page.querySelectorAll('svg[role=img], canvas')].filter(e => !e.getAttribute('aria-label')).length,
    smallest: Math.min(...[...page.querySelectorAll('svg[role=img] text')].map(e => e.getBoundingClientRect().height)),
    fetched: view.performance.getEntriesByType('resource').map(e => e.name).filter(name => !name.startsWith('data:')),
    empty: [...page.querySelectorAll('svg[role=img]')].filter(e => !e.querySelector('path, image')).map(e => [
      e.getAttribute('aria-label'), [...e.querySelectorAll('.empty')].map(text => text.textContent).join(' ')]),
  };
  // The rules of paper, last: they change what is seen.
  const style = page.createElement('style');
  style.textContent = [...page.styleSheets].flatMap(sheet => [...sheet.cssRules]).filter(rule => rule.media && rule.media.mediaText === 'print')
    .flatMap(rule => [...rule.cssRules]).map(rule => rule.cssText).join(' ');
  page.head.append(style);
  result.stacked = [...page.querySelectorAll('.plots')].map(e => [...e.querySelectorAll('svg[role=img]')].map(one => one.getBoundingClientRect()))
    .filter(([a, b]) => b && !(Math.abs(a.top - b.top) < 1 && b.left >= a.right - 1)).length;
  result.printed = [...page.querySelectorAll('.players, .sliders')].filter(e => e.getBoundingClientRect().height > 0).length;
  frame.remove();
  return result;
}
(async () => {
  try { for (const width of WIDTHS) seen[width + ' px'] = await look(width); } catch (error) { seen.error = String(error.stack); }
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


def browse(chromium, folder, options=(), widths=(360, 800, 1280)):
    """What PROBE saw, the console's lines, and the paths that the server was asked for."""
    (folder / "probe.html").write_text(PROBE)
    Quiet.asked = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        done = subprocess.run(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", *options,
             "--disable-background-networking",
             "--enable-logging=stderr", "--v=0", f"--user-data-dir={folder / 'profile'}", "--window-size=1400,1000",
             "--virtual-time-budget=30000", "--timeout=60000", "--dump-dom",
             f"http://127.0.0.1:{server.server_address[1]}/probe.html?{','.join(map(str, widths))}"],
            capture_output=True, text=True, timeout=180, check=False)
    finally:
        server.shutdown()
    found = re.search(r'<pre id="seen">(.+?)</pre>', done.stdout, re.S)
    if not found:
        sys.exit(f"Chromium gave no page:\n{done.stderr[-3000:]}")
    # The pictures that the probe itself reads from WebGL are slow, which Chromium says.
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line and "due to ReadPixels" not in line]
    return json.loads(html.unescape(found.group(1))), console, list(Quiet.asked)


def problems_of(seen, console, asked, empty):
    """`empty`: the plots that have nothing to draw, with the reasons that they must give."""
    if "error" in seen:
        return [seen["error"]]
    problems = [f"console: {line}" for line in console]
    problems += [f"fetched {path}" for path in asked if path.split("?")[0] not in ("/probe.html", "/report.html", "/favicon.ico")]
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
        if not (view["colours"] > 4 and view["turned"] and view["keyed"] and view["slid"]) or view["planned"]:
            problems.append(f"{name}: the room has {view['colours']} colours, turned {view['turned']}, {view['keyed']}, "
                            f"{view['slid']}, its plan instead {view['planned']}: {view['missing']}")
        kinds = [name.split(",")[0] for name, seconds, peak in view["sounds"] if name and seconds > 0 and peak > 0.01]
        if kinds.count("Dry sound") < 2 or "Response" not in kinds or len(kinds) != len(view["sounds"]):
            problems.append(f"{name}: players of {view['sounds']}")
        missing = [part for part in ("EDT by octave", "T20 by octave", "C80 by octave")
                   if not empty and part not in view["charts"]]
        if missing:
            problems.append(f"{name}: no chart of {missing}")
        if view["paper"] != "rgb(255, 255, 255)":
            problems.append(f"{name}: the page is {view['paper']}")
        if view["stacked"] or view["printed"]:
            problems.append(f"{name}: on paper {view['stacked']} rows of one plot, {view['printed']} players and sliders")
        if view["smallest"] < 7:
            problems.append(f"{name}: text {view['smallest']:.1f} px high")
    return problems


def problems_of_others(chromium, folder):
    """On a dark screen the page is dark; without WebGL the plan of the room is open and says why."""
    problems = []
    dark, _, _ = browse(chromium, folder, ["--blink-settings=preferredColorScheme=0"], [1280])
    if "error" in dark or any(view["paper"] != "rgb(22, 24, 28)" for view in dark.values()):
        problems.append(f"on a dark screen: {dark.get('error') or [view['paper'] for view in dark.values()]}")
    flat, console, _ = browse(chromium, folder, ["--disable-3d-apis"], [1280])
    if "error" in flat or not all(view["planned"] and view["missing"] for view in flat.values()):
        problems.append(f"without WebGL: {flat.get('error') or [view['planned'] for view in flat.values()]}, {console}")
    return problems


def problems_of_maps(chromium, folder, program):
    """Each map has a cell a receiver, of one colour or several, within its frame."""
    (folder / "grid.toml").write_text(GRID)
    subprocess.run([program, "run", folder / "grid.toml", "-o", folder / "grid", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    shutil.copy(folder / "grid/report.html", folder / "report.html")
    seen, problems, _ = browse(chromium, folder, widths=(360, 1280))
    if "error" in seen:
        return [seen["error"]]
    for name, view in seen.items():
        if len(view["maps"]) < 3 or any(cells != 9 or not inside for cells, inside in view["maps"]):
            problems.append(f"maps, {name}: {view['maps']}")
        if view["scroll"] > view["client"] or view["wide"]:
            problems.append(f"maps, {name}: {view['scroll']} px wide in {view['client']}")
    return problems


def problems_of_print(chromium, folder):
    """On paper there are fewer pages than half the plots."""
    page = folder / "report.html"
    subprocess.run([chromium, "--headless=new", "--no-sandbox", "--enable-unsafe-swiftshader", "--virtual-time-budget=20000",
                    f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={folder / 'report.pdf'}", page.as_uri()],
                   capture_output=True, timeout=180, check=False)
    pages = len(re.findall(rb"/Type\s*/Page\b", (folder / "report.pdf").read_bytes()))
    plots = page.read_text().count('<svg viewBox="0 0 ')
    return [] if 0 < pages <= plots / 2 else [f"on paper: {pages} pages of {plots} plots"]


def problems_of_comparison(chromium, folder, program):
    """The comparison of a result with itself fits every screen, has its plots, and fetches nothing."""
    result = folder / "made/result.h5"
    subprocess.run([program, "report", result, result, "-o", folder / "report.html", "--force"], check=True,
                   stdout=subprocess.DEVNULL)
    seen, problems, _ = browse(chromium, folder)
    for name, view in seen.items() if "error" not in seen else ():
        if view["scroll"] > view["client"] or view["wide"] or view["fetched"] or view["unnamed"] or view["plots"] < 8:
            problems.append(f"comparison, {name}: {view['scroll']} px wide in {view['client']}, {view['plots']} plots, "
                            f"{view['unnamed']} without a name, fetched {view['fetched']}")
    return problems + ([seen["error"]] if "error" in seen else [])


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
            if (scene, options) == (scenes[0], COARSE):
                problems += problems_of_others(chromium, folder) + problems_of_print(chromium, folder)
                if not scene.endswith(".html"):
                    problems += problems_of_comparison(chromium, folder, program) + problems_of_maps(chromium, folder, program)
            print(f"{scene} {' '.join(options)}: {'; '.join(problems) if problems else 'good'}")
            failed = failed or bool(problems)
    sys.exit(1 if failed else 0)


main()
