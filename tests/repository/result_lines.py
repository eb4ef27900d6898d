"""Results are laid out one a line without losing a value, and a document that is not is named. Usage:
result_lines.py RESULT_LINES
"""

import json
import pathlib
import subprocess
import sys
import tempfile

DOCUMENT = {
    "what": "Größe",
    "grid": [1, 2, 3],
    "results": [{"a": [0.1, 1e-300, -0.0]}, {"b": {"c": None}}],
    "rooms": {"box": {"runs": [[1], [2]]}, "none": []},
}
LINES = """{
 "what": "Größe",
 "grid": [1, 2, 3],
 "results": [
  {"a": [0.1, 1e-300, -0.0]},
  {"b": {"c": null}}
 ],
 "rooms": {
  "box": {
   "runs": [
    [1],
    [2]
   ]
  },
  "none": []
 }
}
"""

with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "a.json"

    def lay_out(*words):
        return subprocess.run([sys.executable, sys.argv[1], *words, str(file)], capture_output=True, text=True, check=False)

    file.write_text(json.dumps(DOCUMENT, indent=1))
    before = file.read_bytes()
    outcome = lay_out("--check")
    assert outcome.returncode == 1 and outcome.stdout.startswith(f"{file}: not one result a line: run "), outcome
    assert file.read_bytes() == before
    assert lay_out().returncode == 0
    assert file.read_text(encoding="utf-8") == LINES, file.read_text(encoding="utf-8")
    assert json.loads(LINES) == DOCUMENT
    assert lay_out("--check").returncode == 0
print("result lines: every claim holds")
