package cli

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/sayso-dev/sayso/internal/config"
)

const initUse = `sayso init [--user] [--yes] [--undo] claude

Lets an agent ask sayso before each of its tool calls: writes a starter policy,
.sayso.yaml, if the workspace has none, and wires the hooks in the settings of
the agent, .claude/settings.json. It shows what would change, asks, and changes
nothing else in the files. Run again it does nothing.

  --user  wire the hooks for all your workspaces, in ~/.claude/settings.json
  --yes   do not ask
  --undo  take the hooks out again, and the starter policy if nobody changed it

Exit status: 0 done, 1 error, or not wanted, 2 wrong usage.`

// starter is the policy that init writes.
const starter = `# What agents may do in this workspace; see: sayso help rule
#
# This file is committed with the workspace and can only tighten. What you allow
# yourself stands in your own file: sayso rule add allow 'bash(npm run *)'
mode: default

deny:
  - rule: bash(git push --force *)
    because: it rewrites history that others have; use --force-with-lease
    match: [git push origin main -f]
    not_match: [git push --force-with-lease]
`

// An edit is a file that is to change; after is nil if it is to go.
type edit struct {
	name          string
	before, after []byte
	missing       bool // it is not there yet
}

func initVerb(args []string, std IO) error {
	flags := flag.NewFlagSet("init", flag.ContinueOnError)
	user := flags.Bool("user", false, "")
	yes := flags.Bool("yes", false, "")
	undo := flags.Bool("undo", false, "")
	rest, helped, err := parse(flags, initUse, args, std)
	if helped || err != nil {
		return err
	}
	if len(rest) != 1 || rest[0] != "claude" {
		return &usageError{"init wants the name of an agent: claude", "for example: sayso init claude"}
	}
	if err := byPerson("what guards an agent"); err != nil {
		return err
	}
	at, err := place("", "")
	if err != nil {
		return err
	}
	root := rootOf(at.Dir)
	settings := claudeSettings(root, at.Home, os.Getenv("CLAUDE_CONFIG_DIR"))
	name := settings[2]
	if *user {
		name = settings[3]
	}
	var edits []edit
	if *undo {
		edits, err = undoClaude(root, name)
	} else {
		edits, err = initClaude(root, name)
	}
	if err != nil {
		return err
	}
	return apply(edits, *yes, *undo, std)
}

// initClaude says which files change.
func initClaude(root, settings string) ([]edit, error) {
	hook, err := hookProgram()
	if err != nil {
		return nil, err
	}
	policy, err := readEdit(filepath.Join(root, config.CommittedFile))
	if err != nil {
		return nil, err
	}
	if policy.missing {
		policy.after = []byte(starter)
	}
	wired, err := readEdit(settings)
	if err != nil {
		return nil, err
	}
	text := wired.before
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	if wired.after, err = wireClaude(text, shellWord(hook)+" claude"); err != nil {
		return nil, inFile(settings, err)
	}
	return []edit{policy, wired}, nil
}

// undoClaude says which files change to be as if init had not been.
func undoClaude(root, settings string) ([]edit, error) {
	policy, err := readEdit(filepath.Join(root, config.CommittedFile))
	if err != nil {
		return nil, err
	}
	if string(policy.before) == starter {
		policy.after = nil
	}
	wired, err := readEdit(settings)
	if err != nil || wired.missing {
		return []edit{policy}, err
	}
	if wired.after, err = unwireClaude(wired.before); err != nil {
		return nil, inFile(settings, err)
	}
	if string(bytes.TrimSpace(wired.after)) == "{}" && !bytes.Equal(wired.before, wired.after) {
		wired.after = nil
	}
	return []edit{policy, wired}, nil
}

// readEdit reads a file that may change. Links are followed: the file that they
// lead to is the one to change.
func readEdit(name string) (edit, error) {
	e := edit{name: realPath(name)}
	text, err := os.ReadFile(e.name)
	if errors.Is(err, fs.ErrNotExist) {
		e.missing = true
		return e, nil
	}
	e.before, e.after = text, text
	return e, err
}

// apply shows the changes, asks, and makes them.
func apply(edits []edit, yes, undo bool, std IO) error {
	var todo []edit
	for _, e := range edits {
		if !bytes.Equal(e.before, e.after) || (e.after == nil) != e.missing {
			todo = append(todo, e)
			printDiff(e.name, e.before, e.after, std.Out)
		}
	}
	if len(todo) == 0 {
		_, err := fmt.Fprintln(std.Out, map[bool]string{false: "nothing to do: it is wired already", true: "nothing to undo: it is not wired"}[undo])
		return err
	}
	if !yes {
		if err := confirm(std); err != nil {
			return err
		}
	}
	for _, e := range todo {
		if err := e.write(); err != nil {
			return err
		}
		word := "changed"
		if e.after == nil {
			word = "removed"
		} else if e.missing {
			word = "written"
		}
		fmt.Fprintf(std.Out, "%s: %s\n", word, e.name)
	}
	if !undo {
		fmt.Fprintln(std.Out, "The next session of the agent asks sayso before each call; sayso doctor tells whether it does.")
	}
	return nil
}

func (e *edit) write() error {
	now, err := os.ReadFile(e.name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(now, e.before) {
		return &hintedError{e.name + " was changed in the meantime", "run it again"}
	}
	if e.after == nil {
		return os.Remove(e.name)
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
	file, ok := std.In.(*os.File)
	if ok {
		info, err := file.Stat()
		null, missing := os.Stat(os.DevNull) // a device, too, but nobody sits there
		ok = err == nil && info.Mode()&os.ModeCharDevice != 0 && (missing != nil || !os.SameFile(info, null))
	}
	if !ok {
		return &hintedError{"nothing was changed: there is no terminal to ask", "look at what would change, and say --yes"}
	}
	fmt.Fprint(std.Err, "Change it like this? [y/N] ")
	answer, _ := bufio.NewReader(file).ReadString('\n') // no answer is no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errors.New("nothing was changed")
}

// hookProgram finds sayso-hook beside this program. Where this one was called by
// a link, the link beside it is taken: it stays when a new version is installed.
func hookProgram() (string, error) {
	found, err := beside("sayso-hook")
	if err != nil {
		return "", &hintedError{"there is no sayso-hook beside this program", "install both into the same folder: make install"}
	}
	if called, err := exec.LookPath(os.Args[0]); err == nil {
		link, err := filepath.Abs(filepath.Join(filepath.Dir(called), filepath.Base(found)))
		if err == nil && realPath(link) == realPath(found) {
			return link, nil
		}
	}
	return found, nil
}
