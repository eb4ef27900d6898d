"""The checker of links finds what is wrong in a repository of a few lines, and nothing else. Usage: links.py CHECKER"""

import pathlib
import subprocess
import sys
import tempfile

README = """# A title
[page](docs/page.md#2-a-second-part) [itself](#a-title) [elsewhere](https://example.org/missing) `[code](missing)`
![picture](picture.png)
```
[code](missing)
```
"""
PAGE = "# Page\n## 2 A *second* part\n[up](../README.md) [two](#2-a-second-part)\n"


def check(readme=README, page=PAGE, source="// docs/page.md, section 2: why; docs/NAME.md\n"):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name in ("docs", "engine"):
            (root / name).mkdir()
        (root / "README.md").write_text(readme)
        (root / "docs" / "page.md").write_text(page)
        (root / "picture.png").write_text("")
        (root / "engine" / "walls.cpp").write_text(source)
        outcome = subprocess.run([sys.executable, sys.argv[1], folder], capture_output=True, text=True)
        return outcome.returncode, outcome.stdout


assert check() == (0, "links: 2 pages, every link leads somewhere\n"), check()
for wrong, fault in (
    (
        {"readme": README.replace("docs/page.md", "docs/pages.md")},
        "README.md:2: docs/pages.md#2-a-second-part: there is no such file",
    ),
    ({"readme": README.replace("picture.png", "drawing.png")}, "README.md:3: drawing.png: there is no such file"),
    ({"page": PAGE.replace("## 2", "## 3")}, "README.md:2: docs/page.md#2-a-second-part: there is no such heading"),
    ({"page": PAGE + "[out](../../etc)\n"}, "docs/page.md:4: ../../etc: there is no such file"),
    ({"source": "// docs/page.md, section 4\n"}, "engine/walls.cpp:1: docs/page.md: there is no section 4"),
    ({"source": "// docs/pages.md\n"}, "engine/walls.cpp:1: docs/pages.md: there is no such page"),
):
    status, out = check(**wrong)
    assert status == 1 and fault in out.splitlines(), (wrong, out)
print("links: every claim holds")
