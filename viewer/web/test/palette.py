"""Makes pictures small: python3 palette.py FOLDER rewrites every viewer-*.png with 128 colors. It needs Pillow."""

import pathlib
import sys

from PIL import Image

for path in sorted(pathlib.Path(sys.argv[1]).glob("viewer-*.png")):
    image = Image.open(path).convert("RGB").quantize(128, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
    print(path.name, path.stat().st_size)
