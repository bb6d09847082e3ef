package sandbox

import "golang.org/x/sys/unix"

// architecture is this one's number in filters.
const architecture = unix.AUDIT_ARCH_AARCH64

// allowedHere are allowed calls that have another name on amd64.
var allowedHere = []uint32{unix.SYS_FSTATAT}

// deadlyHere are none.
var deadlyHere []uint32
