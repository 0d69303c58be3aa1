package tui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/termtest"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// BenchmarkShown: how long it takes from an ask until the screen has it, where no
// other call waits and where a thousand do, in turns. scripts/askbench compares
// the two for every channel.
func BenchmarkShown(b *testing.B) {
	one, many := newShown(b, 1), newShown(b, 1000)
	for b.Loop() {
		one.ask(b)
		many.ask(b)
	}
	b.ReportMetric(one.took(), "one-ns")
	b.ReportMetric(many.took(), "many-ns")
}

// shown is a screen on which calls wait.
type shown struct {
	db    *sqlite.DB
	r     sayso.Request
	wait  int // how many do
	ids   int // how many have
	times []time.Duration

	mu     sync.Mutex
	screen *termtest.Screen
	drawn  chan struct{}
}

func newShown(b *testing.B, pending int) *shown {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	db, err := sqlite.Open(ctx, filepath.Join(b.TempDir(), "state"))
	if err != nil {
		b.Fatal(err)
	}
	s := &shown{db: db, r: requestOf("native", "r", push), screen: termtest.NewScreen(80, 24), drawn: make(chan struct{}, 1)}
	s.r.Opened = time.Now()
	for range pending - 1 {
		s.open(b)
	}
	f := newFake("native")
	f.Approvals = db
	p := tea.NewProgram(New(ctx, f.desk(), Options{View: plainView}), tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(s),
		tea.WithWindowSize(80, 24), tea.WithColorProfile(colorprofile.ANSI), tea.WithEnvironment([]string{"TERM=xterm"}), tea.WithoutSignalHandler())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = p.Run() // it ends with ctx
	}()
	b.Cleanup(func() {
		cancel()
		<-ended
		_ = db.Close()
	})
	s.until(b)
	return s
}

func (s *shown) open(b *testing.B) {
	b.Helper()
	s.wait, s.ids = s.wait+1, s.ids+1
	s.r.ID, s.r.Call.ID = fmt.Sprint("r", s.ids), fmt.Sprint("call", s.ids)
	if _, err := s.db.Open(context.Background(), s.r); err != nil {
		b.Fatal(err)
	}
}

// Write is what the program draws.
func (s *shown) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.drawn <- struct{}{}:
	default:
	}
	return s.screen.Write(p)
}

// until waits until the screen has all that wait.
func (s *shown) until(b *testing.B) {
	b.Helper()
	want := fmt.Sprintf(" 1 waiting %d ", s.wait)
	if s.wait == 0 {
		want = "nothing waits"
	}
	late := time.After(20 * time.Second)
	for {
		s.mu.Lock()
		text := s.screen.Text()
		s.mu.Unlock()
		if strings.Contains(text, want) {
			return
		}
		select {
		case <-s.drawn:
		case <-late:
			b.Fatalf("want %q in\n%s", want, text)
		}
	}
}

// ask asks, and takes it back.
func (s *shown) ask(b *testing.B) {
	b.Helper()
	time.Sleep(rand.N(50 * time.Millisecond)) // an ask does not know when it is looked for
	start := time.Now()
	s.open(b)
	s.until(b)
	s.times = append(s.times, time.Since(start))
	if err := s.db.Answer(context.Background(), sayso.Answer{RequestID: s.r.ID, ContractHash: s.r.Contract.Hash()}); err != nil {
		b.Fatal(err)
	}
	s.wait--
	s.until(b)
}

// took is how long it took where nothing else kept the machine busy.
func (s *shown) took() float64 {
	slices.Sort(s.times)
	return float64(s.times[len(s.times)/4].Nanoseconds())
}
