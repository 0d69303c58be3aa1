package box

import "golang.org/x/sys/unix"

const (
	archHere     = unix.AUDIT_ARCH_AARCH64
	otherNumbers = 0x80000000 // none has such a number
)

var refusedHere = []uint32{unix.SYS_KEXEC_FILE_LOAD, unix.SYS_LOOKUP_DCOOKIE}

var metadataHere []uint32

var uncountedHere = []uint32{unix.SYS_SHMGET}

var modesHere []modeCall
