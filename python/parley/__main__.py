"""``python -m parley …`` is ``parley …``."""

import os
import subprocess
import sys

from parley._program import find

if os.name == "nt":
    sys.exit(subprocess.run([find(), *sys.argv[1:]]).returncode)
os.execv(find(), ["parley", *sys.argv[1:]])
