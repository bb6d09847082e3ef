package sandbox

import "golang.org/x/sys/unix"

// architecture is this one's number in filters.
const architecture = unix.AUDIT_ARCH_X86_64

// allowedHere are old forms of allowed calls that arm64 does not have.
var allowedHere = []uint32{
	unix.SYS_OPEN, unix.SYS_CREAT, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_NEWFSTATAT, unix.SYS_ACCESS, unix.SYS_READLINK, unix.SYS_GETDENTS,
	unix.SYS_MKDIR, unix.SYS_RMDIR, unix.SYS_MKNOD, unix.SYS_UNLINK, unix.SYS_RENAME, unix.SYS_LINK, unix.SYS_SYMLINK, unix.SYS_CHMOD, unix.SYS_UTIME,
	unix.SYS_UTIMES, unix.SYS_FUTIMESAT, unix.SYS_DUP2, unix.SYS_PIPE, unix.SYS_EPOLL_CREATE, unix.SYS_EPOLL_WAIT, unix.SYS_POLL, unix.SYS_SELECT,
	unix.SYS_EVENTFD, unix.SYS_SIGNALFD, unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_GETPGRP, unix.SYS_ARCH_PRCTL, unix.SYS_PAUSE, unix.SYS_ALARM,
	unix.SYS_TIME,
}

// deadlyHere reach for the processor.
var deadlyHere = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT}
