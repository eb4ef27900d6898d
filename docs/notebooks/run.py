#!/usr/bin/env python3
"""Runs the notebooks of this folder: pages of Markdown whose fenced blocks of python are the cells.

    python docs/notebooks/run.py [--figures] [--ipynb FOLDER] [NAME...]    by default all
    python docs/notebooks/run.py --bare [--check]

--figures writes each notebook's last picture beside its page; --ipynb writes the notebooks with their outputs. --bare
writes NAME.ipynb beside each page, to download: its text without links and pictures, its cells without outputs; --check
fails where one differs. Needs nbformat, and nbclient and ipykernel to run.
"""

import argparse
import base64
import os
import pathlib
import re
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
FENCE = re.compile(r"^```python\n(.*?)^```$\n?", re.M | re.S)


def names():
    return sorted(path.stem for path in FOLDER.glob("*.md"))


def notebook(name):
    """A page as a notebook: text and code in turn."""
    import nbformat.v4 as nb

    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    cells, at = [], 0
    for fence in FENCE.finditer(text):
        if between := text[at : fence.start()].strip():
            cells.append(nb.new_markdown_cell(between))
        cells.append(nb.new_code_cell(fence[1].rstrip("\n")))
        at = fence.end()
    if rest := text[at:].strip():
        cells.append(nb.new_markdown_cell(rest))
    return nb.new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})


def bare(name):
    """The text of NAME.ipynb, the same each time. Relative links lead nowhere there: their words remain."""
    import nbformat

    made = notebook(name)
    kept = []
    for cell in made.cells:
        if cell.cell_type == "markdown":
            lines = [line for line in cell.source.splitlines() if not re.match(r"!?\[[^\]]*\]\([^)]*\)\.?$", line)]
            cell.source = LINK.sub(r"\1", re.sub(r"\n{3,}", "\n\n", "\n".join(lines).strip()))
        if cell.source:
            kept.append(cell)
    made.cells = kept
    for number, cell in enumerate(kept):
        cell.id = f"cell-{number}"
    return nbformat.writes(made) + "\n"


def write_bare(check):
    different = []
    for name in names():
        target, text = FOLDER / f"{name}.ipynb", bare(name)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            different.append(target.name)
            if not check:
                target.write_text(text, encoding="utf-8")
    if check and different:
        sys.exit(f"not as the pages are: {', '.join(different)}: python docs/notebooks/run.py --bare writes them")


def run(name, folder):
    """A notebook after its cells have run in `folder`; raises nbclient's CellExecutionError."""
    import nbclient

    made = notebook(name)
    os.environ.pop("MPLBACKEND", None)  # pictures go into the notebook
    place = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(made, timeout=600, kernel_name="python3", resources=place).execute()
    return made


def pictures(made):
    """The pictures of a notebook that has run, as PNG."""
    outputs = [output for cell in made.cells for output in cell.get("outputs", [])]
    return [base64.b64decode(output.data["image/png"]) for output in outputs if "image/png" in output.get("data", {})]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--figures", action="store_true")
    parser.add_argument("--ipynb", type=pathlib.Path)
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.bare:
        write_bare(options.check)
        return
    for name in options.names or names():
        with tempfile.TemporaryDirectory() as folder:
            made = run(name, folder)
        if options.figures and pictures(made):
            (FOLDER / f"{name}.png").write_bytes(pictures(made)[-1])
        if options.ipynb:
            import nbformat

            options.ipynb.mkdir(parents=True, exist_ok=True)
            nbformat.write(made, options.ipynb / f"{name}.ipynb")
        print(f"{name}: {len(made.cells)} cells")


if __name__ == "__main__":
    main()
