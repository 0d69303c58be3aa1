//go:build unix

package mcpgate

import (
	"os/exec"
	"syscall"
)

// ownGroup starts a command in a process group of its own, so that a key on the
// terminal does not end it before what is open is answered, and all of it can be
// ended at once.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminate(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

func kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
