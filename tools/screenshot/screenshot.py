"""Draw what a program shows on a terminal as a picture: docs/pictures/train.png.

    pip install pyte pillow
    go build -o parley ./cmd/parley
    PARLEY_CPU=avx2 python3 tools/screenshot/screenshot.py record train.cast ./parley train --seed 1
    python3 tools/screenshot/screenshot.py draw train.cast docs/pictures/train.png --moment 'team 20/30' \
        --title '$ go run ./cmd/parley train' --begin '^debate-sums: accuracy' --end '^gain of training'

`record` runs the program in a terminal of 100 columns and 30 lines, and writes what it prints as an asciicast (version 2), which players of such
recordings read too. `draw` replays the file. It draws the screen at the first time that a line matches --moment, and below it a part of
what was printed at the end. The picture holds its text too, under the key "screen".
"""

import argparse
import codecs
import fcntl
import json
import os
import pty
import re
import struct
import sys
import termios
import time

COLUMNS, LINES = 100, 30


def record(out, command):
    """Run command in a terminal and write its output with times to out."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
        os.environ.pop("NO_COLOR", None)
        # The size is set here too: the program may ask for it before the parent sets it.
        resize(sys.stdout.fileno())
        os.execvp(command[0], command)
    resize(terminal)
    began = time.monotonic()
    decode = codecs.getincrementaldecoder("utf-8")().decode  # a character may be cut between two reads
    with open(out, "w", encoding="utf-8") as file:
        file.write(json.dumps({"version": 2, "width": COLUMNS, "height": LINES, "command": " ".join(command)}) + "\n")
        while data := read(terminal):
            file.write(json.dumps([round(time.monotonic() - began, 3), "o", decode(data)]) + "\n")
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def resize(terminal):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))


def read(terminal):
    """Read what the program printed; nothing at its end, which Linux reports as an error."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""


def replay(cast, moments, begin, end):
    """Replay a recording. Return the screen at each moment and the lines of the scrollback from one that matches begin to one before end."""
    import pyte

    screen = pyte.HistoryScreen(COLUMNS, LINES, history=10_000)
    stream = pyte.ByteStream(screen)
    waiting, found = list(moments), []
    with open(cast, encoding="utf-8") as file:
        next(file)
        for line in file:
            stream.feed(json.loads(line)[2].encode())
            if waiting and any(re.search(waiting[0], text) for text in screen.display):
                found.append(trimmed(rows(screen, [screen.buffer[y] for y in range(LINES)])))  # values() are in the order of writing
                waiting.pop(0)
    if waiting:
        sys.exit(f"no line of the recording matches {waiting[0]!r}")
    everything = rows(screen, [*screen.history.top, *(screen.buffer[y] for y in range(LINES))])
    first = next(i for i, line in enumerate(everything) if re.search(begin, text_of(line)))
    last = next(i for i, line in enumerate(everything) if i > first and re.search(end, text_of(line)))
    return found + [trimmed(everything[first:last])]


def rows(screen, lines):
    """Copy lines of characters: what the screen shows changes."""
    return [[line[x] for x in range(screen.columns)] for line in lines]


def text_of(line):
    return "".join(c.data for c in line).rstrip()


def trimmed(lines):
    while lines and not text_of(lines[-1]):
        lines.pop()
    return lines


BACK, TEXT, RULE = "#16181d", "#d7dae0", "#3a3f4b"
COLORS = {"default": TEXT, "green": "#5fb760", "red": "#e06c75", "brown": "#d6a35c", "blue": "#61a0e8", "cyan": "#56b6c2", "magenta": "#c678dd"}
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"


def draw(title, pictures, out, size=28, margin=30):
    """Draw screens below each other, with a rule between them."""
    from PIL import Image, ImageDraw, ImageFont, PngImagePlugin

    font = ImageFont.truetype(FONT, size)
    width, height = round(font.getlength("M")), round(1.35 * size)
    columns = max(len(text_of(line)) for lines in pictures for line in lines)
    lines = sum(len(lines) for lines in pictures) + 2 * (len(pictures) - 1) + (2 if title else 0)
    image = Image.new("RGB", (columns * width + 2 * margin, lines * height + 2 * margin), BACK)
    pen = ImageDraw.Draw(image)
    y = margin
    if title:
        pen.text((margin, y), title, font=font, fill=COLORS["green"])
        y += 2 * height
    for i, lines in enumerate(pictures):
        if i > 0:
            pen.line([(margin, y + height), (image.width - margin, y + height)], fill=RULE, width=2)
            y += 2 * height
        for line in lines:
            for x, c in enumerate(line):
                cell(pen, font, c, margin + x * width, y, width, height)
            y += height
    # A test compares the text with that of README.md.
    info = PngImagePlugin.PngInfo()
    info.add_itxt("screen", "\n".join(text_of(line) for lines in pictures for line in lines))
    image.quantize(32).save(out, optimize=True, pnginfo=info)
    print(f"{out}: {image.width}x{image.height}, {os.path.getsize(out) / 1000:.0f} kB")


def cell(pen, font, c, x, y, width, height):
    """Draw a character. Blocks are drawn as rectangles, so that they meet."""
    color = COLORS.get(c.fg, "#" + c.fg if re.fullmatch("[0-9a-f]{6}", c.fg) else TEXT)
    if c.data == "█":
        pen.rectangle([x, y + 4, x + width - 1, y + height - 6], fill=color)
    elif c.data == "░":
        pen.rectangle([x, y + 4, x + width - 1, y + height - 6], fill=RULE)
    elif not c.data.isspace():
        pen.text((x, y), c.data, font=font, fill=color)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    r = verbs.add_parser("record", help="run a program in a terminal")
    r.add_argument("cast")
    r.add_argument("command", nargs=argparse.REMAINDER)
    d = verbs.add_parser("draw", help="draw moments of a recording")
    d.add_argument("cast")
    d.add_argument("out")
    d.add_argument("--title", default="", help="a line above all")
    d.add_argument("--moment", action="append", default=[], help="draw the screen as soon as a line matches this expression; repeatable")
    d.add_argument("--begin", required=True, help="below, draw what was printed from the line that matches this expression")
    d.add_argument("--end", required=True, help="up to the line before the one that matches this expression")
    args = parser.parse_args()
    if args.verb == "record":
        sys.exit(record(args.cast, args.command))
    draw(args.title, replay(args.cast, args.moment, args.begin, args.end), args.out)


if __name__ == "__main__":
    main()
