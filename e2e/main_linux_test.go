package e2e

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

var clients = flag.String("clients", "gemini", "which clients to drive, with commas, or all")

// programs is where sayso and its companions were built to, in the isolated process.
const programs = "SAYSO_E2E_PROGRAMS"

// TestMain runs the tests where there is no network but loopback, and where nothing
// that a client leaves behind outlives them.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv(programs) != "" {
		if err := errors.Join(loopback(), ownEtc()); err != nil {
			fmt.Fprintln(os.Stderr, "e2e: what is to be isolated is not:", err)
			os.Exit(1)
		}
		os.Exit(m.Run())
	}
	status, err := isolated()
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
	}
	os.Exit(status)
}

// isolated builds the programs, and runs this one again in namespaces of its own.
func isolated() (status int, err error) {
	dir, err := os.MkdirTemp("", "sayso-e2e")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	build := exec.Command("go", "build", "-trimpath", "-o", dir+"/", "../cmd/sayso", "../cmd/sayso-hook", "../cmd/sayso-box")
	build.Env, build.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	if err := build.Run(); err != nil {
		return 1, fmt.Errorf("build: %w", err)
	}
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		return 1, err
	}
	args := []string{"--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"}
	if os.Getuid() != 0 {
		args = append([]string{"--map-root-user"}, args...)
	}
	run := exec.Command("unshare", append(append(args, self), os.Args[1:]...)...)
	run.Env = append(os.Environ(), programs+"="+dir)
	run.Stdin, run.Stdout, run.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = run.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return failed.ExitCode(), nil
	}
	return 0, err
}

// ownEtc makes /etc one that can be written to and that nobody else sees, for what
// administrators put there.
func ownEtc() error {
	dir := filepath.Join(os.Getenv(programs), "etc")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("none", dir, "tmpfs", 0, ""); err != nil {
		return fmt.Errorf("mount a folder in memory: %w", err)
	}
	upper, work := dir+"/upper", dir+"/work"
	if err := errors.Join(os.Mkdir(upper, 0o755), os.Mkdir(work, 0o755)); err != nil {
		return err
	}
	if err := unix.Mount("none", "/etc", "overlay", 0, "lowerdir=/etc,userxattr,upperdir="+upper+",workdir="+work); err != nil {
		return fmt.Errorf("mount over /etc: %w", err)
	}
	return nil
}

// loopback switches the one network on that a new namespace has.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCSIFFLAGS, uintptr(unsafe.Pointer(request))); errno != 0 {
		return errno
	}
	return nil
}
