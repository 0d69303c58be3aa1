package cli

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/quick"
	"github.com/sayso-dev/sayso/internal/snapshot"
)

// TestSnapshotDecides: by its snapshot a policy decides as it does itself, with the
// same reasons and rules.
func TestSnapshotDecides(t *testing.T) {
	user := []string{
		"", "mode: careful\n", "mode: plan\n", "mode: bypass\n", "mode: dont-ask\n",
		"allow: [bash(git push *), 'fetch(*.example.com)', mcp(github/*)]\nask: [read(**/*.pem)]\ndeny: [bash(rm *), edit(docs/**)]\n",
		"deny:\n  - rule: bash(git push --force *)\n    because: history is shared\n    except: [bash(git push --force * sandbox/*)]\n",
		"deny:\n  - rule: bash(ls *)\n    until: 2020-01-01\n",
		"workspace: {also: [~/shared], network: ask, delete: off}\n",
		"deny: [bash(\n", "unknown: key\n", "allow: [bash(make *)]\nmode: sideways\n",
	}
	committed := []string{"", "allow: [bash(git push *)]\nmode: bypass\ndeny: [bash(curl *)]\n", "deny: {\n"}
	commands := []string{
		"ls", "git push", "git push --force origin main", "git push --force origin sandbox/x", "rm -rf build", "rm -rf /", "make", "npm install x",
		"curl https://api.example.com", "curl https://other.test", "cat key.pem", "cat .env", "echo x > docs/a", "touch ~/shared/x", "touch ~/other", "git status && git push", "$X",
	}
	tools := []sayso.Call{
		{Tool: "Read", Input: json.RawMessage(`{"file_path":"a.pem"}`)},
		{Tool: "Edit", Input: json.RawMessage(`{"file_path":"docs/a","old_string":"a","new_string":"b"}`)},
		{Tool: "mcp__github__get_issue", Input: json.RawMessage(`{}`)},
		{Tool: "WebFetch", Input: json.RawMessage(`{"url":"https://api.example.com"}`)},
		{Tool: "Nonsense", Input: json.RawMessage(`{}`)},
	}
	for _, command := range commands {
		input, _ := json.Marshal(map[string]string{"command": command})
		tools = append(tools, sayso.Call{Tool: "Bash", Input: input})
	}
	for _, own := range user {
		for _, shared := range committed {
			home, root := t.TempDir(), t.TempDir()
			write(t, filepath.Join(home, ".config/sayso/policy.yaml"), own)
			write(t, filepath.Join(root, ".sayso.yaml"), shared)
			l, err := load(root, home, IO{Err: io.Discard})
			if err != nil {
				t.Fatal(err)
			}
			kept, err := json.Marshal(snapshotOf(root, l, nil))
			if err != nil {
				t.Fatal(err)
			}
			var s snapshot.Snapshot
			if err := json.Unmarshal(kept, &s); err != nil {
				t.Fatal(err)
			}
			engine := quick.Engine(s, local.Files{Home: home, Root: root})
			for _, call := range tools {
				call.Root, call.Dir, call.Home = root, root, home
				for _, chosen := range []string{"", "careful"} {
					at := time.Now()
					want := l.engine.Check(context.Background(), call, sayso.Session{Now: at, Mode: l.engine.Mode(chosen), Surface: l.surface})
					got := engine.Check(context.Background(), call, sayso.Session{Now: at, Mode: engine.Mode(chosen), Surface: s.Surface})
					if !reflect.DeepEqual(text(t, got), text(t, want)) {
						t.Errorf("%s%s%s %s %s:\n%s\nwant\n%s", own, shared, chosen, call.Tool, call.Input, text(t, got), text(t, want))
					}
				}
			}
		}
	}
}

func text(t *testing.T, d sayso.Decision) string {
	t.Helper()
	out, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if text == "" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
