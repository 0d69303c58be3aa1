package local

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/sayso-dev/sayso"
)

// ManagedFile is where the administrator's policy is.
const ManagedFile = "/etc/sayso/policy.yaml"

// CommittedFile is the name of the policy at the root of a workspace.
const CommittedFile = ".sayso.yaml"

// ScriptFile is the name of a policy script.
const ScriptFile = "policy.star"

// Layers are the layers of policy that have files, the strongest first.
var Layers = [...]sayso.Layer{sayso.Managed, sayso.User, sayso.Workspace, sayso.Committed}

// Files say where the policy files of a workspace are.
type Files struct {
	Managed    string // the administrator's file; empty: ManagedFile
	Home       string // the user's home folder; empty: there is none
	ConfigHome string // what XDG_CONFIG_HOME says; counts if it is absolute
	Root       string // of the workspace; empty: there is none
}

// File returns where the file of a layer is, or nothing if it has none.
func (at Files) File(layer sayso.Layer) string {
	folder := at.Folder()
	switch {
	case layer == sayso.Managed && at.Managed != "":
		return at.Managed
	case layer == sayso.Managed:
		return ManagedFile
	case layer == sayso.User && folder != "":
		return filepath.Join(folder, "policy.yaml")
	case layer == sayso.Workspace && folder != "" && at.Root != "":
		return filepath.Join(folder, "workspaces", WorkspaceFile(at.Root))
	case layer == sayso.Committed && at.Root != "":
		return filepath.Join(at.Root, CommittedFile)
	}
	return ""
}

// Script returns where the policy script of a layer is, or nothing if it has
// none: beside the policies of the administrator and the user, and in the folder
// .sayso of a workspace.
func (at Files) Script(layer sayso.Layer) string {
	switch {
	case layer == sayso.Committed && at.Root != "":
		return filepath.Join(at.Root, ".sayso", ScriptFile)
	case layer == sayso.Managed || layer == sayso.User:
		if file := at.File(layer); file != "" {
			return filepath.Join(filepath.Dir(file), ScriptFile)
		}
	}
	return ""
}

// Folder is the user's own folder for policies.
func (at Files) Folder() string {
	switch {
	case filepath.IsAbs(at.ConfigHome):
		return filepath.Join(at.ConfigHome, "sayso")
	case at.Home != "":
		return filepath.Join(at.Home, ".config", "sayso")
	}
	return ""
}

// ProfileKey is where the key of the user's profile is; empty: there is no place
// for it.
func (at Files) ProfileKey() string {
	if folder := at.Folder(); folder != "" {
		return filepath.Join(folder, "profile.key")
	}
	return ""
}

// WorkspaceFile returns the name of the user's own file for the workspace with
// that root: the last part of the path, for people, and half of the SHA-256 of
// all of it, so that nobody can make up a path that has the file of another.
//
//	/home/ann/src/app  app-2e6fdb5bf6c92f7b4afb4ec01107e9c9.yaml
//
// The root is to be given with links resolved: a workspace has one name.
func WorkspaceFile(root string) string {
	root = filepath.ToSlash(filepath.Clean(root))
	sum := sha256.Sum256([]byte(root))
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, root[strings.LastIndexByte(root, '/')+1:])
	name = strings.TrimLeft(name[:min(len(name), 40)], ".-")
	if name == "" {
		name = "root"
	}
	return name + "-" + hex.EncodeToString(sum[:16]) + ".yaml"
}
