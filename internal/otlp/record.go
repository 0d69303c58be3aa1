package otlp

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/journal"
)

// logRecord is a record of the journal for a collector. Its body is the line of the
// journal as it stands there: with the hash in it, and that of the record before it,
// whoever has the bodies can check the chain without the journal.
func logRecord(l *journal.Line, trace, span string) LogRecord {
	s := severityOf(&l.Record)
	out := LogRecord{
		Time: nanos(l.Time), Observed: nanos(l.Time),
		Severity: s.number, SeverityText: s.text,
		Event: "sayso." + string(l.Kind), Body: text(string(l.Text)),
		Trace: trace, Span: span,
	}
	if trace != "" {
		out.Flags = sampled
	}
	list := set(nil, "sayso.record.kind", string(l.Kind))
	list = set(list, "sayso.record.seq", int64(l.Seq)) //nolint:gosec // nobody writes as many
	list = set(list, "sayso.record.hash", l.Hash)
	list = set(list, "sayso.record.prev", l.Prev)
	out.Attributes = describe(list, &l.Record)
	return out
}

// wrong says what went wrong, as a short name and for people; both are empty if
// nothing did. A denial is not wrong: it is what a gate is for. That a gate could not
// judge is.
func wrong(r *sayso.Record) (kind, message string) {
	if d := r.Decision; d != nil && (d.Code == sayso.CodeError || d.Code == sayso.CodeInput) {
		return string(d.Code), d.Reason
	}
	switch res := r.Result; {
	case res == nil:
		return "", ""
	case res.Ran && res.Exit != 0:
		message = "exit status " + strconv.Itoa(res.Exit)
		if res.Error != "" {
			message = res.Error
		}
		return strconv.Itoa(res.Exit), message
	case res.Error != "":
		return "_OTHER", res.Error
	}
	return "", ""
}

// idOf is an id of so many bytes that comes from texts, the same ones each time.
func idOf(bytes int, texts ...string) string {
	var all strings.Builder
	for _, t := range texts {
		all.WriteString(strconv.Itoa(len(t)) + ":" + t)
	}
	sum := sha256.Sum256([]byte(all.String()))
	return hex.EncodeToString(sum[:bytes])
}

// How many bytes ids have.
const (
	traceBytes = 16
	spanBytes  = 8
)

// script is the call of which another one is a step, by how it is named; empty: none.
func script(call string) string {
	i := strings.LastIndexByte(call, '.')
	if i <= 0 || i == len(call)-1 || strings.Trim(call[i+1:], "0123456789") != "" {
		return ""
	}
	return call[:i]
}
