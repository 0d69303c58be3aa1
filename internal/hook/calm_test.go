package hook

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestCalm: a context without a timer ends like any other, for who looks and for who
// waits.
func TestCalm(t *testing.T) {
	soon := &calm{Context: context.Background(), end: time.Now().Add(10 * time.Millisecond)}
	defer soon.stop()
	if err := soon.Err(); err != nil {
		t.Errorf("it has ended: %v", err)
	}
	<-soon.Done()
	if err := soon.Err(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after its end: %v", err)
	}
	if at, ok := soon.Deadline(); !ok || !at.Equal(soon.end) {
		t.Errorf("it ends at %v, %v", at, ok)
	}
	child, cancel := context.WithCancel(&calm{Context: context.Background(), end: time.Now().Add(-time.Second)})
	defer cancel()
	<-child.Done()
	if !errors.Is(child.Err(), context.DeadlineExceeded) {
		t.Errorf("what is made of it: %v", child.Err())
	}
	late := &calm{Context: context.Background(), end: time.Now().Add(time.Hour)}
	late.stop() // nobody has waited
	done := late.Done()
	late.stop()
	<-done
}
