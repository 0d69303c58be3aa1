package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/catalog"
	"github.com/sayso-dev/sayso/internal/config"
)

// brokenScripts says why policy scripts do not load.
func brokenScripts(files []config.Script, std IO) []error {
	var out []error
	for _, f := range files {
		err := f.Err
		if err == nil && std.Script != nil {
			_, err = std.Script(f.Name, f.Text)
		}
		if err != nil {
			out = append(out, err)
		}
	}
	return out
}

// quickHook answers a hook without what runs policy scripts, unless one is in
// force: then the rich program beside this one is asked the same. If that fails
// the first answer counts, which denies.
func quickHook(args []string, std IO) int {
	var event, out, errs bytes.Buffer
	var needed atomic.Bool
	rich, err := beside("sayso")
	why := err
	if err == nil {
		why = fmt.Errorf("%s gave no answer", rich)
	}
	quick := IO{In: io.TeeReader(std.In, &event), Out: &out, Err: &errs, Script: func(name string, _ []byte) (sayso.Stage, error) {
		needed.Store(true)
		return catalog.NotRun(name, why), nil
	}}
	code := report(hookVerb(args, quick), quick)
	if needed.Load() && err == nil {
		if answer, status, err := ask(rich, args, &event, std.Err); err == nil {
			_, err := std.Out.Write(answer)
			return max(status, report(err, std))
		}
	}
	_, err = std.Out.Write(out.Bytes())
	_, _ = std.Err.Write(errs.Bytes()) // nobody may be there to read it
	return max(code, report(err, std))
}

// beside finds a program in the folder of this one, and nowhere else: what a
// search path leads to could be anybody's.
func beside(name string) (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the program %s: %w", name, err)
	}
	if real, err := filepath.EvalSymlinks(own); err == nil {
		own = real
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	found := filepath.Join(filepath.Dir(own), name)
	info, err := os.Stat(found)
	if err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s, which runs it, is not there; install sayso and sayso-hook into the same folder", found)
	}
	return found, nil
}

// ask lets the rich program answer a hook. The answer is whole, or an error.
func ask(rich string, args []string, event io.Reader, errs io.Writer) ([]byte, int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), hookDeadline+time.Second) // it has a deadline of its own
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, rich, append([]string{"hook"}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = event, &out, errs, time.Second
	err := cmd.Run()
	status := cmd.ProcessState.ExitCode()
	if err != nil && status != exitUsage { // that one blocks, too
		return nil, 0, err
	}
	if !json.Valid(out.Bytes()) {
		return nil, 0, errors.New("its answer is not whole")
	}
	return out.Bytes(), status, nil
}
