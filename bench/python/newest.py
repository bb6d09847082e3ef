"""Fetches Python 3.14 from Debian's unstable release, with the C library that it is built for: newest.py FOLDER. FOLDER/usr/bin/python3.14
runs it. Nothing else of the machine changes."""

import hashlib
import lzma
import os
import pathlib
import subprocess
import sys
import urllib.request

DEBIAN = "http://deb.debian.org/debian/"
PACKAGES = ("python3.14-minimal libpython3.14-minimal libpython3.14-stdlib libc6 libgcc-s1 zlib1g libssl3t64 libexpat1 libffi8 libbz2-1.0 liblzma5 "
            "libsqlite3-0 libuuid1 libzstd1").split()


def fetched(path):
    with urllib.request.urlopen(DEBIAN + path, timeout=120) as reply:
        return reply.read()


def index():
    """What the release says of each package: its file and the file's hash."""
    found, name = {}, ""
    for line in lzma.decompress(fetched("dists/sid/main/binary-amd64/Packages.xz")).decode().splitlines():
        key, _, value = line.partition(": ")
        if key == "Package":
            name = value
        elif key in ("Filename", "SHA256") and name in PACKAGES:
            found.setdefault(name, {})[key] = value
    return found


def main(folder):
    folder.mkdir(parents=True)
    known = index()
    for name in PACKAGES:
        data = fetched(known[name]["Filename"])
        if hashlib.sha256(data).hexdigest() != known[name]["SHA256"]:
            sys.exit(f"{name} is another file than Debian's list says")
        file = folder / "package.deb"
        file.write_bytes(data)
        subprocess.run(["dpkg-deb", "-x", str(file), str(folder)], check=True)
        file.unlink()
    libraries = folder / "usr/lib/x86_64-linux-gnu"
    os.rename(folder / "usr/bin/python3.14", folder / "usr/lib/python3.14/python")
    command = folder / "usr/bin/python3.14"
    # Python finds its library by the name that it was called by.
    command.write_text(f'#!/bin/sh\nexec {libraries}/ld-linux-x86-64.so.2 --argv0 "$0" --library-path {libraries} {folder}/usr/lib/python3.14/python "$@"\n')
    command.chmod(0o755)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).absolute())
