"""The studio as a user starts it, and headless Chromium beside it."""

import contextlib
import os
import re
import shutil
import subprocess
import sys

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# Drawn by software: a machine for tests has no GPU.
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
LONGEST = 600.0  # s, of any wait: a machine that is busy with other work takes long, and what fails fails all the same


@contextlib.contextmanager
def started(scene):
    """The address that ``python -m roomfdtd.studio SCENE`` prints; the studio ends with the block."""
    command = [sys.executable, "-m", "roomfdtd.studio", str(scene), "--no-browser"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"})
    try:
        address = ""
        while not address:
            line = child.stdout.readline()
            if not line:
                raise RuntimeError(child.stderr.read())
            found = re.search(r"http://\S+", line)
            address = found[0] if found else ""
        yield address
    finally:
        child.terminate()
        child.communicate(timeout=LONGEST)


@contextlib.contextmanager
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield Chromium(opened)
        opened.close()


class Chromium:
    """A browser whose pages wait as long as LONGEST says."""

    def __init__(self, opened):
        self._opened = opened

    def new_context(self, **options):
        context = self._opened.new_context(**options)
        context.set_default_timeout(1000.0 * LONGEST)
        return context

    def new_page(self, **options):
        return self.new_context(**options).new_page()


def watched(page, origin):
    """A list that grows with complaints of the console and with requests to elsewhere."""
    found = []
    page.on("console", lambda message: found.append(f"{message.type}: {message.text}") if message.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith((origin, "data:", "blob:")) else found.append(request.url))
    return found


def set_field(page, name, value):
    """Fill a field by the name that screen readers hear, and leave it with Enter."""
    field = page.get_by_label(name, exact=True).first
    field.fill(str(value))
    field.press("Enter")


def choose(page, name, words):
    """Choose an entry of a list by its words, or by a pattern of them."""
    page.get_by_label(name, exact=True).first.click()
    page.locator(".q-menu .q-item", has_text=words).first.click()
