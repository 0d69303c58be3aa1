package private_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/private"
)

// TestAppend: what a killed process began is written over, and nothing else is.
func TestAppend(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	file, err := private.Lock(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // a test
	for _, err := range []error{private.Append(file, 0, []byte("one\ntw")), private.Append(file, 4, []byte("two\n")), private.Append(file, 8, []byte("three\n"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "one\ntwo\nthree\n" {
		t.Errorf("%q %v", text, err)
	}
}

// TestLock: a file that is locked is waited for, until there is no more time.
func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	file, err := private.Lock(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := private.Lock(ended, name); err == nil || !strings.Contains(err.Error(), "is another sayso stuck?") {
		t.Errorf("a second lock: %v", err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := private.Lock(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	_ = again.Close()
}

// TestReplace: the text is replaced as a whole, for the user alone, and a failure
// leaves the old one.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x")
	for _, text := range []string{"a longer text", "short"} {
		if err := private.Replace(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("%q %v", got, err)
		}
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	var p *private.Error
	if err := private.Replace(filepath.Join(dir, "none", "x"), nil); !errors.As(err, &p) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := private.Replace(filepath.Join(dir, "folder"), nil); err == nil {
		t.Error("a folder was replaced")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
