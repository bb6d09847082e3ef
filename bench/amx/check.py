"""Runs the products of AMX's tiles as the binary has them on an emulated processor, without an operating system.

    python3 bench/amx/check.py --bochs BOCHS

`go test` records what the products ask of the functions in assembly, and what comes of it in plain Go. Their machine code is cut out of
the test's binary and called with the same operands by a program that boots by itself; it compares the sums bit by bit. BOCHS is a folder
of Bochs's sources in which the emulator was built:

    ./configure --enable-x86-64 --enable-cpu-level=6 --enable-avx --enable-evex --enable-amx --with-nogui --disable-docbook && make

Needs Go, gcc and binutils.
"""

import argparse
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FUNCTIONS = ["multiplyTiles1x1AMX", "multiplyTiles1x2AMX", "multiplyTiles2x1AMX", "multiplyTiles2x2AMX", "multiplyRowsx1AMX", "multiplyRowsx2AMX"]
LIMIT = 60  # seconds; it takes one
CHUNK = 32 << 10
MOST = (0x90000 - 0x10000) // CHUNK  # chunks that the boot sector has room for


def record(work):
    """Builds the test and lets it write the calls."""
    root, test = HERE.parent.parent, work / "kernel.test"
    subprocess.run(["go", "test", "-c", "-o", test, "./engine/native/kernel"], cwd=root, check=True)
    subprocess.run([test, "-test.run", "^TestTileCalls$"], cwd=root / "engine/native/kernel", check=True,
                   env=dict(os.environ, PARLEY_TILE_CALLS=str(work / "cases.bin")))
    return test


def segments(elf):
    """Yields address, offset in the file and size of what is loaded."""
    at, size, count = struct.unpack_from("<Q", elf, 32)[0], *struct.unpack_from("<HH", elf, 54)
    for i in range(count):
        kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", elf, at + i * size)
        if kind == 1:
            yield address, offset, length


def code(test):
    """Returns the machine code of the functions, behind a table of where each begins."""
    elf, sizes = test.read_bytes(), {}
    for line in subprocess.run(["go", "tool", "nm", "-size", test], check=True, capture_output=True, text=True).stdout.splitlines():
        if found := re.match(r" *([0-9a-f]+) +(\d+) T parley/engine/native/kernel\.(multiply(?:Tiles\d|Rows)x\dAMX)(\.abi0)?$", line):
            address, size, name = int(found[1], 16), int(found[2]), found[3]
            if size > sizes.get(name, (0, 0))[1]:  # the other one, if any, is a wrapper that calls it
                sizes[name] = address, size
    table, body = b"", b""
    for name in FUNCTIONS:
        address, size = sizes[name]
        offset = next(offset + address - start for start, offset, length in segments(elf) if start <= address < start + length)
        table += struct.pack("<I", 64 + len(body))
        body += elf[offset:offset + size].ljust(-(-size // 64) * 64, b"\xcc")
    return table.ljust(64, b"\0") + body


def image(work):
    """Links the program and writes the disk that boots it."""
    flags = ["-ffreestanding", "-fno-pic", "-mno-red-zone", "-mgeneral-regs-only", "-fno-stack-protector", "-O2", "-fno-tree-loop-distribute-patterns", "-Wall", "-Wa,-I" + str(work), "-c"]
    for source in "boot.S", "call.S", "run.c":
        subprocess.run(["gcc", *flags, HERE / source, "-o", work / (source + ".o")], check=True)
    for name, address, objects in ("boot", 0x7C00, ["boot.S.o"]), ("program", 0x10000, ["call.S.o", "run.c.o"]):
        subprocess.run(["ld", "--no-warn-rwx-segments", "-Ttext", hex(address), "-e", hex(address), "-z", "noexecstack", "-o", work / name, *[work / o for o in objects]], check=True)
        subprocess.run(["objcopy", "-O", "binary", work / name, work / (name + ".bin")], check=True)
    boot, program = bytearray((work / "boot.bin").read_bytes()), (work / "program.bin").read_bytes()
    chunks = -(-len(program) // CHUNK)
    if len(boot) != 512 or chunks > MOST:
        sys.exit(f"the boot sector has {len(boot)} bytes, the program {len(program)}")
    struct.pack_into("<H", boot, 508, chunks)
    size = 10 * 16 * 63 * 512
    (work / "disk").write_bytes((bytes(boot) + program).ljust(size, b"\0"))


def emulate(work, bochs):
    """Boots the disk and returns what the program wrote."""
    (work / "bochsrc").write_text(f"""memory: guest=128, host=128
romimage: file={bochs}/bios/BIOS-bochs-latest, options=fastboot
vgaromimage: file={bochs}/bios/VGABIOS-lgpl/VGABIOS-lgpl-latest.bin
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=disk, path={work}/disk, mode=flat, cylinders=10, heads=16, spt=63
boot: disk
cpu: model=sapphire_rapids, count=1, reset_on_triple_fault=0
com1: enabled=1, mode=file, dev={work}/serial
display_library: nogui
log: {work}/bochs.log
panic: action=fatal
""")
    try:
        subprocess.run([bochs / "bochs", "-q", "-f", work / "bochsrc"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        pass  # a program that went astray: what it wrote says how far it got
    return (work / "serial").read_text() if (work / "serial").exists() else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bochs", type=pathlib.Path, required=True, help="folder in which Bochs was built")
    bochs = parser.parse_args().bochs.resolve()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "kernels.bin").write_bytes(code(record(work)))
        image(work)
        written = emulate(work, bochs)
        log = (work / "bochs.log").read_text(errors="replace") if (work / "bochs.log").exists() else ""
    print(written, end="")
    if not re.search(r"^[1-9]\d* products, .* 0 wrong$", written, re.M):
        print("\n".join(log.splitlines()[-15:]), file=sys.stderr)
        sys.exit("the tiles do not compute what plain Go does, or the program did not get to its end")


if __name__ == "__main__":
    main()
