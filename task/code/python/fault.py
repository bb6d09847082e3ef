"""What is wrong with a program, in words for the agents that wrote it."""

import io
import json
import sys

MOST = 300  # characters of a message


def syntax(program):
    """Why a program does not parse; empty: it does."""
    try:
        compile(program, "<program>", "exec")
    except SyntaxError as e:
        return "%s, line %s, column %s" % (e.msg, e.lineno, e.offset)
    except (ValueError, RecursionError, MemoryError) as e:
        return type(e).__name__
    return ""


def raised_in(e, name):
    """Whether an exception came out of a call of a function of the program."""
    t = e.__traceback__
    while t is not None:
        if t.tb_frame.f_code.co_name == name and t.tb_frame.f_code.co_filename == "<program>":
            return True
        t = t.tb_next
    return False


class Nowhere(io.RawIOBase):
    """A file that forgets what is written."""

    def writable(self):
        return True

    def write(self, data):
        return len(data)


def quietly():
    """Send what the program prints nowhere, as scoring does, and return where to report to."""
    out = sys.stdout
    sys.stdout = sys.stderr = io.TextIOWrapper(io.BufferedWriter(Nowhere()), encoding="utf-8", errors="replace")
    return out


def tell(out, error):
    """Report how a test fails; an empty text: it passes."""
    out.write("\n" + json.dumps({"error": error[:MOST]}) + "\n")
    out.flush()


def report(job):
    """Run one test in the program's own process and print how it fails."""
    space = {"__name__": "program"}
    error, out = "", quietly()
    try:
        exec(compile(job["program"], "<program>", "exec"), space)
        space[job["candidate"]] = space[job["entry"]]
        for source in job["setup"] + [job["source"]]:
            exec(compile(source, "<test>", "exec"), space)
    except AssertionError as e:
        error = ("AssertionError %s" % e).strip()
    except BaseException as e:
        error = "%s: %s" % (type(e).__name__, e)
    tell(out, error)
    if error:
        raise SystemExit(1)
