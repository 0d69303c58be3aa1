//go:build unix

package chaos_test

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	kills  = flag.Int("chaos.kills", 400, "how many processes are killed; a tenth of it with -short")
	seed   = flag.Uint64("chaos.seed", 0, "what is random; 0: another one each time")
	atMost = flag.Duration("chaos.time", 3*time.Minute, "how long processes are killed at most")
)

func TestMain(m *testing.M) {
	if role := os.Getenv(envRole); role != "" {
		work(role, os.Args[1:])
	}
	os.Exit(m.Run())
}

// A story is what the processes said, in the order of each.
type story struct {
	mu    sync.Mutex
	said  map[string][][]string // by the first word
	last  map[string]string     // by worker: a call that was wanted, and not decided
	fails []string
}

func (s *story) listen(slot string, out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		words := strings.Split(lines.Text(), "\t")
		s.mu.Lock()
		switch words[0] {
		case "error":
			s.fails = append(s.fails, slot+": "+lines.Text())
		case "want":
			s.last[slot] = words[1]
		case "decided":
			delete(s.last, slot)
		}
		s.said[words[0]] = append(s.said[words[0]], words[1:])
		s.mu.Unlock()
	}
}

// ids are the second words of what was said with that first word.
func (s *story) ids(word string) []string {
	var out []string
	for _, words := range s.said[word] {
		out = append(out, words[0])
	}
	return out
}

// slots are the processes that live at once, each with what it does.
var slots = []string{"decider 1", "decider 2", "hook 1", "hook 2", "answerer 1", "answerer 2", "granter 1", "counter 1", "keeper 1", "keeper 2", "ruler 1", "ruler 2"}

// TestChaos: processes that decide, grant, answer and record at once are killed
// at random points. Nothing that any of them was told is done is lost or doubled,
// the chain of the journal is whole, and no call ran without its record.
func TestChaos(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	n := *kills
	if testing.Short() {
		n = max(n/10, 1)
	}
	t.Logf("-chaos.seed %d -chaos.kills %d", *seed, n)
	dir := filepath.Join(t.TempDir(), "state")
	if _, _, repo := own(dir, nil); os.Mkdir(repo, 0o755) != nil {
		t.Fatalf("%s cannot be made", repo)
	}
	s := &story{said: map[string][][]string{}, last: map[string]string{}}
	killed := s.run(t, dir, n)
	t.Logf("%d processes killed", killed)
	for _, fail := range s.fails {
		t.Error(fail)
	}
	s.check(t, dir, killed)
}

// run starts processes and kills them, until enough were killed that did something,
// or there is no more time.
func (s *story) run(t *testing.T, dir string, n int) int {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(*atMost)
	var wg sync.WaitGroup
	var mu sync.Mutex
	killed := 0
	enough := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return killed >= n && (s.busy() || killed >= 10*n) || time.Now().After(end)
	}
	for i, slot := range slots {
		rnd := rand.New(rand.NewPCG(*seed, uint64(i)))
		wg.Go(func() {
			for life := 0; !enough(); life++ {
				if !s.live(t, self, dir, slot, fmt.Sprintf("%c%d", 'a'+i, life), rnd) {
					return
				}
				mu.Lock()
				killed++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return killed
}

// live is the life of one process. It reports whether it ended as it should: by
// being killed.
func (s *story) live(t *testing.T, self, dir, slot, name string, rnd *rand.Rand) bool {
	role, _, _ := strings.Cut(slot, " ")
	s.mu.Lock()
	retry := s.last[slot]
	delete(s.last, slot)
	s.mu.Unlock()
	cmd := exec.Command(self, name, dir, fmt.Sprint(rnd.Uint64()), retry)
	cmd.Env = append(os.Environ(), envRole+"="+role)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return false
	}
	listened, works := make(chan struct{}), make(chan struct{})
	first := bufio.NewReader(out)
	go func() {
		defer close(listened)
		_, _ = first.Peek(1)
		close(works)
		s.listen(slot, first)
	}()
	// Some are killed while they start, most at work: once they have said something,
	// however slow the machine is. Who asks and who answers must meet.
	pause := time.Duration(rnd.IntN(200)) * time.Millisecond
	if role == "decider" || role == "answerer" {
		pause *= 3
	}
	if rnd.IntN(5) > 0 {
		select {
		case <-works:
		case <-time.After(5 * time.Second):
		}
	}
	time.Sleep(pause)
	if err := cmd.Process.Kill(); err != nil {
		t.Errorf("%s ended by itself: %v", slot, err)
	}
	<-listened
	_ = cmd.Wait() // it was killed
	return cmd.ProcessState.ExitCode() == -1
}
