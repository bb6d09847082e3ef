//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"slices"

	"golang.org/x/sys/unix"
)

// Offsets in the kernel's struct seccomp_data. Of an argument the low half, on a little-endian machine.
const (
	offsetCall = 0
	offsetArch = 4
	offsetArg0 = 16
	offsetArg1 = 24
)

const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// filter is the seccomp program that programs run under: a list of what is allowed (calls.go). also are calls that are allowed
// beside it.
func filter(also ...uint32) []unix.SockFilter {
	f := []unix.SockFilter{
		load(offsetArch), skipIf(unix.BPF_JEQ, architecture, 1), answer(unix.SECCOMP_RET_KILL_PROCESS),
		load(offsetCall), skipUnless(unix.BPF_JGT, 1<<30-1, 1), answer(unix.SECCOMP_RET_KILL_PROCESS), // above: the x32 interface
	}
	f = append(f, each(allow(), allowed...)...)
	f = append(f, each(allow(), also...)...)
	f = append(f, each(answer(unix.SECCOMP_RET_KILL_PROCESS), deadly...)...)
	f = append(f, each(fail(unix.EPERM), refused...)...)
	f = append(f, each(fail(unix.EOPNOTSUPP), withoutAttributes...)...)
	f = append(f, each(fail(unix.EAFNOSUPPORT), unix.SYS_SOCKET)...)
	f = append(f, arguments()...)
	// Among what is left is clone3, which hides its flags from filters: without it the C library uses clone.
	return append(f, fail(unix.ENOSYS))
}

// arguments are the rules for calls that are allowed with some arguments only.
func arguments() []unix.SockFilter {
	return slices.Concat(
		when(unix.SYS_CLONE, load(offsetArg0), skipUnless(unix.BPF_JSET, newNamespaces, 1), fail(unix.EPERM), allow()),
		// Limits of one's own process.
		when(unix.SYS_PRLIMIT64, load(offsetArg0), skipUnless(unix.BPF_JEQ, 0, 1), allow(), fail(unix.EPERM)),
		// Pairs of streams within the program, such as asyncio needs: they lead nowhere else.
		when(unix.SYS_SOCKETPAIR, load(offsetArg0), skipIf(unix.BPF_JEQ, unix.AF_UNIX, 1), fail(unix.EAFNOSUPPORT),
			load(offsetArg1), unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xf}, skipUnless(unix.BPF_JEQ, unix.SOCK_STREAM, 1), allow(), fail(unix.EPERM)),
		when(unix.SYS_FCNTL, slices.Concat([]unix.SockFilter{load(offsetArg1)}, each(fail(unix.EPERM), refusedOperations...), []unix.SockFilter{allow()})...),
		when(unix.SYS_IOCTL, slices.Concat([]unix.SockFilter{load(offsetArg1)}, each(allow(), allowedControls...), []unix.SockFilter{fail(unix.ENOTTY)})...),
		when(unix.SYS_PRCTL, slices.Concat([]unix.SockFilter{load(offsetArg0)}, each(allow(), allowedControl...), []unix.SockFilter{fail(unix.EPERM)})...),
	)
}

// each gives every one of the values of the loaded word the same answer.
func each(then unix.SockFilter, values ...uint32) (f []unix.SockFilter) {
	for _, v := range values {
		f = append(f, skipUnless(unix.BPF_JEQ, v, 1), then)
	}
	return f
}

// when runs rules, which end with an answer, for one system call.
func when(call uint32, rules ...unix.SockFilter) []unix.SockFilter {
	return append([]unix.SockFilter{skipUnless(unix.BPF_JEQ, call, uint8(len(rules)))}, rules...)
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

// skipIf passes over n instructions if the loaded word compares so with k; skipUnless if it does not.
func skipIf(compare uint16, k uint32, n uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | compare | unix.BPF_K, Jt: n, K: k}
}

func skipUnless(compare uint16, k uint32, n uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | compare | unix.BPF_K, Jf: n, K: k}
}

func answer(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

func allow() unix.SockFilter { return answer(unix.SECCOMP_RET_ALLOW) }

func fail(e unix.Errno) unix.SockFilter { return answer(unix.SECCOMP_RET_ERRNO | uint32(e)) }

// compiled is a filter in the form that the kernel takes.
func compiled(rules []unix.SockFilter) (b []byte) {
	for _, i := range rules {
		b = binary.NativeEndian.AppendUint16(b, i.Code)
		b = append(b, i.Jt, i.Jf)
		b = binary.NativeEndian.AppendUint32(b, i.K)
	}
	return b
}
