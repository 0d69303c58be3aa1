package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/config"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/shell"
)

// kosmoTools is the tools: section of KosmoKrator's configuration. A list that is
// nil is not given.
type kosmoTools struct {
	DeniedTools      []string  `json:"denied_tools"`
	SafeTools        []string  `json:"safe_tools"`
	ApprovalRequired []string  `json:"approval_required"`
	DefaultMode      string    `json:"default_permission_mode"`
	BlockedPaths     []string  `json:"blocked_paths"`
	AllowedPaths     []string  `json:"allowed_paths"`
	Bash             kosmoBash `json:"bash"`
	SafeCommands     []string  `json:"guardian_safe_commands"`
}

type kosmoBash struct {
	BlockedCommands []string `json:"blocked_commands"`
}

func kosmokrator() System {
	return System{
		Name: "kosmokrator", FromJSON: kosmoFromJSON, FromFile: kosmoFromFile, Load: kosmoLoad, Grant: kosmoGrant,
		Forms: map[Kind]Form{
			Command:  {Tool: "bash", Key: "command"},
			Reading:  {Tool: "file_read", Key: "path"},
			Writing:  {Tool: "file_write", Key: "path"},
			Deleting: {Tool: "file_delete", Key: "path"}, // not one of its tools
			Fetching: {Tool: "web_fetch", Key: "url"},    // neither
		},
	}
}

// kosmoFromJSON reads the keys of the tools: section, with or without tools in
// front of them.
func kosmoFromJSON(raw json.RawMessage, at Place) (Setup, error) {
	var given struct {
		kosmoTools
		Tools kosmoTools `json:"tools"`
	}
	if err := decode(raw, &given); err != nil {
		return Setup{}, err
	}
	cfg := given.kosmoTools.over(given.Tools.over(preset.KosmoKratorDefaults()))
	cfg.At = shell.Place{Dir: at.Root, Home: at.Home, Machine: at.Machine}
	return Setup{Preset: preset.KosmoKrator(cfg)}, cfg.Check()
}

// kosmoFromFile reads one of KosmoKrator's own files, alone, or the same keys as
// JSON.
func kosmoFromFile(file config.Other, at Place) (Setup, error) {
	if text := bytes.TrimSpace(file.Text); bytes.HasPrefix(text, []byte("{")) {
		return kosmoFromJSON(text, at)
	}
	f, err := parseKosmo(file)
	if err == nil && !f.marks.Has("tools") {
		err = f.marks.Error("", "there is no tools: section in it", "write the keys below tools:")
	}
	if err != nil {
		return Setup{}, err
	}
	cfg := f.over(preset.KosmoKratorDefaults())
	cfg.At = shell.Place{Dir: at.Root, Home: at.Home, Machine: at.Machine}
	return Setup{Preset: preset.KosmoKrator(cfg)}, nil
}

// kosmoGrant reads {"tool": "bash"}: a grant is for a whole tool.
func kosmoGrant(raw json.RawMessage) (sayso.Grant, error) {
	var g struct {
		Tool string `json:"tool"`
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&g); err != nil {
		return sayso.Grant{}, fmt.Errorf(`grant: want {"tool": NAME}: %w`, err)
	}
	if g.Tool == "" {
		return sayso.Grant{}, errors.New(`grant: want {"tool": NAME}`)
	}
	return sayso.Grant{Rule: g.Tool, Scope: sayso.ForSession}, nil
}

// over lays what is given over a configuration. A list replaces the one below
// it, but no file loses what another one blocks.
func (t *kosmoTools) over(cfg preset.KosmoKratorConfig) preset.KosmoKratorConfig {
	replace := func(list *[]string, by []string) {
		if by != nil {
			*list = by
		}
	}
	replace(&cfg.SafeTools, t.SafeTools)
	replace(&cfg.ApprovalRequired, t.ApprovalRequired)
	replace(&cfg.AllowedPaths, t.AllowedPaths)
	replace(&cfg.SafeCommands, t.SafeCommands)
	cfg.DeniedTools = united(cfg.DeniedTools, t.DeniedTools)
	cfg.BlockedPaths = united(cfg.BlockedPaths, t.BlockedPaths)
	cfg.BlockedCommands = united(cfg.BlockedCommands, t.Bash.BlockedCommands)
	if t.DefaultMode != "" {
		cfg.DefaultMode = t.DefaultMode
	}
	return cfg
}

func united(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// A kosmoFile is a file of KosmoKrator that was read.
type kosmoFile struct {
	kosmoTools
	marks   config.Marks
	trusted bool
}

// kosmoLoad reads the three files of KosmoKrator, the weakest first: the global
// one, the user's own, and that of the project. Those in the workspace only
// tighten until a person trusts them, and do so after all others.
func kosmoLoad(at config.Places, p config.Policy) (Setup, error) {
	var files []kosmoFile
	var errs []error
	for _, name := range kosmoNames(at) {
		f, err := readKosmo(at, name)
		files, errs = append(files, f), append(errs, err)
	}
	cfg := preset.KosmoKratorDefaults()
	for i := range files {
		if files[i].trusted {
			cfg = files[i].over(cfg)
		}
	}
	var dropped []config.Dropped
	for i := range files {
		if !files[i].trusted {
			dropped = append(dropped, files[i].loosens(cfg)...)
			cfg = files[i].tighten(cfg)
		}
	}
	cfg.AllowedPaths = kosmoFolders(at, cfg.AllowedPaths)
	p.Err = errors.Join(append([]error{p.Err}, errs...)...) // what was lost might have denied
	return Setup{Preset: tighten(preset.KosmoKrator(cfg), p), Dropped: dropped}, nil
}

func kosmoNames(at config.Places) []string {
	var names []string
	if at.Root != "" {
		names = append(names, path.Join(at.Root, "config/kosmokrator.yaml"))
	}
	if at.Home != "" {
		names = append(names, path.Join(at.Home, ".kosmokrator/config.yaml"))
	}
	if at.Root != "" {
		names = append(names, path.Join(at.Root, ".kosmokrator.yaml"))
	}
	return names
}

func readKosmo(at config.Places, name string) (kosmoFile, error) {
	other, err := at.ReadOther(name)
	if err != nil || other.Text == nil {
		return kosmoFile{}, err
	}
	return parseKosmo(other)
}

func parseKosmo(other config.Other) (kosmoFile, error) {
	f := kosmoFile{trusted: other.Trusted}
	var err error
	if f.marks, err = other.Section("tools", &f.kosmoTools); err != nil {
		return kosmoFile{}, err
	}
	if !slices.Contains([]string{"", preset.Argus, preset.Guardian, preset.Prometheus}, f.DefaultMode) {
		return kosmoFile{}, f.marks.Error("tools.default_permission_mode", fmt.Sprintf("tools.default_permission_mode: want guardian, argus or prometheus, not %q", f.DefaultMode), "")
	}
	return f, nil
}

// kosmoFolders resolves allowed paths as far as they exist, when they are read.
func kosmoFolders(at config.Places, list []string) []string {
	out := []string{}
	for _, entry := range list {
		switch {
		case entry == "~" || len(entry) > 1 && entry[:2] == "~/":
			if at.Home == "" {
				continue
			}
			entry = path.Join(at.Home, entry[1:])
		case !path.IsAbs(entry):
			entry = path.Join(at.Root, entry)
		}
		out = append(out, realPath(at.Disk, path.Clean(entry)))
	}
	return out
}

// realPath follows the links of a path, of which the end may not exist.
func realPath(disk config.Disk, abs string) string {
	real, err := disk.Real(abs)
	if err == nil {
		return real
	}
	if abs == "/" || abs == "." {
		return abs
	}
	return path.Join(realPath(disk, path.Dir(abs)), path.Base(abs))
}
