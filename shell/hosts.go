package shell

import "strings"

// target is a host, a URL, or something on one.
func (v *visit) target(k kind, a Arg) {
	c := v.c
	if a.Unknown && !a.plain {
		c.host(External)
		c.doubt(Moderate, "the host cannot be known: "+a.Text)
		return
	}
	text := a.Text
	switch k {
	case kindRemote, kindRemoteWrite, kindRepo:
		if !isRemote(text) {
			v.local(k, a)
			return
		}
	}
	if k == kindRemoteWrite {
		c.Effects |= Publishes
		c.Risk = min(c.Risk, Dangerous)
	}
	if len(text) > 7 && strings.EqualFold(text[:7], "file://") {
		_, path, _ := strings.Cut(text[7:], "/") // file://localhost/x is /x, too
		a.Text = "/" + path
		v.touch(a, Read, false)
		return
	}
	c.host(hostOf(text))
	c.Risk = min(c.Risk, Moderate)
}

// local is the side of a copy, or the name of a remote, on this machine.
func (v *visit) local(k kind, a Arg) {
	switch k {
	case kindRemote:
		v.touch(a, Read, v.traits()&isRecursive != 0)
	case kindRemoteWrite:
		v.touch(a, Write, false)
		if v.c.Effects.Has(Deletes) { // rsync --delete
			v.touch(a, Delete, true)
		}
	case kindRepo:
		if strings.ContainsAny(a.Text, "/~") {
			v.touch(a, Read, false)
		} else {
			v.c.host(Remotes)
		}
	}
}

// isRemote reports whether s names something on another host: a URL, or
// host:path.
func isRemote(s string) bool {
	if strings.Contains(s, "://") {
		return true
	}
	i := strings.IndexByte(s, ':')
	if i == 1 && len(s) > 2 && (s[2] == '/' || s[2] == '\\') { // C:/x
		return false
	}
	return i > 0 && strings.IndexByte(s[:i], '/') < 0
}

// hostOf returns the host of a URL, of user@host:path, or of host:port.
func hostOf(s string) string {
	s = strings.TrimPrefix(s, "git+")
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
		if i := strings.IndexAny(s, "/?#"); i >= 0 {
			s = s[:i]
		}
	} else if i := strings.IndexAny(s, "/?#"); i >= 0 {
		s = s[:i]
	}
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		s = s[i+1:]
	}
	if strings.HasPrefix(s, "[") {
		if i := strings.IndexByte(s, ']'); i > 0 {
			return strings.ToLower(s[1:i])
		}
	}
	if i := strings.IndexByte(s, ':'); i >= 0 {
		s = s[:i]
	}
	if s == "" {
		return External
	}
	return strings.ToLower(strings.TrimSuffix(s, "."))
}
