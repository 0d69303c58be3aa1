package main

import (
	"bytes"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// emitPaths writes the classes of paths.
func emitPaths(classes map[string][]string) []byte {
	var b bytes.Buffer
	b.WriteString(pathsHeader)
	for _, class := range sortedKeys(classes) {
		fmt.Fprintf(&b, "var paths%s = pathClass{\n", camel(class))
		parts := sortPatterns(dedupe(classes[class]))
		for _, name := range sortedKeys(parts) {
			kind := "string"
			if name == "deep" || name == "globs" {
				kind = "needlePattern"
			}
			fmt.Fprintf(&b, "%s: []%s{\n", name, kind)
			for _, p := range parts[name] {
				switch name {
				case "deep":
					fmt.Fprintf(&b, "{%q, %q},\n", needle(p), p)
				case "globs":
					fmt.Fprintf(&b, "{%q, %q},\n", longest(p), p)
				default:
					fmt.Fprintf(&b, "%q,\n", p)
				}
			}
			b.WriteString("},\n")
		}
		emitBits(&b, parts)
		b.WriteString("}\n\n")
	}
	return gofmt(b.Bytes())
}

// emitBits writes which bits the patterns of a class have.
func emitBits(b *bytes.Buffer, parts map[string][]string) {
	var names, endings, roots uint64
	for _, name := range parts["names"] {
		names |= table.Bit(name)
	}
	for _, ending := range parts["endings"] {
		endings |= table.Bit(ending)
	}
	for _, p := range parts["rooted"] {
		if len(p) < 2 {
			roots = math.MaxUint64
			continue
		}
		roots |= 1 << (p[1] & 63)
	}
	fmt.Fprintf(b, "nameBits: %#x, endingBits: %#x, rootBits: %#x,\n", names, endings, roots)
}

// needle is the first plain component of **/a/b, with its slash behind.
func needle(pattern string) string {
	for _, part := range strings.Split(pattern, "/") {
		if !strings.ContainsAny(part, "*?[") {
			return part
		}
	}
	return ""
}

// longest is the longest part of a pattern for a name that is written out.
func longest(pattern string) string {
	out := ""
	for _, part := range strings.FieldsFunc(pattern, func(r rune) bool { return strings.ContainsRune("*?[]", r) }) {
		if len(part) > len(out) {
			out = part
		}
	}
	return out
}

// sortPatterns puts path patterns into the lists that package shell looks
// through in different ways: whole names and endings by search, the others one
// by one.
func sortPatterns(patterns []string) map[string][]string {
	parts := map[string][]string{}
	add := func(list, p string) { parts[list] = append(parts[list], p) }
	for _, p := range patterns {
		base, anywhere := strings.CutPrefix(p, "**/")
		ending := strings.HasPrefix(base, "*.") && !strings.ContainsAny(base[1:], "*?[")
		switch {
		case anywhere && strings.Contains(base, "/"):
			add("deep", p)
		case anywhere && !strings.ContainsAny(base, "*?["):
			add("names", base)
		case anywhere && ending && strings.Count(base, ".") == 1:
			add("endings", base[1:])
		case anywhere:
			add("globs", base)
		case strings.HasPrefix(p, "~/."):
			add("dotHome", p[2:])
		case strings.HasPrefix(p, "~/"):
			add("home", p[2:])
		default:
			add("rooted", p)
		}
	}
	sort.Strings(parts["names"])
	sort.Strings(parts["endings"])
	for name, list := range parts {
		if len(list) == 0 {
			delete(parts, name)
		}
	}
	return parts
}
