"""One program in this interpreter, as every backend runs it."""

import random
import sys
import types


def load(modules):
    """Import the host's own modules from their source."""
    for m in modules:
        module = types.ModuleType(m["name"])
        sys.modules[m["name"]] = module
        exec(compile(m["source"], m["name"] + ".py", "exec"), module.__dict__)


def program(source, argument, channel=None):
    """Run a program as the main module, which finds its argument and the descriptor of its channel there; its exit code."""
    random.seed(0)
    main = types.ModuleType("__main__")
    main.argument = argument
    main.channel = channel
    sys.modules["__main__"] = main
    try:
        exec(compile(source, "<program>", "exec"), main.__dict__)
        code = 0
    except SystemExit as e:
        code = e.code if isinstance(e.code, int) else int(e.code is not None)
    except BaseException as e:
        BaseException.with_traceback(e, e.__traceback__.tb_next)
        sys.__excepthook__(type(e), e, e.__traceback__)  # as traceback prints it, which takes long to import
        code = 1
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            code = code or 1
    return code & 255
