package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// shellSession identifies the login or the window that this was started in: what
// is approved for it ends with it. The number alone would come again; the time at
// which its first process was started, since this start of the machine, does not.
// Empty: it cannot be told.
func shellSession() string {
	id, err := unix.Getsid(0)
	if err != nil {
		return ""
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	if err != nil { // its first process has ended
		return ""
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const started = 19 // of the fields behind the name
	if len(fields) <= started {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", boot, id, fields[started]))
	return "shell-" + hex.EncodeToString(sum[:6])
}
