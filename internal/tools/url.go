package tools

import (
	"strconv"
	"strings"
)

// url adds a URL, and the path if it is one of a file.
func (r *reader) url(key, s string, access Access) {
	s = r.plain(key, strings.TrimSpace(s))
	r.in.URLs = append(r.in.URLs, s)
	if len(s) < 5 || !strings.EqualFold(s[:5], "file:") {
		return
	}
	path := s[5:]
	if rest, ok := strings.CutPrefix(path, "//"); ok {
		i := strings.IndexByte(rest, '/') // behind the host
		if i < 0 {
			r.fail(key, "a file on another host")
			return
		}
		path = rest[i:]
	}
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	plain, ok := unescape(path)
	if !ok {
		r.fail(key, "a wrong escape in a URL")
	}
	r.path(key, plain, access)
}

// unescape replaces the %XX of a URL.
func unescape(s string) (string, bool) {
	var b strings.Builder
	for {
		plain, rest, found := strings.Cut(s, "%")
		b.WriteString(plain)
		if !found {
			return b.String(), true
		}
		if len(rest) < 2 {
			return "", false
		}
		c, err := strconv.ParseUint(rest[:2], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(c))
		s = rest[2:]
	}
}

// urlsIn finds the URLs in a text. Each ends at white space, so that one inside
// of another counts, too.
func urlsIn(s string) []string {
	var urls []string
	for word := range strings.FieldsSeq(s) {
		for at := 0; ; {
			i := strings.Index(word[at:], "://")
			if i < 0 {
				break
			}
			start := at + i
			at = start + len("://")
			for start > 0 && schemeByte(word[start-1]) {
				start--
			}
			urls = append(urls, word[start:])
		}
	}
	return urls
}

func schemeByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '.' || c == '-'
}
