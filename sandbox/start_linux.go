package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/box"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/proxy"
)

// confined runs the command inside.
func (j *job) confined(ctx context.Context, p *plan) (result Result, err error) {
	if j.o.Borrow != nil && !p.terminal && p.layers == nil && !p.watched && len(p.streams) == 0 && p.c.Network != sayso.NetworkHosts {
		if result, ok, err := j.lent(ctx, p); ok {
			return result, err
		}
	}
	j.vigil.later()
	runtime.LockOSThread() // sayso-box ends with the thread that has started it
	defer runtime.UnlockOSThread()
	program := j.o.Box
	if program == "" {
		if program, err = local.Beside("sayso-box"); err != nil {
			return Result{}, &setupError{"find sayso-box", err}
		}
	}
	for range looks { // somebody may remove what was there, or the place of what was not
		var setup *setupError
		if result, err = j.once(ctx, program, p); !errors.As(err, &setup) || !strings.HasPrefix(setup.step, box.Protect+" ") && !strings.HasPrefix(setup.step, box.Pin+" ") {
			break
		}
	}
	return result, err
}

// once carries out a plan.
func (j *job) once(ctx context.Context, program string, p *plan) (Result, error) {
	places, err := p.hold()
	defer places.free()
	if err != nil {
		return Result{}, &setupError{"protected paths", err}
	}
	if err := j.layers.fill(); err != nil {
		return Result{}, &setupError{box.Layer, err}
	}
	in, err := j.start(program, p)
	if err != nil {
		return Result{}, err
	}
	return in.wait(ctx)
}

// An inner is a command that was started inside.
type inner struct {
	j        *job
	orders   *os.File
	messages *os.File
	kill     func()       // ends it, if it has not ended yet
	over     func() error // waits for its end when it has told the last
	proxy    *proxy.Proxy // where there is one
	watch    func()       // ends the supervision
}

// serve serves what sayso-box passes out.
func (in *inner) serve(from *os.File) {
	if err := openDoors(in.proxy, from); err != nil {
		in.kill() // what was promised is not there; if it has already ended, it tells why
	}
}

// start starts sayso-box in its namespaces and tells it the plan.
func (j *job) start(program string, p *plan) (*inner, error) {
	ordersIn, orders, err := os.Pipe()
	if err != nil {
		return nil, &setupError{"pipe", err}
	}
	defer ordersIn.Close() //nolint:errcheck // the other side has it
	messages, messagesOut, err := os.Pipe()
	if err != nil {
		return nil, &setupError{"pipe", errors.Join(err, orders.Close())}
	}
	defer messagesOut.Close() //nolint:errcheck // the other side has it
	cmd := boxCommand(program, p.c.Network)
	cmd.ExtraFiles = []*os.File{ordersIn, messagesOut}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = j.o.Stdin, j.o.Stdout, j.o.Stderr
	if p.abi == 0 { // without Landlock, a file could be opened again through its descriptor, to write
		cmd.Stdin = throughPipe(j.o.Stdin)
	}
	cmd.WaitDelay = shortly
	begin, err := feed(cmd)
	if err != nil {
		return nil, &setupError{"pipe", errors.Join(err, orders.Close(), messages.Close())}
	}
	if p.flat { // it sees by its orders that this program has ended, and ends the others
		cmd.Args, cmd.SysProcAttr = append(cmd.Args, "flat"), &syscall.SysProcAttr{}
	}
	var ours, theirs *os.File
	if p.c.Network == sayso.NetworkHosts && !p.flat {
		if ours, theirs, err = socketPair(); err != nil {
			return nil, &setupError{"sockets", errors.Join(err, orders.Close(), messages.Close())}
		}
		defer theirs.Close() //nolint:errcheck // the other side has it
		cmd.ExtraFiles = append(cmd.ExtraFiles, theirs)
	}
	watcher, err := j.watcher(cmd)
	if err != nil {
		return nil, &setupError{"sockets", errors.Join(err, orders.Close(), messages.Close())}
	}
	if err := cmd.Start(); err != nil {
		watcher.close()
		if ours != nil {
			_ = ours.Close() // nothing was passed
		}
		return nil, &setupError{"namespaces", errors.Join(fmt.Errorf("%w; %s", err, noSpaces), orders.Close(), messages.Close())}
	}
	in := &inner{j: j, orders: orders, messages: messages, kill: func() { _ = cmd.Process.Kill() }, over: cmd.Wait} // it may have ended
	if p.flat {
		in.kill = func() { // sayso-box has to end the others, and is told so by the end of its orders
			_ = orders.Close() // as above
			time.AfterFunc(flatEnd, func() { _ = cmd.Process.Kill() })
		}
	}
	begin()
	if theirs != nil {
		in.proxy = j.newProxy()
		go in.serve(ours)
	}
	in.watch = watcher.serve(in.kill)
	if err := box.Send(orders, p.steps...); err != nil {
		in.kill()
		in.watch()
		in.proxy.Close()
		return nil, &setupError{"tell the plan", errors.Join(err, cmd.Wait(), orders.Close(), messages.Close())}
	}
	return in, nil
}

// boxCommand is sayso-box in namespaces of its own.
func boxCommand(program string, n sayso.Network) *exec.Cmd {
	cmd := exec.Command(program)
	cmd.Args = []string{"sayso-box"}
	cmd.Env = []string{"GOMAXPROCS=1", "GODEBUG=containermaxprocs=0,updatemaxprocs=0"} // one thread is enough; nobody inside can learn anything from it
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  spaces(n),
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
		AmbientCaps: box.Needed,
		Pdeathsig:   syscall.SIGKILL,
	}
	return cmd
}

// noSpaces is why namespaces may not work.
const noSpaces = "this system may not let users have namespaces: look at sysctl user.max_user_namespaces, and at kernel.apparmor_restrict_unprivileged_userns, for which sayso-box needs a profile of AppArmor"

// spaces are the namespaces of a run.
func spaces(n sayso.Network) uintptr {
	flags := uintptr(syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS | syscall.CLONE_NEWCGROUP)
	if n != sayso.NetworkAll {
		flags |= syscall.CLONE_NEWNET
	}
	return flags
}

// socketPair is a socket for this program and one for sayso-box.
func socketPair() (ours, theirs *os.File, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	return os.NewFile(uintptr(fds[0]), "doors"), os.NewFile(uintptr(fds[1]), "doors"), nil
}

// throughPipe lets a file be read through a pipe.
func throughPipe(r io.Reader) io.Reader {
	if f, ok := r.(*os.File); ok && f != nil {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return struct{ io.Reader }{f}
		}
	}
	return r
}

// flatEnd is how long sayso-box may take to end all others, without namespaces.
const flatEnd = 10 * time.Second

// wait waits for the end, and brings it about when the time is over.
func (in *inner) wait(ctx context.Context) (result Result, err error) {
	over, heard := make(chan struct{}), make(chan struct{})
	go in.end(ctx, over)
	var last box.Step // that was told
	var refused error
	go func() { // not in the thread that has started it, which would have to be woken up each time
		defer close(heard)
		for s := range in.tells() {
			switch s[0] {
			case box.Tried:
				in.j.saw(s)
			case box.Prepared:
				refused = in.begin(over)
			case box.Ready:
				result.Ran = true
			default:
				last = s
			}
		}
	}()
	<-heard
	err = in.over()
	close(over)
	in.proxy.Close()
	in.watch()
	_, _ = in.orders.Close(), in.messages.Close() // nobody is on the other side
	result.TimedOut = errors.Is(context.Cause(ctx), errTime)
	if refused != nil {
		return Result{}, refused
	}
	return in.j.ended(ctx, result, last, err)
}

// tells are what it is told until the end.
func (in *inner) tells() iter.Seq[box.Step] {
	return func(yield func(box.Step) bool) {
		for {
			steps, err := box.Receive(in.messages)
			if err != nil {
				return // it has ended
			}
			for _, s := range steps {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// begin lets the command start, unless somebody has something against it.
func (in *inner) begin(over <-chan struct{}) error {
	err := in.j.begin()
	if err == nil {
		_ = box.Send(in.orders, box.Step{box.Go}) // if it has ended, that is told
		go in.j.forward(over, in.signal)
	} else {
		in.kill()
	}
	return err
}

// signal passes on a signal.
func (in *inner) signal(s os.Signal) {
	if n, ok := s.(syscall.Signal); ok {
		_ = box.Send(in.orders, box.Step{box.Signal, strconv.Itoa(int(n))}) // it may have ended
	}
}

// end asks all processes to end when the time is over or nobody wants the result any
// more, and ends them when the grace is over, too.
func (in *inner) end(ctx context.Context, over <-chan struct{}) {
	select {
	case <-over:
		return
	case <-ctx.Done():
	}
	if in.j.c.Grace > 0 && !in.j.isCut() {
		_ = box.Send(in.orders, box.Step{box.End}) // it may have ended
		select {
		case <-over:
			return
		case <-in.j.cut:
		case <-time.After(in.j.c.Grace):
		}
	}
	in.kill()
}

// isCut reports whether a run is to end without grace: what was protected is not, by now.
func (j *job) isCut() bool {
	select {
	case <-j.cut:
		return true
	default:
		return false
	}
}

// ended reads what sayso-box has told last.
func (j *job) ended(ctx context.Context, result Result, last box.Step, waited error) (Result, error) {
	kind, args := "", box.Step{"", ""}
	if len(last) > 0 {
		kind = last[0]
		copy(args, last[1:])
	}
	switch kind {
	case box.Exited:
		result.Exit, _ = strconv.Atoi(args[0]) // sayso-box writes numbers
	case box.Killed:
		result.Signal, _ = strconv.Atoi(args[0]) // as above
	case box.NotFound:
		return result, fmt.Errorf("%w: %s", ErrNotFound, args[0])
	case box.CannotDo:
		return result, fmt.Errorf("%w: %s", ErrCannotRun, args[0])
	case box.Failed:
		why := args[1]
		if args[0] == "mounts" { // the first step that needs a right in the new namespaces
			why += "; " + noSpaces
		}
		return result, &setupError{args[0], errors.New(why)}
	case box.Lost:
		result.Ended, result.Signal = (&endedError{args[0], replaced}).Error(), int(syscall.SIGKILL)
	case box.Over:
		result.Ended, result.Signal = "all processes together went over the limit: "+args[0], int(syscall.SIGKILL)
	default:
		if ctx.Err() == nil {
			return result, fmt.Errorf("sayso-box ended before the command did: %w", cmpErr(waited))
		}
		result.Signal = int(syscall.SIGKILL)
	}
	return result, nil
}

func cmpErr(err error) error {
	if err == nil {
		return errors.New("it told nothing")
	}
	return err
}
