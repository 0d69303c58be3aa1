package config

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/fspath"
	"github.com/sayso-dev/sayso/internal/local"
)

// Load reads the policy files of a workspace and merges them. A file that is
// missing is fine; one that cannot be read, or that somebody else could have
// written, is an error like a mistake in it. The error is also in the policy,
// which has what denies and asks in spite of it.
func Load(at Places) (Policy, error) {
	var files []Layered
	var stamps []Stamp
	for _, layer := range local.Layers {
		name := at.File(layer)
		if name == "" {
			continue
		}
		l, stamp := at.read(layer, name)
		files, stamps = append(files, l), append(stamps, stamp)
	}
	p := mergeAs(files, at.Preset)
	for _, layer := range local.Layers {
		if name := at.Script(layer); name != "" {
			script, stamp := at.readScript(layer, name)
			stamps = append(stamps, stamp)
			if !stamp.Missing {
				p.Scripts = append(p.Scripts, script)
			}
		}
	}
	p.Sources = stamps
	return p, p.Err
}

// read reads one file; there is none in what it returns if it is missing.
func (at Places) read(layer sayso.Layer, name string) (Layered, Stamp) {
	l := Layered{Layer: layer}
	text, stamp, err := at.text(layer, name)
	if stamp.Missing {
		return l, stamp
	}
	if err != nil {
		l.File = &File{Name: name, Err: err}
		return l, stamp
	}
	l.File, err = Parse(name, text, at.Tools...)
	if err == nil && at.Matches != nil {
		_ = CheckExamples(l.File, at.Matches) // it is in the file
	}
	l.Trusted = layer == sayso.Managed || !at.inside(name) || at.Trusted != nil && at.Trusted(name, text)
	return l, stamp
}

// readScript reads a policy script.
func (at Places) readScript(layer sayso.Layer, name string) (Script, Stamp) {
	text, stamp, err := at.text(layer, name)
	return Script{name, text, err}, stamp
}

// text reads a file of a layer, if nobody else could have written it.
func (at Places) text(layer sayso.Layer, name string) ([]byte, Stamp, error) {
	stamp := Stamp{Layer: layer, File: name}
	text, info, err := at.Disk.Read(name, maxSize+1)
	if missing(err) {
		stamp.Missing = true
		return nil, stamp, nil
	}
	stamp.Size, stamp.ModTime, stamp.Inode, stamp.Sum = info.Size, info.ModTime, info.Inode, sha256.Sum256(text)
	problem, hint := info.problem(layer)
	if err != nil {
		problem, hint = "it cannot be read: "+plainError(err), ""
	}
	if problem != "" {
		return nil, stamp, &Error{File: name, Problem: problem, Hint: hint}
	}
	return text, stamp, nil
}

// missing reports whether there is no such file, be it that a folder above it is
// none: some users have /dev/null for a home.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || notFolder(err)
}

// inside reports whether a file is in the workspace, so that it may have come
// with it: XDG_CONFIG_HOME may point there, or a folder be a link into it. What
// cannot be told counts as inside.
func (at Places) inside(name string) bool {
	if at.Root == "" {
		return false
	}
	folder := filepath.Dir(name)
	root, err1 := at.Disk.Real(at.Root)
	real, err2 := at.Disk.Real(folder)
	return err1 != nil || err2 != nil || within(folder, at.Root) || within(real, root)
}

func within(file, folder string) bool {
	return fspath.Within(fspath.Fold(filepath.ToSlash(file)), fspath.Fold(filepath.ToSlash(folder)))
}

// plainError is the error without the path, which is said already.
func plainError(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
