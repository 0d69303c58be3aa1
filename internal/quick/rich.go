package quick

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/sayso-dev/sayso/internal/local"
)

// startUnpacking starts the rich program. It ends when there are no more questions:
// at the end of this process, or of [quick.close].
func (q *quick) startUnpacking() (io.ReadWriter, error) {
	rich, err := local.Beside("sayso")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(rich, "unpack")
	cmd.Env = environ()
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	q.unpacks = cmd
	return struct {
		io.Reader
		io.Writer
	}{out, in}, cmd.Start()
}

// environ is what the rich program has of the environment: that this one is to use one
// processor is not for that one.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(one string) bool { return one == "GOMAXPROCS=1" })
}

// close ends what was started, in a process that goes on.
func (q *quick) close() {
	if q.unpacks != nil && q.unpacks.Process != nil {
		_ = q.unpacks.Process.Kill() // it has answered, or nobody waits for it
		_ = q.unpacks.Wait()         // as above
	}
}

// makeSnapshot lets the rich program read the policy.
func makeSnapshot(root string) error {
	rich, err := local.Beside("sayso")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), Deadline/2)
	defer cancel()
	cmd := exec.CommandContext(ctx, rich, "snapshot", "--root", root)
	cmd.Env, cmd.WaitDelay = environ(), time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s snapshot: %w %s", rich, err, bytes.TrimSpace(out[:min(len(out), 500)]))
	}
	return nil
}

// handOver lets the rich program answer, which may ask a person for so long.
// Whatever goes wrong denies.
func handOver(c Call, hold time.Duration, event []byte, out, errs io.Writer) int {
	rich, err := local.Beside("sayso")
	if err == nil {
		var answer []byte
		var status int
		if answer, status, err = ask(rich, c, hold, event, errs); err == nil {
			return max(status, write(answer, nil, out, errs))
		}
		err = fmt.Errorf("%s gave no answer: %w", rich, err)
	}
	if denial := c.Agent.Denial(err); len(denial) > 0 {
		return write(denial, nil, out, errs)
	}
	return write(nil, err, out, errs)
}

// ask is the answer of the rich program. It is whole, or an error.
func ask(rich string, c Call, hold time.Duration, event []byte, errs io.Writer) ([]byte, int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), hold+Deadline+time.Second) // it has a deadline of its own
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, rich, c.args()...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = environ(), bytes.NewReader(event), &out, errs, time.Second
	err := cmd.Run()
	status := cmd.ProcessState.ExitCode()
	if err != nil && status != exitBlock { // that one blocks, too
		return nil, 0, err
	}
	none := out.Len() == 0 && (c.Observe || !c.Agent.Decides(c.Event, event)) // most events need no answer
	if !none && !json.Valid(out.Bytes()) && !(status == exitBlock && out.Len() == 0) {
		return nil, 0, errors.New("its answer is not whole")
	}
	return out.Bytes(), status, nil
}
