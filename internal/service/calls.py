"""What every driver of a user's Python has: deadlines, errors as the user reads them, and answers that nothing printed gets into."""

import io
import json
import linecache
import os
import signal
import sys
import traceback

MOST = 4000  # characters of an error


class Late(BaseException):
    """The deadline has passed. The user's own handlers of exceptions do not catch it."""


def ring(seconds):
    """Raise Late in the user's code in so many seconds; 0: no more."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def late(number, frame):
    raise Late


def traced(name, error, awaited):
    """The traceback from the user's file on, as Python prints it. awaited is what there is none of where the deadline has passed."""
    at = error.__traceback__
    while at is not None and at.tb_frame.f_code.co_filename != name:
        at = at.tb_next
    lines = traceback.format_exception(type(error), error, at)
    if isinstance(error, Late):
        frames = [f for f in traceback.extract_tb(at) if f.name != late.__name__]
        lines = ["No %s before the deadline. It was here:\n" % awaited] + traceback.format_list(frames)
    text = "".join(lines).rstrip()
    if len(text) <= MOST:
        return text
    text = text[-MOST:]
    return text[text.find('\n  File "') + 1 :]  # a frame is whole


def compiled(source, name):
    """The user's code. Tracebacks show its lines, although there may be no such file here."""
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    return compile(source, name, "exec")


def guarded(name, seconds, call):
    """What call returns, or the error that it raises, as the driver's told says it."""
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, late)
    try:
        try:
            ring(seconds)
            return call()
        finally:
            ring(0)
    except BaseException as e:
        return {"error": told(name, e)}


class Nowhere(io.TextIOBase):
    """A stream that forgets."""

    def write(self, text):
        return len(text)


def silenced():
    """Send what is printed from now on nowhere; the stream of answers. WebAssembly has no descriptors to move."""
    try:
        out, null = os.fdopen(os.dup(1), "w"), os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        os.dup2(null, 2)
    except OSError:
        out, sys.stdout, sys.stderr = sys.stdout, Nowhere(), Nowhere()
    return out


def child(name, seconds, memory, answer):
    """Answer calls that come as JSON lines by what the driver's load makes of the user's file. What that prints goes to stderr."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if int(memory):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    sys.path.insert(0, os.path.dirname(os.path.abspath(name)))
    loaded = []

    def defined():
        if not loaded:
            with open(name, encoding="utf-8") as f:
                loaded.append(load(name, f.read()))
        return loaded[0]

    for line in sys.stdin:
        call = json.loads(line)
        said = guarded(name, float(seconds), lambda: answer(defined(), call))
        out.write(json.dumps(dict(said, id=call["id"])) + "\n")
        out.flush()


