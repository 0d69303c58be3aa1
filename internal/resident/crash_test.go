//go:build linux && (amd64 || arm64)

package resident_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/resident"
	"github.com/sayso-dev/sayso/internal/session"
)

// TestKilled: wherever the process or a hook is killed, with several at once, what an agent
// was told is recorded and kept, and the journal is whole.
func TestKilled(t *testing.T) {
	w := newWorld(t)
	w.ask(t, w.event("t0", "git status"), []string{alone}, "claude")
	if err := resident.Switch(w.state, false); err != nil { // hooks shall start none of their own
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var killer, agents sync.WaitGroup
	killer.Go(func() {
		for i := uint64(0); ; i++ {
			random := rand.New(rand.NewPCG(1, i))
			cmd := exec.Command(w.hook, "resident")
			cmd.Env = w.env
			if err := cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			over := false
			select {
			case <-stop:
				over = true
			case <-time.After(time.Duration(random.IntN(150)) * time.Millisecond):
			}
			if _, _ = cmd.Process.Kill(), cmd.Wait(); over { // it may have ended
				return
			}
		}
	})
	var mu sync.Mutex
	var told []string
	turns := 0
	for n := range 4 {
		agents.Go(func() {
			random := rand.New(rand.NewPCG(2, uint64(n)))
			for i := range 30 {
				id, command, want := fmt.Sprintf("k%d-%d", n, i), "git status", `"allow"`
				if i%3 == 1 {
					command, want = "rm -rf build", `"deny"`
				}
				event := w.event(id, command)
				if i%3 == 2 {
					event, want = `{"session_id":"s","cwd":"`+w.repo+`","hook_event_name":"UserPromptSubmit","prompt":"go on"}`, ""
				}
				out, whole := w.mayDie(t, event, i%4 == 3, random)
				if !whole {
					continue
				}
				if !strings.Contains(out, want) {
					t.Errorf("%s is answered %s", command, out)
				}
				mu.Lock()
				if want == "" {
					turns++
				} else {
					told = append(told, id)
				}
				mu.Unlock()
			}
		})
	}
	agents.Wait()
	close(stop)
	killer.Wait()
	if report, err := (journal.Folder{Dir: w.state}).Verify(nil); err != nil || !report.OK() {
		t.Errorf("%v: %v", err, report.Problems)
	}
	decided := map[string]int{}
	for _, text := range w.records(t) {
		var record struct{ Call, Kind string }
		if err := json.Unmarshal([]byte(text), &record); err != nil {
			t.Fatal(err)
		}
		if record.Kind == "decision" {
			decided[record.Call]++
		}
	}
	for _, id := range told { // twice: by the process, which was then killed, and by the hook
		if n := decided[id]; n < 1 || n > 2 {
			t.Errorf("%s was answered, and is recorded %d times", id, n)
		}
	}
	st, err := (session.Folder{Dir: w.state}).Get(context.Background(), "s")
	if err != nil || st.Turn < turns {
		t.Errorf("%v: %d turns are kept, %d were told", err, st.Turn, turns)
	}
	if len(told) < 40 || turns < 20 {
		t.Errorf("nearly all were killed: %d calls and %d prompts are left", len(told), turns)
	}
}

// mayDie runs a hook that may be killed, and reports whether it came to its end.
func (w world) mayDie(t *testing.T, event string, kill bool, random *rand.Rand) (string, bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), w.hook, "claude")
	var out bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout = w.env, strings.NewReader(event), &out
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return "", false
	}
	if kill {
		time.Sleep(time.Duration(random.IntN(4000)) * time.Microsecond)
		_ = cmd.Process.Kill() // it may have ended
	}
	err := cmd.Wait()
	return out.String(), err == nil
}
