package mcpgate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/sayso-dev/sayso/internal/private"
)

// Kept keeps what a server has said of its tools in a file of the state folder,
// which agents cannot change.
type Kept struct {
	Dir         string // the state folder
	Root        string // the workspace
	Name        string // of the server
	Fingerprint string // of what is started
}

// maxKept is how large such a file may be.
const maxKept = 16 << 20

// folder is where the files are, file the one of this server in this workspace.
func (k Kept) folder() string { return filepath.Join(k.Dir, "mcp") }

func (k Kept) file() string {
	sum := sha256.Sum256([]byte(k.Root + "\x00" + k.Name))
	return filepath.Join(k.folder(), hex.EncodeToString(sum[:16])+".json")
}

// kept is what stands in the file.
type kept struct {
	Root        string          `json:"root"`
	Name        string          `json:"name"`
	Fingerprint string          `json:"fingerprint"`
	Tools       map[string]Tool `json:"tools"`
}

// Load reads what was kept. What was said by another server under the same name does
// not count.
func (k Kept) Load(context.Context) (map[string]Tool, bool, error) {
	file, err := private.Open(k.file(), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	text, err := private.Read(file, maxKept)
	if err != nil {
		return nil, false, err
	}
	var have kept
	if err := json.Unmarshal(text, &have); err != nil {
		return nil, false, fmt.Errorf("%s: %w; trust the server again to have it made anew", k.file(), err)
	}
	if have.Root != k.Root || have.Name != k.Name || have.Fingerprint != k.Fingerprint {
		return nil, false, nil
	}
	return have.Tools, true, nil
}

// Keep adds tools to those that are kept.
func (k Kept) Keep(ctx context.Context, tools map[string]Tool) error {
	if err := private.Make(k.Dir, k.folder()); err != nil {
		return err
	}
	lock, err := private.Lock(ctx, k.file()+".lock")
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // nothing was written to it
	have, _, err := k.Load(ctx)
	if err != nil {
		return err
	}
	all := map[string]Tool{}
	maps.Copy(all, have)
	maps.Copy(all, tools)
	text, err := json.Marshal(kept{k.Root, k.Name, k.Fingerprint, all})
	if err != nil {
		return err
	}
	return replace(k.file(), text)
}

// replace puts a file in the place of another, whole.
func replace(name string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = file.ReadFrom(bytes.NewReader(text))
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// Forget forgets what a server has said: a person trusts it anew, or no longer.
func (k Kept) Forget() error {
	err := os.Remove(k.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
