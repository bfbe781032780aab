"""Run by Python's ``site`` at start-up where ``compatload run`` put this folder on the path.

Any Python may meet it, one without compatload or an old one too, so it uses old syntax and lets a
program start whatever happens here.
"""

import os
import sys


def _install(folder):
    # type: (str) -> None
    if os.environ.get("COMPATLOAD_INSTALL") == "0" or sys.version_info < (3, 9):
        return
    # Where compatload was not installed but run from its checkout, that is where it is found.
    checkout = os.path.abspath(os.path.join(folder, "..", "..", ".."))
    path = list(sys.path)
    sys.path.append(checkout)
    try:
        import importlib.util

        # Another Python may lack what compatload needs.
        if not all(map(importlib.util.find_spec, ("filelock", "google", "packaging"))):
            return
        import compatload
    except ImportError:
        return
    finally:
        sys.path[:] = path
    named = os.environ.get("COMPATLOAD_TRUSTED_OPERATORS", "").split(",")
    compatload.install(trusted_operators=[name.strip() for name in named if name.strip()])


def _run_the_hidden_one(folder):
    # type: (str) -> None
    """The sitecustomize that this one took the place of."""
    import importlib.machinery
    import importlib.util

    elsewhere = [entry for entry in sys.path if os.path.abspath(entry) != folder]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


if __name__ == "sitecustomize":
    _folder = os.path.dirname(os.path.abspath(__file__))
    # The program's own path is as it would be without `compatload run`.
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _folder]
    _install(_folder)
    _run_the_hidden_one(_folder)
