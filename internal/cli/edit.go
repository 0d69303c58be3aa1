package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sayso-dev/sayso/internal/jsontext"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/wire"
)

// An edit is a file that is to change; after is nil if it is to go.
type edit struct {
	name          string
	before, after []byte
	missing       bool // it is not there yet
}

// readEdit reads a file that may change. Links are followed: the file that they
// lead to is the one to change.
func readEdit(name string) (edit, error) {
	e := edit{name: local.Real(name)}
	text, err := readPlain(e.name)
	if errors.Is(err, fs.ErrNotExist) {
		e.missing = true
		return e, nil
	}
	e.before, e.after = text, text
	return e, err
}

// readPlain reads a file that is to be changed. Anything but a plain file might
// wait for ever, or be something that nobody wants to replace.
func readPlain(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &hintedError{name + " is not a plain file", "move it away"}
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

// inFile says in which file a mistake is.
func inFile(name string, err error) error {
	var mistake *jsontext.Error
	if errors.As(err, &mistake) {
		return fmt.Errorf("%s:%w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// apply shows the changes, asks, and makes them.
func (job *initJob) apply(edits []edit, std IO) error {
	todo := []edit{}
	for _, e := range edits {
		if !bytes.Equal(e.before, e.after) || (e.after == nil) != e.missing {
			todo = append(todo, e)
			if !job.asJSON {
				printDiff(e.name, e.before, e.after, std.Out)
			}
		}
	}
	if len(todo) == 0 && !job.asJSON {
		_, err := fmt.Fprintln(std.Out, map[bool]string{false: "nothing to do: it is wired already", true: "nothing to undo: it is not wired"}[job.undo])
		return err
	}
	if job.print {
		return job.told(todo, false, std)
	}
	if !job.yes {
		if err := confirm(std); err != nil {
			return err
		}
	}
	var made []string
	for _, e := range todo {
		folders := missingFolders(e.name)
		err := e.write()
		switch {
		case err != nil:
		case job.undo:
			folders, err = job.kept.forget(e)
			made = append(made, folders...)
		default:
			err = job.kept.keep(e, folders)
		}
		if err != nil {
			return err
		}
	}
	removeEmpty(made)
	return job.told(todo, true, std)
}

// told says what was done, or would be.
func (job *initJob) told(todo []edit, done bool, std IO) error {
	if job.asJSON {
		type change struct {
			File string `json:"file"`
			Does string `json:"does"`
		}
		list := []change{}
		for _, e := range todo {
			list = append(list, change{e.name, e.does()})
		}
		return writeJSON(struct {
			Done    bool     `json:"done"`
			Changes []change `json:"changes"`
		}{done, list}, std.Out)
	}
	if !done {
		return nil
	}
	for _, e := range todo {
		printf(std.Out, "%s: %s\n", e.does(), e.name)
	}
	if job.undo {
		return nil
	}
	for _, e := range todo {
		if filepath.Base(e.name) == wire.LocalSettings && !ignored(e.name) {
			printf(std.Err, "sayso: note: %s is for you alone: add .claude/%s to .gitignore\n", e.name, wire.LocalSettings)
		}
	}
	does := "asks sayso before each call"
	if job.observe {
		does = "tells sayso of each call, which records what it would decide and enforces the guardrails only"
	}
	if _, err := fmt.Fprintln(std.Out, "The next session of the agent "+does+"; sayso doctor tells whether it does."); err != nil || job.managed {
		return err
	}
	for _, a := range job.list {
		if _, ok := a.Place(job.at, wire.Managed); ok && len(a.Switches(job.at)) > 0 {
			if _, err := fmt.Fprintf(std.Out, "A file of a workspace can switch the hooks of %s off; sayso init --managed %s wires them where none can.\n", a.Title, a.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// ignored reports whether the repository of a workspace seems to leave its local
// settings out, or there is none. Only the usual ways to say so are known.
func ignored(settings string) bool {
	root := filepath.Dir(filepath.Dir(settings))
	if _, err := os.Lstat(filepath.Join(root, ".git")); err != nil {
		return true
	}
	for _, name := range []string{".gitignore", ".git/info/exclude", ".claude/.gitignore"} {
		text, err := local.Machine{}.ReadFile(filepath.Join(root, name), 1<<20)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			switch strings.Trim(strings.TrimSpace(line), "/") {
			case ".claude", ".claude/*", ".claude/**", "*", wire.LocalSettings, ".claude/" + wire.LocalSettings, "**/.claude/" + wire.LocalSettings:
				return true
			}
		}
	}
	return false
}

// does is what happens to the file, in a word.
func (e *edit) does() string {
	switch {
	case e.after == nil:
		return "removed"
	case e.missing:
		return "written"
	}
	return "changed"
}

func (e *edit) write() error {
	err := e.replace()
	if errors.Is(err, fs.ErrPermission) {
		return &hintedError{err.Error(), "it is not yours to change: let the administrator of this machine run " + command()}
	}
	return err
}

func (e *edit) replace() error {
	now, err := os.ReadFile(e.name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(now, e.before) {
		return &hintedError{e.name + " was changed in the meantime", "run it again"}
	}
	if e.after == nil {
		err := os.Remove(e.name)
		if dir := filepath.Dir(e.name); filepath.Base(dir) == ".claude" {
			_ = os.Remove(dir) // only if nothing else is in it
		}
		return err
	}
	if err := os.MkdirAll(filepath.Dir(e.name), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644) // others who work on it read it, too
	if info, err := os.Stat(e.name); err == nil {
		mode = info.Mode().Perm()
	}
	return replace(e.name, e.after, mode)
}

// confirm asks whether to go on. Where there is nobody to ask the answer is no.
func confirm(std IO) error {
	if !terminal(std.In) {
		return &hintedError{"nothing was changed: there is no terminal to ask", "look at what would change, and say --yes"}
	}
	fmt.Fprint(std.Err, "Change it like this? [y/N] ")
	answer, _ := bufio.NewReader(std.In).ReadString('\n') // no answer is no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errors.New("nothing was changed")
}

// terminal reports whether a person may sit at the other end.
func terminal(in io.Reader) bool {
	file, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	null, missing := os.Stat(os.DevNull) // a device, too, but nobody sits there
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && (missing != nil || !os.SameFile(info, null))
}
