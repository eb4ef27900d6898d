"""json_units.py --check accepts what it has written and refuses a unit that the page states otherwise.

Usage: json_units.py JSON_UNITS, the script in its repository.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

script = pathlib.Path(sys.argv[1]).resolve()
root = script.parents[1]
with tempfile.TemporaryDirectory() as folder:
    copy = pathlib.Path(folder)
    for name in ("python/json_units.py", "python/roomfdtd/_fields.py", "docs/reference/json.md"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, copy / name)

    def check():
        command = [sys.executable, copy / "python/json_units.py", "--check"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    outcome = check()
    assert outcome.returncode == 0, outcome.stderr
    page = copy / "docs/reference/json.md"
    text = page.read_text(encoding="utf-8")
    changed = text.replace("| `bands[].T30` | number or null | s |", "| `bands[].T30` | number or null | ms |")
    assert changed != text
    page.write_text(changed, encoding="utf-8")
    outcome = check()
    assert outcome.returncode == 1 and "_fields.py: not what" in outcome.stderr, outcome
