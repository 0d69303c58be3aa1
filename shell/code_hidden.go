package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// hiddenCalls looks for calls in what the scan took for literals and comments.
// A regular expression or a quoting operator with a quote in it makes code look
// like that, and only a parser of the language could tell.
func (s *codeScanner) hiddenCalls() {
	if s.kind == table.KindPython || s.kind == table.KindAppleScript || s.kind == table.KindPowerShell {
		return
	}
	if (s.kind == table.KindNode || s.kind == table.KindPHP || s.kind == table.KindMongo) && !s.ambiguous() {
		return
	}
	for _, region := range s.hidden {
		inner := codeScanner{src: s.src[:region.End], pos: region.Start, keys: s.keys, kind: s.kind}
		for inner.pos < region.End {
			if !isNameStart(inner.src[inner.pos]) {
				inner.pos++
				continue
			}
			start := inner.pos
			for inner.pos < region.End && (isNameStart(inner.src[inner.pos]) || strings.IndexByte(".0123456789", inner.src[inner.pos]) >= 0) {
				inner.pos++
			}
			if e := inner.lookup(inner.src[start:inner.pos]); e != nil && runsCode(e) && inner.called(start) {
				s.v.c.doubt(Dangerous, "the program may hide a call of "+short(inner.src[start:inner.pos]))
			}
		}
	}
}

// ambiguous reports whether something outside literals may quote in its own
// way: a regular expression, a here-document, the end of a PHP section.
func (s *codeScanner) ambiguous() bool {
	from := 0
	for _, region := range append(s.hidden, Span{len(s.src), len(s.src)}) {
		if region.Start > from {
			code := s.src[from:region.Start]
			if s.kind != table.KindPHP && strings.Contains(code, "/") || s.kind == table.KindPHP && (strings.Contains(code, "<<<") || strings.Contains(code, "?>") || strings.Contains(code, "#")) {
				return true
			}
		}
		from = max(from, region.End)
	}
	return false
}

// called reports whether the name that starts at start and ends here looks like
// a call.
func (s *codeScanner) called(start int) bool {
	if s.pos < len(s.src) && s.src[s.pos] == '(' {
		return true
	}
	before, after := strings.TrimRight(s.src[:start], " \t"), strings.TrimLeft(s.src[s.pos:], " \t")
	return before != "" && strings.IndexByte(";{}&|(\n", before[len(before)-1]) >= 0 && len(after) < len(s.src)-s.pos && after != "" && strings.IndexByte("\"'`", after[0]) >= 0
}

// runsCode reports whether an entry is about commands or code.
func runsCode(e *table.Flag) bool {
	return e.Kind == table.KindShell || e.Do != nil && e.Do.Does.Has(table.Executes) && e.Do.Risk == table.LevelDangerous
}
