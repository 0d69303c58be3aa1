package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// plain runs the command without a sandbox, where the contract lets that happen.
func (j *job) plain(ctx context.Context) (Result, error) {
	file, err := exec.LookPath(j.c.Argv[0])
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	if err := j.begin(); err != nil {
		return Result{}, err
	}
	j.vigil.later()
	cmd := exec.CommandContext(ctx, file, j.c.Argv[1:]...)
	cmd.Args[0] = j.c.Argv[0]
	cmd.Env, cmd.Dir = j.env, j.c.Dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = j.o.Stdin, j.o.Stdout, j.o.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(politely) }
	cmd.WaitDelay = max(j.c.Grace, shortly)
	if err := cmd.Start(); err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrCannotRun, err)
	}
	done := make(chan struct{})
	defer close(done)
	go j.forward(done, func(s os.Signal) { _ = cmd.Process.Signal(s) }) // it may have ended
	err = cmd.Wait()
	result := Result{Ran: true, TimedOut: errors.Is(context.Cause(ctx), errTime)}
	result.Exit, result.Signal = status(cmd.ProcessState)
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) && ctx.Err() == nil && !errors.Is(err, exec.ErrWaitDelay) {
		return result, err
	}
	return result, nil
}

// forward passes signals on until it is done.
func (j *job) forward(done <-chan struct{}, send func(os.Signal)) {
	for {
		select {
		case s, ok := <-j.o.Signals:
			if !ok {
				return
			}
			send(s)
		case <-done:
			return
		}
	}
}
