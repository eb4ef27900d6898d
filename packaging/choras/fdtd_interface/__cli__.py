"""The method for the JSON file that JSON_PATH in the environment names."""

import os
import sys

from .fdtd_interface import FdtdMethod


def main() -> int:
    """Run and send the results; 1 where the run has failed, whose error the JSON file then has.

    A run that CHORAS has cancelled is no failure, and has nothing to send.
    """
    method = FdtdMethod(os.environ.get("JSON_PATH"))
    try:
        method.run_simulation()
    except Exception as error:  # CHORAS shows whatever it is
        method.write_error(error)
        print(f"fdtd: {error}", file=sys.stderr)
        return 1
    if not method.cancelled:
        method.save_results()
    return 0
