// Package hostile holds programs that no sandbox must give way to: every backend is tested with the same ones.
package hostile

// An Escape is a program that tries to reach something. Its argument is the name of a file of the host that anybody may read and write.
type Escape struct {
	Name, Source string
	Allowed      string // what the program may print
}

// Escapes try to get out, one way each. They print what they got.
var Escapes = []Escape{
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
	{"abstract socket of the host", "import socket\ns = socket.socket(socket.AF_UNIX)\ntry:\n    s.connect('\\0' + argument[-100:]); print('connected')\nexcept OSError: pass", ""},
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
