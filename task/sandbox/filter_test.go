//go:build linux && (amd64 || arm64)

package sandbox

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// A made is a system call as a filter sees it.
type made struct {
	call, arch uint32
	args       [3]uint32
}

// ask runs a filter as the kernel does.
func ask(t *testing.T, rules []unix.SockFilter, c made) uint32 {
	t.Helper()
	var word uint32
	for at := 0; at < len(rules); at++ {
		r := rules[at]
		holds := false
		switch r.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			word = map[uint32]uint32{offsetCall: c.call, offsetArch: c.arch, offsetArg0: c.args[0], offsetArg1: c.args[1]}[r.K]
			continue
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			word &= r.K
			continue
		case unix.BPF_RET | unix.BPF_K:
			return r.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			holds = word == r.K
		case unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K:
			holds = word > r.K
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			holds = word&r.K != 0
		default:
			t.Fatalf("instruction %+v", r)
		}
		if holds {
			at += int(r.Jt)
		} else {
			at += int(r.Jf)
		}
	}
	t.Fatal("the filter ends without an answer")
	return 0
}

// TestFilter asks the filter about every system call that there may be: what is in no list a program cannot call.
func TestFilter(t *testing.T) {
	rules := filter()
	if len(rules) > 4096 {
		t.Errorf("%d instructions are more than the kernel takes", len(rules))
	}
	special := []uint32{unix.SYS_CLONE, unix.SYS_PRLIMIT64, unix.SYS_SOCKETPAIR, unix.SYS_FCNTL, unix.SYS_IOCTL, unix.SYS_PRCTL}
	for call := range uint32(2000) {
		want := fail(unix.ENOSYS).K
		lists := 0
		for _, l := range []struct {
			calls []uint32
			then  unix.SockFilter
		}{
			{allowed, allow()},
			{deadly, answer(unix.SECCOMP_RET_KILL_PROCESS)},
			{refused, fail(unix.EPERM)},
			{withoutAttributes, fail(unix.EOPNOTSUPP)},
			{[]uint32{unix.SYS_SOCKET}, fail(unix.EAFNOSUPPORT)},
			{special, unix.SockFilter{}},
		} {
			if slices.Contains(l.calls, call) {
				want = l.then.K
				lists++
			}
		}
		if lists > 1 {
			t.Errorf("call %d is in %d lists", call, lists)
		}
		if got := ask(t, rules, made{call: call, arch: architecture}); !slices.Contains(special, call) && got != want {
			t.Errorf("call %d is answered %#x, want %#x", call, got, want)
		}
		for _, other := range []made{{call: call, arch: unix.AUDIT_ARCH_I386}, {call: call | 1<<30, arch: architecture}} {
			if got := ask(t, rules, other); got != unix.SECCOMP_RET_KILL_PROCESS {
				t.Errorf("call %+v is answered %#x", other, got)
			}
		}
	}
}

func TestFilteredArguments(t *testing.T) {
	for _, c := range []struct {
		call   uint32
		args   [3]uint32
		answer unix.SockFilter
	}{
		{unix.SYS_CLONE, [3]uint32{uint32(unix.SIGCHLD)}, allow()},
		{unix.SYS_CLONE, [3]uint32{unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_SIGHAND}, allow()},
		{unix.SYS_CLONE, [3]uint32{unix.CLONE_NEWUSER | uint32(unix.SIGCHLD)}, fail(unix.EPERM)},
		{unix.SYS_CLONE, [3]uint32{unix.CLONE_NEWNET}, fail(unix.EPERM)},
		{unix.SYS_PRLIMIT64, [3]uint32{0, unix.RLIMIT_AS}, allow()},
		{unix.SYS_PRLIMIT64, [3]uint32{1, unix.RLIMIT_AS}, fail(unix.EPERM)},
		{unix.SYS_SOCKETPAIR, [3]uint32{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK}, allow()},
		{unix.SYS_SOCKETPAIR, [3]uint32{unix.AF_UNIX, unix.SOCK_DGRAM}, fail(unix.EPERM)},
		{unix.SYS_SOCKETPAIR, [3]uint32{unix.AF_TIPC, unix.SOCK_STREAM}, fail(unix.EAFNOSUPPORT)},
		{unix.SYS_SOCKET, [3]uint32{unix.AF_UNIX, unix.SOCK_STREAM}, fail(unix.EAFNOSUPPORT)},
		{unix.SYS_FCNTL, [3]uint32{1, unix.F_SETLK}, allow()},
		{unix.SYS_FCNTL, [3]uint32{1, unix.F_SETPIPE_SZ}, fail(unix.EPERM)},
		{unix.SYS_IOCTL, [3]uint32{1, unix.TCGETS}, allow()},
		{unix.SYS_IOCTL, [3]uint32{1, unix.TIOCSTI}, fail(unix.ENOTTY)},
		{unix.SYS_PRCTL, [3]uint32{unix.PR_SET_NAME}, allow()},
		{unix.SYS_PRCTL, [3]uint32{unix.PR_SET_SECCOMP}, fail(unix.EPERM)},
	} {
		if got := ask(t, filter(), made{c.call, architecture, c.args}); got != c.answer.K {
			t.Errorf("call %d with %v is answered %#x, want %#x", c.call, c.args, got, c.answer.K)
		}
	}
	for _, call := range workerAllowed {
		if got := ask(t, filter(workerAllowed...), made{call: call, arch: architecture}); got != allow().K {
			t.Errorf("a worker's call %d is answered %#x", call, got)
		}
	}
}
