// Package hostile holds programs that no sandbox must give way to: every backend is tested with the same ones.
//
//	bombs.txt, changes.txt   programs in Python, each below its name
//	hostile.go               those of which it matters what they print
package hostile

import (
	_ "embed"
	"fmt"
	"strings"
)

// A Program is one in Python.
type Program struct{ Name, Source string }

var (
	//go:embed bombs.txt
	bombs string
	//go:embed changes.txt
	changes string

	// Bombs do not end by themselves, or take more than they are given: they use up something. Each must end by its limits or its deadline.
	Bombs = programs(bombs)
	// Changes leave all that a program can leave for the next one to find: in the folder, in the kernel, in the interpreter, in the worker. They may
	// take four processes.
	Changes = programs(changes)
)

func programs(text string) (list []Program) {
	const mark = "\n=== "
	for part := range strings.SplitSeq(strings.TrimSuffix("\n"+text, "\n")[len(mark):], mark) {
		name, source, _ := strings.Cut(part, "\n")
		list = append(list, Program{name, source})
	}
	return list
}

// An Escape is a program that tries to reach something. Its argument is the name of a file of the host that anybody may read and write.
type Escape struct {
	Name, Source string
	Allowed      string // what the program may print
	Deadly       bool   // a sandbox that sees system calls ends the program at its try
}

// Escapes try to get out, one way each. They print what they got.
var Escapes = []Escape{
	{"read host files", `for f in ('/etc/passwd', '/etc/hostname', argument, '/proc/1/environ', '/proc/self/mem', '/sys/kernel', '/dev/kmsg', '/dev/mem'):
    try:
        open(f).read(1); print(f)
    except OSError: pass`, "", false},
	{"write outside", `for f in ('/x', '/usr/lib/x', '/dev/x', '/etc/x', '/usr/x', argument):
    try:
        open(f, 'w').write('x'); print(f)
    except OSError: pass`, "", false},
	{"list the host", "import os\nprint(sorted(set(os.listdir('/')) - {'lib', 'lib32', 'lib64', 'usr', 'dev', 'tmp', 'etc', 'root', 'opt', 'home'}), os.listdir('/etc'))", "[] ['ld.so.cache']\n", false},
	{"TCP", `import socket
for a in (('1.1.1.1', 53), ('10.0.0.1', 80), ('127.0.0.1', 22)):
    try:
        s = socket.socket(); print('made'); s.settimeout(0.2)
        s.connect(a); print(a)
    except OSError: pass`, "", false},
	{"UDP", "import socket\ntry:\n    s = socket.socket(type=socket.SOCK_DGRAM); print('made')\n    s.sendto(b'x', ('8.8.8.8', 53)); print('sent')\nexcept OSError: pass", "", false},
	{"name lookup", "import socket\ntry:\n    print(socket.gethostbyname('example.com'))\nexcept OSError: pass", "", false},
	{"abstract socket of the host", "import socket\ntry:\n    s = socket.socket(socket.AF_UNIX); print('made')\n    s.connect('\\0' + argument[-100:]); print('connected')\nexcept OSError: pass", "", false},
	{"vsock, netlink, packet", `import socket
for family in (40, 16, 17, 38):
    try:
        socket.socket(family, socket.SOCK_RAW); print(family)
    except OSError: pass
    try:
        socket.socket(family, socket.SOCK_STREAM); print(family)
    except OSError: pass`, "", false},
	{"chroot", "import os\ntry:\n    os.chroot('/tmp'); print('in')\nexcept OSError: pass", "", false},
	{"become another user", `import os
for f in (os.setuid, os.seteuid, os.setgid, os.setegid):
    try:
        f(0); print(f)
    except OSError: pass
try:
    os.setgroups([0]); print('groups')
except OSError: pass
print(os.getuid() == 0 or os.geteuid() == 0)`, "False\n", false},
	{"shared memory that stays", "import ctypes\nprint(ctypes.CDLL(None).shmget(77, 4096, 0o1666))", "-1\n", false},
	{"memory without limit", "import os\ntry:\n    os.memfd_create('x'); print('made')\nexcept OSError: pass", "", false},
	{"clone with namespaces", "import ctypes, os\nprint(ctypes.CDLL(None).syscall(" + number(56, 220) + ", 0x10000000 | 17, 0, 0, 0, 0))", "-1\n", false},
	{"clone3", "import ctypes\nprint(ctypes.CDLL(None).syscall(435, 0, 0))", "-1\n", false},
	{"raise limits", `import resource
for k in range(16):
    try:
        soft, hard = resource.getrlimit(k)
        if hard != resource.RLIM_INFINITY:
            resource.setrlimit(k, (hard + 1, hard + 1)); print(k)
    except (OSError, ValueError): pass`, "", false},
	{"limits of pid 1", "import resource\ntry:\n    resource.prlimit(1, resource.RLIMIT_NOFILE, (8, 8)); print('set')\nexcept OSError: pass", "", false},
	{"open descriptors", `import os
for fd in range(3, 4096):
    try:
        os.fstat(fd); print(fd)
    except OSError: pass`, "", false},
	{"environment", "import os\nprint(sorted(os.environ))", "['HOME', 'LANG', 'PWD', 'PYTHONHASHSEED']\n", false},
	{"signal the host", `import os, signal
for pid in (os.getppid(), 1, 99999):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError: pass
print('alive')`, "alive\n", false},
	{"run programs of the system", `import os
for f in ('/bin/sh', '/usr/bin/id', '/usr/bin/bwrap', '/usr/bin/mount'):
    try:
        os.execv(f, [f]); print(f)
    except OSError: pass`, "", false},
	{"terminal", "import os\ntry:\n    os.open('/dev/tty', os.O_RDWR); print('tty')\nexcept OSError: pass", "", false},
	{"set-user-id files", "import os\nopen('f', 'w').write('x')\nos.chmod('f', 0o6755)\ntry:\n    os.chown('f', 0, 0); print('chowned')\nexcept OSError: pass", "", false},
	{"make a device", "import os, stat\ntry:\n    os.mknod('d', 0o666 | stat.S_IFBLK, os.makedev(8, 0)); open('d', 'rb').read(1); print('read')\nexcept OSError: pass", "", false},
	{"new user namespace", call(272, 97, 0x10000000), "", true},
	{"mount", "import ctypes\nprint(ctypes.CDLL(None).mount(b'none', b'/tmp', b'tmpfs', 0, None))", "", true},
	{"unmount", "import ctypes\nprint(ctypes.CDLL(None).umount2(b'/tmp', 2))", "", true},
	{"trace pid 1", "import ctypes\nprint(ctypes.CDLL(None).ptrace(16, 1, 0, 0))", "", true},
	{"trace oneself", "import ctypes\nprint(ctypes.CDLL(None).ptrace(0, 0, 0, 0))", "", true},
	{"read the worker's memory", "import ctypes\nprint(ctypes.CDLL(None).process_vm_readv(1, None, 0, None, 0, 0))", "", true},
	{"io_uring", call(425, 425, 8, 0), "", true},
	{"bpf", call(321, 280, 0, 0, 0), "", true},
	{"keys", call(250, 219, 0, -3, 1), "", true},
	{"another's name space", call(308, 268, 0, 0), "", true},
	{"page faults in user space", call(323, 282, 0), "", true},
	{"performance counters", call(298, 241, 0, 0, -1, -1, 0), "", true},
	{"a kernel module", call(175, 105, 0, 0, 0), "", true},
	{"a file by its handle", call(304, 265, 0, 0, 0), "", true},
	{"another's descriptor", call(438, 438, 0, 0, 0), "", true},
	{"the 32-bit door", call(0x40000000+39, 0x40000000+172), "", true},
	{"asynchronous input", "import ctypes, os\nprint(ctypes.CDLL(None).syscall(" + number(206, 0) + ", 128, ctypes.byref(ctypes.c_ulong())))", "-1\n", false},
	{"semaphores that stay", "import ctypes\nprint(ctypes.CDLL(None).semget(77, 1, 0o1666))", "-1\n", false},
	{"queues that stay", "import ctypes\nprint(ctypes.CDLL(None).msgget(77, 0o1666))", "-1\n", false},
	{"named queues", "import ctypes, os\nprint(ctypes.CDLL(None).syscall(" + number(240, 180) + ", b'q', 0o102, 0o666, None))", "-1\n", false},
	{"watch the files of all", "import ctypes\nprint(ctypes.CDLL(None).inotify_init1(0))", "-1\n", false},
	{"a filter of one's own", "import ctypes, os\nprint(ctypes.CDLL(None).syscall(" + number(317, 277) + ", 1, 0, None))", "-1\n", false},
	{"new capabilities", "import ctypes\nh, d = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[-1] * 6)\nlibc = ctypes.CDLL(None)\nprint(libc.capset(h, d), libc.capget(h, d), list(d))", "-1 0 [0, 0, 0, 0, 0, 0]\n", false},
	{"no address space fixed by hand", "import ctypes\nprint(ctypes.CDLL(None).personality(0x0040000))", "-1\n", false},
	{"larger pipes", "import fcntl, os\nr, w = os.pipe()\ntry:\n    fcntl.fcntl(w, 1031, 1 << 20); print('larger')\nexcept OSError: pass", "", false},
	{"attributes", "import os\ntry:\n    os.setxattr('/tmp', 'user.note', b'x'); print('set')\nexcept OSError: pass", "", false},
	{"type into a terminal", "import fcntl\nfor request in (0x5412, 0x541C):\n    try:\n        fcntl.ioctl(0, request, b'x'); print('typed')\n    except OSError: pass", "", false},
	{"descriptors on their way", "import array, socket\na, b = socket.socketpair()\ntry:\n    a.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0]))]); print('sent')\nexcept OSError: pass", "", false},
	{"what runs beside", "import os\nfound = []\nfor pid in range(1, 300):\n    try:\n        os.kill(pid, 0); found.append(pid)\n    except OSError: pass\nprint(len(found) <= 3)", "True\n", false},
}

// call is a program that makes one system call by the numbers of amd64 and arm64, and prints what it returns, if it lives.
func call(amd64, arm64 int, args ...int) string {
	values := ""
	for _, a := range args {
		values += fmt.Sprintf(", %d", a)
	}
	return "import ctypes, os\nprint(ctypes.CDLL(None).syscall(" + number(amd64, arm64) + values + "))"
}

// number is the Python of a system call's number.
func number(amd64, arm64 int) string {
	return fmt.Sprintf("%d if os.uname().machine == 'x86_64' else %d", amd64, arm64)
}
