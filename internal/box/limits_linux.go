package box

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// fewestPIDs is the lowest number of processes that a PID namespace can be held to.
const fewestPIDs = 301

// limitPIDs lets the PID namespace have no more processes than the limit, where the
// kernel can do that: it holds root, too, for which the limit of a user does not count.
func (s *stage) limitPIDs() error {
	n, ok := s.limits[LimitProcs]
	if !ok {
		return nil
	}
	file, err := s.at("/proc/sys/kernel/pid_max", unix.O_RDONLY)
	if err != nil {
		return err
	}
	defer unix.Close(file)                                      //nolint:errcheck // it was only looked at
	_ = writePIDMax(strconv.FormatUint(max(n, fewestPIDs), 10)) // older kernels have one number for all; those inside are counted in any case
	return nil
}

// writePIDMax writes the highest number of a process, through a /proc of its own that
// can be written and is seen by nobody.
func writePIDMax(value string) error {
	fd, err := newFS("proc", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC, nil)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // it goes with it
	file, err := unix.Openat(fd, "sys/kernel/pid_max", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	_, err = unix.Write(file, []byte(value))
	return errors.Join(err, unix.Close(file))
}

// setLimits sets what the kernel holds for each process.
func (s *stage) setLimits() error {
	set := func(which int, n uint64) error {
		return unix.Setrlimit(which, &unix.Rlimit{Cur: n, Max: n})
	}
	if err := set(unix.RLIMIT_CORE, 0); err != nil {
		return err
	}
	if n, ok := s.limits[LimitCPU]; ok {
		if err := set(unix.RLIMIT_CPU, max(n, 1)); err != nil {
			return err
		}
	}
	if n, ok := s.limits[LimitMemory]; ok {
		if err := set(unix.RLIMIT_DATA, n); err != nil {
			return err
		}
	}
	if n, ok := s.limits[LimitFile]; ok {
		if err := set(unix.RLIMIT_FSIZE, n); err != nil {
			return err
		}
	}
	if n, ok := s.limits[LimitProcs]; ok {
		own, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		return set(unix.RLIMIT_NPROC, n+uint64(len(own))+spareThreads)
	}
	return nil
}

// spareThreads is how many threads this process may still start.
const spareThreads = 6

// pause is how often it is counted what the processes inside use together.
const pause = 20 * time.Millisecond

// count ends everything if the processes inside use more than they may together:
// the kernel's own limits are for each process alone.
func (s *stage) count() {
	for {
		time.Sleep(pause)
		s.countOnce()
	}
}

func (s *stage) countOnce() {
	used, err := s.usage()
	if err != nil {
		return // a process has just ended
	}
	for name, limit := range s.limits {
		if used[name] > limit && (name != LimitMemory || s.memory() > limit) {
			s.tell(Over, name)
			os.Exit(failed)
		}
	}
}

// ticks is how many of the kernel's units of time are a second.
const ticks = 100

// usage is what the processes inside use together, without this one.
func (s *stage) usage() (map[string]uint64, error) {
	ended, err := cpuTime(unix.RUSAGE_CHILDREN)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	used := map[string]uint64{}
	var cpu uint64
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == 1 {
			continue
		}
		used[LimitProcs]++
		text, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it has just ended
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 14 {
			for _, f := range fields[11:15] { // its own and its children's, in the program and in the kernel
				n, _ := strconv.ParseUint(f, 10, 64) // what is no number is nothing
				cpu += n
			}
		}
		used[LimitMemory] += private("/proc/" + e.Name() + "/status")
	}
	used[LimitCPU] = uint64((ended-s.before)/time.Second) + cpu/ticks //nolint:gosec // times are positive
	return used, nil
}

// cpuTime is how much of the processor was used: by this process, or by those of its
// children that have ended.
func cpuTime(who int) (time.Duration, error) {
	var u unix.Rusage
	if err := unix.Getrusage(who, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// private is how much memory a process has that is no file's: more than its own, if
// some of it is shared.
func private(file string) (bytes uint64) { return kilobytes(file, "RssAnon:", "RssShmem:") << 10 }

// memory is how much the processes inside have together, with what they share counted
// once. To find that out takes longer.
func (s *stage) memory() (bytes uint64) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return ^uint64(0)
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err != nil || pid == 1 {
			continue
		}
		own := kilobytes("/proc/"+e.Name()+"/smaps_rollup", "Pss_Anon:", "Pss_Shmem:") << 10
		if own == 0 { // it hides it, or the kernel is older
			own = private("/proc/" + e.Name() + "/status")
		}
		bytes += own
	}
	return bytes
}

// kilobytes adds up lines of a file that have one of the names.
func kilobytes(file string, names ...string) (sum uint64) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0 // it has just ended
	}
	for line := range strings.Lines(string(text)) {
		for _, name := range names {
			if rest, ok := strings.CutPrefix(line, name); ok {
				n, _ := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64) // what is no number is nothing
				sum += n
			}
		}
	}
	return sum
}
