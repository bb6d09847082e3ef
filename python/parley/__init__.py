"""parley from Python: a thin layer over the program.

    import parley

    run = parley.train("magrpo-tiny", {"training.updates": 5}, reward=my_function)
    run.metrics.to_pandas()

It starts the program, answers its calls and reads its JSON. What a recipe means, and every number, is the program's.
docs/python.md has all of it.
"""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from parley._callables import Environment, Step, batched, identity, pure
from parley._program import Interrupted, ParleyError, UsageError, find
from parley._run import Page, Run, Server, compare, runs, serve, ui
from parley._show import Table
from parley._train import Training, check, start, train

try:
    __version__ = version("parley-rl")
except PackageNotFoundError:  # a checkout of the sources
    __version__ = "0.0.0"

# Files of the program's own Python. A wheel has them beside this one; in a checkout of the sources they are where the program has them.
__path__ += [str(Path(__file__).parents[2] / folder) for folder in ("rl/rollout/tools/python", "task/user/python")]

__all__ = ["Environment", "Interrupted", "Page", "ParleyError", "Run", "Server", "Step", "Table", "Training", "UsageError"]
__all__ += ["batched", "check", "compare", "find", "identity", "pure", "runs", "serve", "start", "train", "ui"]
