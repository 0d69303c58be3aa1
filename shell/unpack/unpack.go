// Package unpack tells the analysis of package shell what is in packed files: let
// the [shell.Machine] embed an [Unpacker].
//
// It is a package of its own because what it links takes a while to start, and most
// programs never meet an archive.
package unpack

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"path"

	"github.com/sayso-dev/sayso/shell"
)

// An Unpacker is a [shell.Unpacker] for tar, also packed with gzip or bzip2, for zip,
// and for the objects of git.
type Unpacker struct{}

var _ shell.Unpacker = Unpacker{}

// Limits of what is looked at in an archive. Beyond them, what it holds is not
// known.
const (
	maxUnpacked = 64 << 20 // bytes of what is in it
	maxMembers  = 20000
)

// Members lists what is in an archive of one of the usual kinds, and reports
// whether that is all: a program that unpacks a damaged one unpacks what is in
// front of the damage.
func (Unpacker) Members(data []byte) ([]shell.Member, bool) {
	in := io.Reader(bytes.NewReader(data))
	if out, whole := zipMembers(data); whole { // something else may stand in front of it
		return out, true
	}
	switch {
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return nil, false
		}
		in = unpacked
	case bytes.HasPrefix(data, []byte("BZh")):
		in = bzip2.NewReader(in)
	}
	return tarMembers(tar.NewReader(io.LimitReader(in, maxUnpacked)))
}

func zipMembers(data []byte) ([]shell.Member, bool) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(r.File) > maxMembers {
		return nil, false
	}
	out := make([]shell.Member, len(r.File))
	for i, f := range r.File {
		out[i].Name = f.Name
	}
	return out, true
}

func tarMembers(r *tar.Reader) ([]shell.Member, bool) {
	var out []shell.Member
	for len(out) <= maxMembers {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out, true
		}
		if err != nil {
			return out, false
		}
		m := shell.Member{Name: h.Name}
		switch h.Typeflag {
		case tar.TypeSymlink:
			m.Link = path.Join("/", path.Dir(h.Name), h.Linkname)[1:]
		case tar.TypeLink:
			m.Link = h.Linkname
		}
		out = append(out, m)
	}
	return out, false
}

// Inflate unpacks what zlib has packed, or the beginning of it.
func (Unpacker) Inflate(packed []byte, most int) ([]byte, bool) {
	in, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, false
	}
	text, err := io.ReadAll(io.LimitReader(in, int64(most)))
	return text, err == nil
}
