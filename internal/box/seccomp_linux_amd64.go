package box

import "golang.org/x/sys/unix"

const (
	archHere     = unix.AUDIT_ARCH_X86_64
	otherNumbers = 0x40000000 // of programs with short pointers, which have numbers of their own
)

var refusedHere = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS_SYSFS, unix.SYS_MODIFY_LDT, unix.SYS_LOOKUP_DCOOKIE}

var metadataHere = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}

var uncountedHere = []uint32{unix.SYS_SHMGET}

var modesHere = []modeCall{{unix.SYS_CHMOD, 1, none, asOwner}, {unix.SYS_MKNOD, 1, none, asOthers}, {unix.SYS_CREAT, 1, none, asOthers}, {unix.SYS_OPEN, 2, 1, asOthers}}
