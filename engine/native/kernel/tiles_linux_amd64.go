package kernel

import (
	"os"
	"syscall"
)

// requestTiles asks the system for the state of the tiles, once for the whole process: without, their instructions fault.
func requestTiles() error {
	const requestState, tileData = 0x1023, 18 // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
	if _, _, errno := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestState, tileData, 0); errno != 0 {
		return os.NewSyscallError("arch_prctl", errno)
	}
	return nil
}
