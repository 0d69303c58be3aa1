package cli_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/approve"
	"github.com/sayso-dev/sayso/internal/journal"
	"github.com/sayso-dev/sayso/internal/local"
	"github.com/sayso-dev/sayso/internal/manifest"
	"github.com/sayso-dev/sayso/internal/profile"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/store/sqlite"
)

// asker is a program that puts its calls to the queue: asker CALL COMMAND. With
// DIE set it is gone as soon as the call waits, like one that was killed.
func asker() {
	state, err := local.State()
	if err != nil {
		panic(err)
	}
	db, err := sqlite.Open(context.Background(), state.Dir)
	if err != nil {
		panic(err)
	}
	if rule := os.Getenv("KEEP"); rule != "" { // what a person has kept for the workspace
		root, _ := os.Getwd()
		key := profile.Key{File: filepath.Join(os.Getenv("HOME"), ".config/sayso/profile.key")}
		if text := os.Getenv("PHRASE"); text != "" {
			key = profile.Key{Passphrase: func() (string, error) { return text, nil }, Work: 10}
		}
		own := &profile.Grants{GrantStore: db, Profile: &profile.Store{Dir: state.Dir, Key: key}}
		m := &manifest.Mirror{GrantStore: own, Manifest: manifest.Files{State: state.Dir}}
		fmt.Println(m.AddGrant(context.Background(), "s", local.Real(root), sayso.Grant{ID: "keep-" + rule[len(rule)-1:], Rule: rule, Scope: sayso.Scope(cmp.Or(os.Getenv("SCOPE"), "workspace"))}))
		return
	}
	q := &approve.Queue{Store: db, Timeout: time.Minute, Opened: func(r sayso.Request) {
		if os.Getenv("DIE") != "" {
			fmt.Println("asked", r.ID)
			os.Exit(0)
		}
	}}
	if os.Getenv("HURRY") != "" {
		q.Timeout = 20 * time.Millisecond
	}
	root, _ := os.Getwd()
	input, _ := json.Marshal(map[string]string{"command": os.Args[2]})
	e := sayso.Engine{Preset: preset.Native(preset.Policy{}), Approver: q, Sessions: db, Grants: db, Journal: journal.Folder{Dir: state.Dir}}
	call := sayso.Call{ID: os.Args[1], Session: "s", Agent: "tester", Tool: "bash", Input: input, Root: local.Real(root), Home: os.Getenv("HOME")}
	_, d, err := e.Authorize(context.Background(), call)
	fmt.Println(d.Effect, d.Code, d.Reason, err)
}
