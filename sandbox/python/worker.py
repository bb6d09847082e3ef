"""A warm worker: pid 1 of a sandbox, which forks one child per program.

The host's requests come over a socket of packets, each with the file descriptors of one program: the job (source and
argument in JSON), stdout, stderr and, where there is one, a channel. The answer is sent when the program has ended, every
process of the namespace has been killed and reaped, and the writable folder is empty again.
"""

import fcntl
import gc
import json
import os
import resource
import select
import signal
import socket
import sys

# What programs import most: imported once here, found by all.
import ast, bisect, collections, copy, dataclasses, datetime, decimal, enum, fractions, functools, hashlib, heapq  # noqa: E401,F401
import itertools, math, operator, re, statistics, string, typing  # noqa: E401,F401

WRITABLE = "/tmp"
MOST_ENTRIES = 200  # of the writable folder that are removed one by one; with more, the whole sandbox is replaced


def limit(kind, value):
    resource.setrlimit(kind, (value, value))


def confine(job):
    limit(resource.RLIMIT_AS, job["memory"])
    limit(resource.RLIMIT_CPU, job["cpu"])
    limit(resource.RLIMIT_FSIZE, job["file"])
    limit(resource.RLIMIT_NPROC, job["processes"] + 1)  # this worker counts too
    limit(resource.RLIMIT_NOFILE, 64)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_MEMLOCK, 0)


CHANNEL = 3  # descriptor


def arrange(fds, null):
    """Put stdin, stdout, stderr and the channel at 0 to 3 and close everything else; the channel, or None."""
    os.dup2(null, 0)
    os.dup2(fds[1] if len(fds) > 2 else null, 1)
    os.dup2(fds[2] if len(fds) > 2 else null, 2)
    channel = CHANNEL if len(fds) in (2, 4) else None
    if channel:
        os.dup2(fds[-1], channel)
    os.closerange(CHANNEL + (channel is not None), 256)
    return channel


def execute(job, fds, null):
    """Run one program in this process, which is the child's; the exit code."""
    os.setsid()
    with os.fdopen(fds[0], "rb") as f:
        work = json.load(f)
    channel = arrange(fds, null)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(WRITABLE)
    confine(job)
    return program(work.pop("source"), work["argument"], channel)


def fork(job, fds, null):
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            code = execute(job, fds, null)
        finally:
            os._exit(code)
    for fd in fds:
        os.close(fd)
    return pid


def wait(pid, control, seconds):
    """Wait for the child, its deadline, or the host; what happened."""
    child = os.pidfd_open(pid)
    try:
        ready = select.poll()
        ready.register(child, select.POLLIN)
        ready.register(control, select.POLLIN)
        events = dict(ready.poll(seconds * 1000))
    finally:
        os.close(child)
    if child in events:
        return "ended"
    if not events:
        return "timeout"
    if not control.recv(64):
        os._exit(0)  # the host is gone
    return "killed"


def sweep(pid):
    """Kill and reap every other process of the namespace; the child's wait status."""
    status = 0
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass
    while True:
        try:
            got, how = os.waitpid(-1, 0)
        except ChildProcessError:
            return status
        if got == pid:
            status = how


def empty():
    """Empty the writable folder; False where that is not done quickly."""
    try:
        with os.scandir(WRITABLE) as entries:
            for n, entry in enumerate(entries):
                if n == MOST_ENTRIES:
                    return False
                if entry.is_dir(follow_symlinks=False):
                    return False
                os.unlink(entry.path)
    except OSError:
        return False
    return True


def run(job, fds, control, null):
    pid = fork(job, fds, null)
    how = wait(pid, control, job["wall"])
    status = sweep(pid)
    answer = {"how": how, "clean": empty()}
    if os.WIFSIGNALED(status):
        answer["signal"] = os.WTERMSIG(status)
    else:
        answer["code"] = os.WEXITSTATUS(status)
    return answer


def serve(control, null):
    while True:
        packet, fds, _, _ = socket.recv_fds(control, 1 << 16, 4)
        if not packet:
            return
        if not fds:
            continue  # a request to kill a program that had ended already
        answer = run(json.loads(packet), fds, control, null)
        control.send(json.dumps(answer).encode())


def main():
    # No signal from inside reaches pid 1 of a namespace, unless it has a handler.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=fcntl.fcntl(3, fcntl.F_DUPFD_CLOEXEC, 200))
    os.close(3)
    null = os.open("/dev/null", os.O_RDWR)
    packet, fds, _, _ = socket.recv_fds(control, 1 << 16, 4)
    with os.fdopen(fds[0], "rb") as f:
        load(json.load(f) or [])
    gc.collect()
    gc.freeze()
    control.send(json.dumps({"python": sys.version.split()[0]}).encode())
    serve(control, null)


main()
