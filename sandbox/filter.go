//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// refused are system calls that no program needs and that would reach past its own end: into other processes (ptrace and its
// kin), into kernel objects that outlive their maker (shared memory, queues, keys), into memory that no limit counts, or into
// the parts of the kernel where escapes have been found.
var refused = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMCTL,
	unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET, unix.SYS_MLOCK, unix.SYS_MLOCK2, unix.SYS_MLOCKALL,
	unix.SYS_SETPRIORITY, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR,
	unix.SYS_IOPRIO_SET, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES, unix.SYS_PERSONALITY,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_FSOPEN,
	unix.SYS_FSPICK, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_QUOTACTL, unix.SYS_FANOTIFY_INIT,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER,
	unix.SYS_IO_URING_REGISTER, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_SYSLOG, unix.SYS_ACCT, unix.SYS_SWAPON, unix.SYS_SWAPOFF,
	unix.SYS_REBOOT, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
}

// families of sockets that the network namespace contains. Others, such as vsock, reach the host of a virtual machine.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6}

// Offsets in the kernel's struct seccomp_data.
const (
	offsetCall = 0
	offsetArch = 4
	offsetArg0 = 16 // low half, on a little-endian machine
)

const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// filter is the seccomp program that every worker runs under: what is refused fails with EPERM.
func filter() []unix.SockFilter {
	arch, most := uint32(unix.AUDIT_ARCH_X86_64), uint32(1<<30-1) // above: the x32 interface
	if runtime.GOARCH == "arm64" {
		arch = unix.AUDIT_ARCH_AARCH64
	}
	f := []unix.SockFilter{
		load(offsetArch), skipIf(unix.BPF_JEQ, arch, 1), answer(unix.SECCOMP_RET_KILL_PROCESS),
		load(offsetCall), skipUnless(unix.BPF_JGT, most, 1), answer(unix.SECCOMP_RET_KILL_PROCESS),
	}
	for _, call := range refused {
		f = append(f, skipUnless(unix.BPF_JEQ, call, 1), fail(unix.EPERM))
	}
	// clone3 hides its flags from filters; without it the C library uses clone.
	f = append(f, skipUnless(unix.BPF_JEQ, unix.SYS_CLONE3, 1), fail(unix.ENOSYS))
	f = append(f, skipUnless(unix.BPF_JEQ, unix.SYS_CLONE, 4), load(offsetArg0), skipUnless(unix.BPF_JSET, newNamespaces, 1), fail(unix.EPERM), allow())
	// Limits of one's own process only.
	f = append(f, skipUnless(unix.BPF_JEQ, unix.SYS_PRLIMIT64, 4), load(offsetArg0), skipIf(unix.BPF_JEQ, 0, 1), fail(unix.EPERM), allow())
	f = append(f, skipUnless(unix.BPF_JEQ, unix.SYS_SOCKET, uint8(2*len(families)+2)), load(offsetArg0))
	for _, family := range families {
		f = append(f, skipUnless(unix.BPF_JEQ, family, 1), allow())
	}
	return append(f, fail(unix.EAFNOSUPPORT), allow())
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

// filterFile returns the filter in the form that bubblewrap reads from a descriptor.
func filterFile() (*os.File, error) {
	var b []byte
	for _, i := range filter() {
		b = binary.NativeEndian.AppendUint16(b, i.Code)
		b = append(b, i.Jt, i.Jf)
		b = binary.NativeEndian.AppendUint32(b, i.K)
	}
	return memoryFile("filter", b)
}
