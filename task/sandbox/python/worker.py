"""A warm worker: pid 1 of a sandbox, which stands ready with an interpreter that no program has touched.

Every program gets surroundings of its own. The worker forks a holder, which leaves the worker's namespaces and forks an
attendant: pid 1 of fresh ones, with an empty writable folder. The attendant takes the next request of the host, forks the
program, ends it and all that it left, answers, and ends: with it go the folder and everything else that a program could
have changed. The worker itself sees no request, so that every program is forked from the same state.

Where the machine does not let a worker make namespaces, it attends to one program by itself and ends; the host starts another.

The host's requests come over a socket of packets, each with the file descriptors of one program: the job (source and
argument in JSON), stdout, stderr and, where there is one, a channel.
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
import time

LEFT = 0o22  # umask
GLANCE = 0.05  # seconds between two looks at a folder that has no bound of its own on entries
GONE = 3  # exit code: the host is
ALONE = "the first worker could not"  # make namespaces


def limit(kind, value):
    resource.setrlimit(kind, (value, value))


def confine(job, others, rules):
    limit(resource.RLIMIT_AS, job["memory"])
    limit(resource.RLIMIT_CPU, job["cpu"])
    limit(resource.RLIMIT_FSIZE, job["file"])
    limit(resource.RLIMIT_NPROC, job["processes"] + others)
    limit(resource.RLIMIT_NOFILE, 64)
    limit(resource.RLIMIT_SIGPENDING, 64)  # timers count too
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_MEMLOCK, 0)
    limit(resource.RLIMIT_MSGQUEUE, 0)
    renounce()
    filtered(rules)


CHANNEL = 3  # descriptor


def arrange(fds, null):
    """Put stdin, stdout, stderr and the channel at 0 to 3 and close everything else; the channel, or None."""
    os.dup2(null, 0)
    os.dup2(fds[1] if len(fds) > 2 else null, 1)
    os.dup2(fds[2] if len(fds) > 2 else null, 2)
    channel = CHANNEL if len(fds) in (2, 4) else None
    if channel:
        os.dup2(fds[-1], channel)
    os.closerange(CHANNEL + (channel is not None), 1 << 20)
    return channel


def execute(job, fds, null, others, rules):
    """Run one program in this process, which is the child's; the exit code."""
    os.setsid()
    with os.fdopen(fds[0], "rb") as f:
        work = json.load(f)
    channel = arrange(fds, null)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    confine(job, others, rules)
    return program(work.pop("source"), work["argument"], channel)


def fork(job, fds, null, others, rules):
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            code = execute(job, fds, null, others, rules)
        finally:
            os._exit(code)
    for fd in fds:
        os.close(fd)
    return pid


def wait(pid, control, seconds, watched):
    """Wait for the child, its deadline, the host, or a folder with too many entries; what happened."""
    child = os.pidfd_open(pid)
    ready = select.poll()
    ready.register(child, select.POLLIN)
    ready.register(control, select.POLLIN)
    end = time.monotonic() + seconds
    while True:
        left = max(0, end - time.monotonic())
        events = dict(ready.poll(1000 * (min(left, GLANCE) if watched else left)))
        if child in events:
            return "ended"
        if events and not control.recv(64):
            os._exit(GONE)
        if events or watched and entries() > WRITABLE_ENTRIES:
            return "killed"
        if time.monotonic() >= end:
            return "timeout"


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


def request(control):
    """The next program and its descriptors."""
    while True:
        packet, fds, _, _ = socket.recv_fds(control, 1 << 16, 4)
        if not packet:
            os._exit(GONE)
        if fds:
            return json.loads(packet), fds
        # Else a request to kill a program that had ended already.


def attend(control, null, others, rules, watched):
    """Run one program as pid 1 of its namespace."""
    os.chdir(WRITABLE)
    job, fds = request(control)
    pid = fork(job, fds, null, others, rules)
    how = wait(pid, control, job["wall"], watched)
    status = sweep(pid)
    answer = {"how": how}
    if os.WIFSIGNALED(status):
        answer["signal"] = os.WTERMSIG(status)
    else:
        answer["code"] = os.WEXITSTATUS(status)
    control.send(json.dumps(answer).encode())


def child(f, *args):
    """Run f in a child and wait for its end; its exit code."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            code = f(*args) or 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def hold(inside, *args):
    """Run inside as pid 1 of fresh namespaces, with an empty folder."""

    def first():
        empty_folder()
        return inside(*args)

    separate()
    return child(first)


def warm():
    """Import what programs import most: once here, found by all."""
    import ast, bisect, collections, copy, dataclasses, datetime, decimal, enum, fractions, functools, hashlib, heapq  # noqa: E401,F401
    import itertools, math, operator, re, statistics, string, typing  # noqa: E401,F401


def why_not():
    """Why there are no fresh namespaces here; empty: there are."""
    tell, hear = os.pipe()[::-1]

    def attempt():
        try:
            hold(empty_folder)
        except OSError as e:
            os.write(tell, str(e).encode())
            return 1

    failed = child(attempt)
    os.close(tell)
    with os.fdopen(hear, "rb") as f:
        why = f.read().decode()
    return why or ("a folder cannot be mounted" if failed else "")


def main():
    # No signal from inside reaches pid 1 of a namespace, unless it has a handler.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.umask(LEFT)
    control = socket.socket(fileno=fcntl.fcntl(3, fcntl.F_DUPFD_CLOEXEC, 200))
    os.close(3)
    null = os.open("/dev/null", os.O_RDWR)
    greeting, fds, _, _ = socket.recv_fds(control, 1 << 16, 4)
    with os.fdopen(fds[0], "rb") as f:
        load(json.load(f) or [])
    with os.fdopen(fds[1], "rb") as f:
        rules = f.read()
    why = ALONE if json.loads(greeting)["alone"] else why_not()
    if not why:
        warm()  # not for a single program, which takes longer to wait for all than to import what it needs
    gc.collect()
    gc.freeze()
    control.send(json.dumps({"python": sys.version.split()[0], "shared": why}).encode())
    if why:
        attend(control, null, 1, rules, True)
        return
    while child(hold, attend, control, null, 3, rules, False) == 0:
        pass


main()
