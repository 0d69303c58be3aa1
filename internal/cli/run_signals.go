package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// signals are those that are passed on. What comes from the keyboard reaches the
// command by itself, if it has the terminal.
func (o *runOptions) signals() (passed <-chan os.Signal, stop func()) {
	all := make(chan os.Signal, 8)
	pass := make(chan os.Signal, 8)
	signal.Notify(all, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-all:
				if (s == syscall.SIGINT || s == syscall.SIGQUIT) && o.terminal {
					continue
				}
				pass <- s
			case <-done:
				return
			}
		}
	}()
	return pass, func() { signal.Stop(all); close(done) }
}
