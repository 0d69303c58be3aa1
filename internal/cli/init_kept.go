package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/sayso-dev/sayso/internal/local"
)

// keptFiles is where init keeps what files were like before it changed them, so that
// --undo can put them back byte for byte; empty: there is no place for that.
type keptFiles string

// A keptFile is what a file was like.
type keptFile struct {
	File    string   `json:"file"`
	Missing bool     `json:"missing,omitempty"` // it was not there
	Before  []byte   `json:"before,omitempty"`
	After   string   `json:"after"`             // the hash of what init has written
	Folders []string `json:"folders,omitempty"` // that were made for it, the innermost first
}

func loadKept() keptFiles {
	state, err := local.State()
	if err != nil {
		return ""
	}
	return keptFiles(filepath.Join(state.Dir, "init"))
}

func (k keptFiles) name(file string) string {
	sum := sha256.Sum256([]byte(file))
	return filepath.Join(string(k), hex.EncodeToString(sum[:16])+".json")
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (k keptFiles) load(file string) (keptFile, bool) {
	var kept keptFile
	if k == "" {
		return kept, false
	}
	text, err := os.ReadFile(k.name(file))
	return kept, err == nil && json.Unmarshal(text, &kept) == nil && kept.File == file
}

// before is what a file was like before init changed it, if nobody has changed it
// since; nil: it was not there.
func (k keptFiles) before(e edit) ([]byte, bool) {
	kept, ok := k.load(e.name)
	if !ok || kept.After != hashOf(e.before) {
		return nil, false
	}
	if kept.Missing {
		return nil, true
	}
	if kept.Before == nil {
		kept.Before = []byte{}
	}
	return kept.Before, true
}

// keep notes what a file was like. If init has changed it before, and nobody since,
// what was before that counts.
func (k keptFiles) keep(e edit, folders []string) error {
	if k == "" || e.after == nil {
		return nil
	}
	kept, ok := k.load(e.name)
	if !ok || kept.After != hashOf(e.before) || e.missing {
		kept = keptFile{File: e.name, Missing: e.missing, Before: e.before, Folders: folders}
	}
	kept.After = hashOf(e.after)
	text, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(string(k), 0o700); err != nil {
		return err
	}
	return replace(k.name(e.name), text, 0o600)
}

// forget drops what is known of a file that is as it was, and returns the folders that
// were made for it.
func (k keptFiles) forget(e edit) ([]string, error) {
	kept, ok := k.load(e.name)
	if !ok {
		return nil, nil
	}
	if err := os.Remove(k.name(e.name)); !errors.Is(err, fs.ErrNotExist) {
		return kept.Folders, err
	}
	return kept.Folders, nil
}

// removeEmpty removes folders in which nothing is left, the innermost first.
func removeEmpty(folders []string) {
	slices.SortFunc(folders, func(a, b string) int { return len(b) - len(a) })
	for _, dir := range folders {
		_ = os.Remove(dir) // it fails if something is in it
	}
}

// missingFolders are the folders that must be made for a file, the innermost first.
func missingFolders(file string) []string {
	var out []string
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil || dir == filepath.Dir(dir) {
			return out
		}
		out = append(out, dir)
	}
}
