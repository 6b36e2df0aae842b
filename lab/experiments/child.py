"""Run a module as `python -m` does, in a process that ends when its parent ends, however that ends.

python -m lab.experiments.child MODULE ARGUMENT...

Its standard input is a pipe whose other end only the parent has: once it is closed, the parent has ended.
"""

from __future__ import annotations

import os
import runpy
import sys
import threading


def main() -> None:
    """Run the module that the first argument names."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def _end_with_parent() -> None:
    while os.read(0, 1):  # the parent writes nothing
        pass
    print("The experiment that started this process has ended, so it ends, too.", file=sys.stderr, flush=True)
    os._exit(1)  # in any state: what it has written so far is not complete, and will be made again


if __name__ == "__main__":
    main()
