package box

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// LandlockABI asks the kernel which version of Landlock it has; 0: none.
func LandlockABI() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// What can be done to files, in the words of Landlock.
const (
	landReads   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	landDevices = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	landFile    = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	landFirst   = 1<<13 - 1 // all that the first version knows
)

// landAll is all that a version of Landlock can hold.
func landAll(abi int) (files, network, scoped uint64) {
	files = landFirst
	if abi >= 2 {
		files |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		files |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 {
		network = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 5 {
		files |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return files, network, scoped
}

// restrict lets Landlock hold what the view already says: a second wall, which also
// stands where a descriptor leads out of the view.
func (s *stage) restrict() error {
	if s.abi = LandlockABI(); s.abi == 0 {
		return nil // it is told, and the report says what that means
	}
	files, network, scoped := landAll(s.abi)
	attr := unix.LandlockRulesetAttr{Handled_access_fs: files, Scoped: scoped}
	if s.noTCP {
		attr.Handled_access_net = network
	}
	size := unsafe.Sizeof(attr.Handled_access_fs) // what older kernels know of it
	if s.abi >= 4 {
		size += unsafe.Sizeof(attr.Handled_access_net)
	}
	if s.abi >= 6 {
		size += unsafe.Sizeof(attr.Scoped)
	}
	set, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("create_ruleset: %w", errno)
	}
	defer unix.Close(int(set)) //nolint:errcheck // it is in force
	for _, rule := range []struct {
		paths  []string
		access uint64
	}{{s.reads, landReads}, {s.writes, files}, {s.devices, landDevices & files}} {
		for _, name := range rule.paths {
			if err := allow(int(set), name, rule.access); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0); errno != 0 {
		return fmt.Errorf("restrict_self: %w", errno)
	}
	return nil
}

// allow lets something be done below a path.
func allow(set int, name string, access uint64) error {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // it was only looked at
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= landFile
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)} //nolint:gosec // a descriptor
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
