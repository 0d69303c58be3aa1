package shell

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"
	"path"
)

// Limits of what is looked at in an archive. Beyond them, what it holds is not
// known.
const (
	maxArchive  = 8 << 20  // bytes of the file
	maxUnpacked = 64 << 20 // bytes of what is in it
	maxMembers  = 20000
)

// A member is one file in an archive.
type member struct {
	name string
	link string // where it leads to, from its folder, if it is a link
}

// members lists what is in an archive of one of the usual kinds, and reports
// whether that is all: a program that unpacks a damaged one unpacks what is in
// front of the damage.
func members(data []byte) ([]member, bool) {
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

func zipMembers(data []byte) ([]member, bool) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(r.File) > maxMembers {
		return nil, false
	}
	out := make([]member, len(r.File))
	for i, f := range r.File {
		out[i].name = f.Name
	}
	return out, true
}

func tarMembers(r *tar.Reader) ([]member, bool) {
	var out []member
	for len(out) <= maxMembers {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out, true
		}
		if err != nil {
			return out, false
		}
		m := member{name: h.Name}
		switch h.Typeflag {
		case tar.TypeSymlink:
			m.link = path.Join("/", path.Dir(h.Name), h.Linkname)[1:]
		case tar.TypeLink:
			m.link = h.Linkname
		}
		out = append(out, m)
	}
	return out, false
}
