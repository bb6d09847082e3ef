"""Surroundings that no other program has seen: the calls of the kernel behind them, which Python does not have by itself."""

import ctypes
import os

NEWNS, NEWUTS, NEWIPC, NEWPID = 0x00020000, 0x04000000, 0x08000000, 0x20000000
NOSUID, NODEV = 2, 4
SET_SECCOMP, FILTER, AMBIENT, CLEAR_ALL = 22, 2, 47, 4  # of prctl
CAPABILITY_VERSION_3 = 0x20080522

WRITABLE = "/tmp"
WRITABLE_BYTES, WRITABLE_ENTRIES = 32 << 20, 4096

libc = ctypes.CDLL(None, use_errno=True)


class Rules(ctypes.Structure):
    """The kernel's struct sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def call(name, *args):
    if getattr(libc, name)(*args) < 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (name, os.strerror(number)))


def separate():
    """Leave the namespaces of mounts and of what programs share by number; children get a namespace of processes of their own."""
    call("unshare", NEWNS | NEWPID | NEWIPC | NEWUTS)


def empty_folder():
    """Put an empty writable folder over the one that is there."""
    options = "size=%d,nr_inodes=%d,mode=0755" % (WRITABLE_BYTES, WRITABLE_ENTRIES)
    call("mount", b"none", WRITABLE.encode(), b"tmpfs", NOSUID | NODEV, options.encode())


def entries():
    """How many files and folders the writable folder has."""
    s = os.statvfs(WRITABLE)
    return s.f_files - s.f_ffree


def renounce():
    """Give up every capability, for good: bubblewrap has closed all ways to new ones."""
    call("prctl", AMBIENT, CLEAR_ALL, 0, 0, 0)
    call("capset", (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)())


def filtered(rules):
    """Allow this process and its children only the calls that the rules allow."""
    call("prctl", SET_SECCOMP, FILTER, ctypes.byref(Rules(len(rules) // 8, rules)), 0, 0)
