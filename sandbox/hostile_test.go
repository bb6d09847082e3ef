//go:build sandbox

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// escapes are programs that try to get out, one way each. They print what they got; every exception is contained.
var escapes = []struct {
	name, source string
	allowed      string // what the program may print
}{
	{"read host files", `for f in ('/etc/passwd', '/etc/hostname', argument, '/proc/1/environ', '/proc/self/mem', '/sys/kernel', '/dev/kmsg', '/dev/mem'):
    try:
        open(f).read(1); print(f)
    except OSError: pass`, ""},
	{"write outside", `for f in ('/x', '/usr/lib/x', '/dev/x', '/etc/x', '/usr/x', argument):
    try:
        open(f, 'w').write('x'); print(f)
    except OSError: pass`, ""},
	{"list the host", "import os\nprint(sorted(set(os.listdir('/')) - {'lib', 'lib32', 'lib64', 'usr', 'dev', 'tmp', 'etc', 'root', 'opt', 'home'}), os.listdir('/etc'))", "[] ['ld.so.cache']\n"},
	{"TCP", `import socket
for a in (('1.1.1.1', 53), ('10.0.0.1', 80), ('127.0.0.1', 22)):
    s = socket.socket(); s.settimeout(0.2)
    try:
        s.connect(a); print(a)
    except OSError: pass`, ""},
	{"UDP", "import socket\ns = socket.socket(type=socket.SOCK_DGRAM)\ntry:\n    s.sendto(b'x', ('8.8.8.8', 53)); print('sent')\nexcept OSError: pass", ""},
	{"name lookup", "import socket\ntry:\n    print(socket.gethostbyname('example.com'))\nexcept OSError: pass", ""},
	{"abstract socket of the host", "import socket\ns = socket.socket(socket.AF_UNIX)\ntry:\n    s.connect('\\0parley-escape-test'); print('connected')\nexcept OSError: pass", ""},
	{"vsock, netlink, packet", `import socket
for family in (40, 16, 17, 38):
    try:
        socket.socket(family, socket.SOCK_RAW); print(family)
    except OSError: pass
    try:
        socket.socket(family, socket.SOCK_STREAM); print(family)
    except OSError: pass`, ""},
	{"new user namespace", "import ctypes\nprint(ctypes.CDLL(None).unshare(0x10000000))", "-1\n"},
	{"mount", "import ctypes\nprint(ctypes.CDLL(None).mount(b'none', b'/tmp', b'tmpfs', 0, None))", "-1\n"},
	{"chroot", "import os\ntry:\n    os.chroot('/tmp'); print('in')\nexcept OSError: pass", ""},
	{"become another user", `import os
for f in (os.setuid, os.seteuid, os.setgid, os.setegid):
    try:
        f(0); print(f)
    except OSError: pass
try:
    os.setgroups([0]); print('groups')
except OSError: pass
print(os.getuid() == 0 or os.geteuid() == 0)`, "False\n"},
	{"trace pid 1", "import ctypes\nlibc = ctypes.CDLL(None)\nprint(libc.ptrace(16, 1, 0, 0))", "-1\n"},
	{"read the worker's memory", "import ctypes\nprint(ctypes.CDLL(None).process_vm_readv(1, None, 0, None, 0, 0))", "-1\n"},
	{"shared memory that stays", "import ctypes\nprint(ctypes.CDLL(None).shmget(77, 4096, 0o1666))", "-1\n"},
	{"memory without limit", "import os\ntry:\n    os.memfd_create('x'); print('made')\nexcept OSError: pass", ""},
	{"clone with namespaces", "import ctypes\nprint(ctypes.CDLL(None).syscall(56, 0x10000000 | 17, 0, 0, 0, 0))", "-1\n"},
	{"clone3", "import ctypes\nprint(ctypes.CDLL(None).syscall(435, 0, 0))", "-1\n"},
	{"io_uring, bpf, keys", "import ctypes\nprint([ctypes.CDLL(None).syscall(n, 0, 0, 0, 0, 0) for n in (425, 321, 250, 323, 298)])", "[-1, -1, -1, -1, -1]\n"},
	{"raise limits", `import resource
for k in range(16):
    try:
        soft, hard = resource.getrlimit(k)
        if hard != resource.RLIM_INFINITY:
            resource.setrlimit(k, (hard + 1, hard + 1)); print(k)
    except (OSError, ValueError): pass`, ""},
	{"limits of pid 1", "import resource\ntry:\n    resource.prlimit(1, resource.RLIMIT_NOFILE, (8, 8)); print('set')\nexcept OSError: pass", ""},
	{"open descriptors", `import os
for fd in range(3, 4096):
    try:
        os.fstat(fd); print(fd)
    except OSError: pass`, ""},
	{"environment", "import os\nprint(sorted(os.environ))", "['HOME', 'LANG', 'PWD', 'PYTHONHASHSEED']\n"},
	{"signal the host", `import os, signal
for pid in (os.getppid(), 1, 99999):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError: pass
print('alive')`, "alive\n"},
	{"run programs of the system", `import os
for f in ('/bin/sh', '/usr/bin/id', '/usr/bin/bwrap', '/usr/bin/mount'):
    try:
        os.execv(f, [f]); print(f)
    except OSError: pass`, ""},
	{"terminal", "import os\ntry:\n    os.open('/dev/tty', os.O_RDWR); print('tty')\nexcept OSError: pass", ""},
	{"set-user-id files", "import os\nopen('f', 'w').write('x')\nos.chmod('f', 0o6755)\ntry:\n    os.chown('f', 0, 0); print('chowned')\nexcept OSError: pass", ""},
	{"make a device", "import os, stat\ntry:\n    os.mknod('d', 0o666 | stat.S_IFBLK, os.makedev(8, 0)); open('d', 'rb').read(1); print('read')\nexcept OSError: pass", ""},
}

func TestEscapes(t *testing.T) {
	p := open(t, Options{Workers: 1})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	listener, err := socketAt("\x00parley-escape-test")
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(listener)
	t.Setenv("PARLEY_SECRET", "secret")
	for _, e := range escapes {
		r := run(t, p, Program{Source: e.source, Argument: secret, Limits: Limits{Wall: 5 * time.Second, Processes: 4}})
		if !r.OK() || string(r.Stdout) != e.allowed {
			t.Errorf("%s: %s %d: %s%s", e.name, r.Status, r.Code, r.Stdout, r.Stderr)
		}
	}
	if data, err := os.ReadFile(secret); string(data) != "secret" {
		t.Errorf("a host file was changed: %q, %v", data, err)
	}
	noOrphans(t, p)
}

func socketAt(name string) (int, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrUnix{Name: name})
	}
	if err == nil {
		err = syscall.Listen(fd, 1)
	}
	return fd, err
}

// bombs use up something; each must end by its limits or its deadline.
var bombs = []struct{ name, source string }{
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

// TestBombs runs 500 hostile programs at once.
func TestBombs(t *testing.T) {
	p := open(t, Options{Workers: 4})
	var most atomic.Int64
	stop := make(chan struct{})
	var watch, wg sync.WaitGroup
	watch.Go(func() { watchMemory(t, p, stop, &most) })
	limits := Limits{Wall: 200 * time.Millisecond, Memory: 256 << 20, Output: 1 << 16, Processes: 3}
	for i := range 500 {
		b := bombs[i%len(bombs)]
		wg.Go(func() {
			start := time.Now()
			if _, err := p.Run(t.Context(), Program{Source: b.source, Limits: limits}); err != nil {
				t.Errorf("%s: %v", b.name, err)
			}
			if d := time.Since(start); d > 5*time.Minute {
				t.Errorf("%s took %v", b.name, d)
			}
		})
	}
	wg.Wait()
	close(stop)
	watch.Wait()
	// Four workers with three processes each, what they wrote, and the workers themselves.
	if bound := int64(4 * (3*256 + 32 + 64) << 20); most.Load() > bound {
		t.Errorf("%d MiB were in use, more than %d", most.Load()>>20, bound>>20)
	}
	t.Logf("at most %d MiB in use", most.Load()>>20)
	if r := run(t, p, Program{Source: "print(1)"}); string(r.Stdout) != "1\n" {
		t.Errorf("afterwards: %+v", r)
	}
	noOrphans(t, p)
}

// watchMemory notes the greatest sum of the resident memory of all sandboxes.
func watchMemory(t *testing.T, p *Pool, stop chan struct{}, most *atomic.Int64) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(50 * time.Millisecond):
		}
		sum := int64(0)
		for _, pid := range processes(t, p) {
			status, _ := os.ReadFile("/proc/" + pid + "/statm")
			if fields := strings.Fields(string(status)); len(fields) > 1 {
				sum += pages(fields[1])
			}
		}
		if sum > most.Load() {
			most.Store(sum)
		}
	}
}

func pages(text string) (bytes int64) {
	for _, c := range text {
		bytes = bytes*10 + int64(c-'0')
	}
	return bytes * int64(os.Getpagesize())
}
