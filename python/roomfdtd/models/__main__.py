"""A room of another program as a scene to begin from: ``python -m roomfdtd.models hall.ifc -o hall.toml``."""

from __future__ import annotations

import argparse
import re
import sys

from ..errors import FdtdError
from ._import import SUFFIXES, import_model


def main(arguments: list[str] | None = None) -> int:
    """Exit status of the program: 0, or that of the error."""
    parser = argparse.ArgumentParser(prog="python -m roomfdtd.models", description=__doc__)
    parser.add_argument("model", help=f"a file: {', '.join(SUFFIXES)}")
    parser.add_argument("-o", "--output", required=True, help="scene to write, NAME.toml; its mesh is NAME.obj beside it")
    parser.add_argument("--units", choices=["m", "cm", "mm", "in", "ft"], help="of the numbers in the file")
    parser.add_argument("--up", choices=["x", "y", "z"], help="the axis of the file that points up")
    parser.add_argument("--space", help='of IFC and gbXML: name or identifier of the room; "*" takes all')
    parser.add_argument("--force", action="store_true", help="replace the two files if they exist")
    given = parser.parse_args(arguments)
    try:
        model = import_model(given.model, units=given.units, up=given.up, space=given.space)
        said = model._begin(given.output, given.force)
    except (FdtdError, ImportError) as error:
        print(f"{parser.prog}: {_with_options(str(error))}", file=sys.stderr)
        return error.status if isinstance(error, FdtdError) else 1
    print(said.rstrip())
    for note in model.notes:
        print(f"note: {_with_options(note)}")
    return 0


def _with_options(text: str) -> str:
    """A message with options of this command in place of arguments of Python."""
    for argument, option in (("force=True", "--force"), ("space = one of", "--space, one of"), ("`space`", "--space")):
        text = text.replace(argument, option)
    return re.sub(r'\b(units|up) = "(\w+)"', r"--\1 \2", text)


if __name__ == "__main__":
    sys.exit(main())
