package hostile

// A Bomb is a program that does not end by itself, or that takes more than it is given.
type Bomb struct{ Name, Source string }

// Bombs use up something; each must end by its limits or its deadline.
var Bombs = []Bomb{
	{"loop", "while True:\n    pass"},
	{"sleep", "import time\ntime.sleep(1000)"},
	{"sleep, deaf to signals", "import signal, time\nfor s in range(1, 65):\n    try:\n        signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError):\n        pass\nwhile True:\n    time.sleep(1)"},
	{"memory", "x = []\nwhile True:\n    x.append(bytearray(1 << 24))"},
	{"memory of forks", "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        x = bytearray(1 << 27)"},
	{"fork bomb", "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"},
	{"threads", "import threading\nwhile True:\n    try:\n        threading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()\n    except RuntimeError:\n        pass"},
	{"a grandchild that survives", "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(1000)"},
	{"output", "while True:\n    print('x' * 65536)"},
	{"lines", "for i in range(10**6):\n    print(i)"},
	{"errors", "import sys\nwhile True:\n    sys.stderr.write('x' * 65536)"},
	{"a large file", "f = open('f', 'wb')\nwhile True:\n    f.write(b'x' * (1 << 20))"},
	{"many large files", "i = 0\nwhile True:\n    i += 1\n    open(str(i), 'wb').write(b'x' * (1 << 20))"},
	{"many files", "i = 0\nwhile True:\n    i += 1\n    open(str(i), 'wb').close()"},
	{"deep folders", "import os\nwhile True:\n    os.mkdir('d')\n    os.chdir('d')"},
	{"recursion", "import sys\nsys.setrecursionlimit(10**9)\nf = lambda n: f(n + 1)\nf(0)"},
	{"deep syntax", "exec('(' * 10**6)"},
	{"deep tree", "import ast\nast.literal_eval('-' * 10**6 + '1')"},
	{"a number", "x = 9 ** (9 ** 9)"},
	{"a pattern", "import re\nre.match('(a+)+$', 'a' * 40 + 'b')"},
	{"descriptors", "import socket\nx = []\nwhile True:\n    try:\n        x.append(socket.socketpair())\n    except OSError:\n        for a, b in x:\n            a.setblocking(False)\n            try:\n                while True:\n                    a.send(b'x' * 65536)\n            except OSError:\n                pass\n        break"},
	{"exit with forged output", "import os\nos.write(1, b'{\"how\": \"ended\", \"code\": 0}')\nos._exit(0)"},
	{"kill everything", "import os, signal\nos.kill(-1, signal.SIGKILL)"},
	{"stop everything", "import os, signal\nos.kill(0, signal.SIGSTOP)"},
	{"close everything", "import os\nos.closerange(0, 1000)"},
	{"crash", "import ctypes\nctypes.string_at(0)"},
}
