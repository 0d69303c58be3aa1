package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// matching are the paths there are that patterns name which have no ** in them. Each
// folder is read once for all of its patterns.
func matching(patterns []string) (out []string) {
	wanted := map[string]*wants{}
	for _, pattern := range patterns {
		dir, last := filepath.Split(pattern)
		switch {
		case strings.Contains(pattern, below):
		case strings.ContainsAny(dir, `*?[\`): // more than one folder, or one with a strange name
			found, _ := filepath.Glob(pattern) // the patterns were checked
			out = append(out, found...)
		default:
			if wanted[dir] == nil {
				wanted[dir] = &wants{}
			}
			wanted[dir].want(last)
		}
	}
	for dir, want := range wanted {
		f, err := os.Open(dir)
		if err != nil {
			continue // there is none
		}
		found, _ := f.Readdirnames(-1) // as filepath.Glob does
		_ = f.Close()                  // it was only read
		for _, name := range found {
			if want.has([]byte(name)) {
				out = append(out, dir+name)
			}
		}
	}
	return out
}

// wants are patterns of names in a folder.
type wants struct {
	first    [256]bool // with which those begin that they name
	patterns []string
}

// want adds a pattern.
func (n *wants) want(pattern string) {
	if n.patterns = append(n.patterns, pattern); pattern != "" && !strings.ContainsRune(`*?[\`, rune(pattern[0])) {
		n.first[pattern[0]] = true
		return
	}
	for i := range n.first {
		n.first[i] = true
	}
}

// has reports whether one of them names it: most names are none of those, and to compare
// each with all patterns takes as long as to read a folder.
func (n *wants) has(name []byte) bool {
	return n.first[name[0]] && slices.ContainsFunc(n.patterns, func(pattern string) bool {
		named, _ := filepath.Match(pattern, string(name)) // as above
		return named
	})
}
