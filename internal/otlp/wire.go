// Package otlp sends the journal to an OpenTelemetry collector: each call as a trace,
// each record as a log record, over HTTP with JSON as the OpenTelemetry protocol
// (OTLP) has it.
//
// It reads the journal and nothing else, so that nothing leaves which is not recorded
// there, with secrets masked. Ids come from what is recorded: whoever exports twice
// sends the same ids.
package otlp

import (
	"encoding/json"
	"time"
)

// An Attr is an attribute of anything that is sent.
type Attr struct {
	Key   string `json:"key"`
	Value Value  `json:"value"`
}

// A Value has one of its fields. 64-bit numbers are strings in this protocol, because
// many readers of JSON would round them.
type Value struct {
	Text  *string `json:"stringValue,omitempty"`
	Bool  *bool   `json:"boolValue,omitempty"`
	Int   *int64  `json:"intValue,string,omitempty"`
	Array *Array  `json:"arrayValue,omitempty"`
}

// An Array is a list as a value.
type Array struct {
	Values []Value `json:"values"`
}

// text is a text as a value.
func text(s string) Value { return Value{Text: &s} }

// value is v as a value; false: there is nothing to say. It knows the types that the
// table of attributes has.
func value(v any) (Value, bool) {
	switch v := v.(type) {
	case string:
		return text(v), v != ""
	case bool:
		return Value{Bool: &v}, true
	case int64:
		return Value{Int: &v}, true
	case []string:
		list := Array{}
		for _, s := range v {
			list.Values = append(list.Values, text(s))
		}
		return Value{Array: &list}, len(v) > 0
	}
	return Value{}, false
}

// set adds an attribute, or changes it.
func set(list []Attr, key string, v any) []Attr {
	val, ok := value(v)
	if !ok {
		return list
	}
	for i := range list {
		if list[i].Key == key {
			list[i].Value = val
			return list
		}
	}
	return append(list, Attr{key, val})
}

// A LogRecord is a record of the journal.
type LogRecord struct {
	Time         uint64 `json:"timeUnixNano,string"`
	Observed     uint64 `json:"observedTimeUnixNano,string"`
	Severity     int    `json:"severityNumber"`
	SeverityText string `json:"severityText"`
	Event        string `json:"eventName"`
	Body         Value  `json:"body"`
	Attributes   []Attr `json:"attributes"`
	Trace        string `json:"traceId,omitempty"`
	Span         string `json:"spanId,omitempty"`
	Flags        int    `json:"flags,omitempty"`
}

// A Span is a call, or a part of one that takes time.
type Span struct {
	Trace      string  `json:"traceId"`
	ID         string  `json:"spanId"`
	Parent     string  `json:"parentSpanId,omitempty"`
	Flags      int     `json:"flags"`
	Name       string  `json:"name"`
	Kind       int     `json:"kind"`
	Start      uint64  `json:"startTimeUnixNano,string"`
	End        uint64  `json:"endTimeUnixNano,string"`
	Attributes []Attr  `json:"attributes,omitempty"`
	Events     []Event `json:"events,omitempty"`
	Status     Status  `json:"status"`
}

// An Event is something that happened during a span.
type Event struct {
	Time       uint64 `json:"timeUnixNano,string"`
	Name       string `json:"name"`
	Attributes []Attr `json:"attributes,omitempty"`
}

// A Status says whether a span went wrong.
type Status struct {
	Code    int    `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// Numbers that the protocol has for these.
const (
	kindInternal = 1
	statusError  = 2
	sampled      = 1 // a flag: the trace is kept
)

// nanos is a time as the protocol has it.
func nanos(t time.Time) uint64 {
	if n := t.UnixNano(); n > 0 && t.Year() > 1969 {
		return uint64(n)
	}
	return 0
}

// A Resource is who sends, and a Scope which part of it.
type (
	Resource struct {
		Attributes []Attr `json:"attributes"`
	}
	Scope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
)

// A Sender is what every request says about who sends it.
type Sender struct {
	Resource Resource
	Scope    Scope
}

// NewSender is sayso of that version, with further attributes that the user gives.
func NewSender(version string, more []Attr) Sender {
	s := Sender{Scope: Scope{Name: "github.com/sayso-dev/sayso", Version: version}}
	list := set(nil, "service.name", "sayso")
	list = set(list, "service.version", version)
	for _, a := range more {
		if a.Value.Text != nil {
			list = set(list, a.Key, *a.Value.Text)
		}
	}
	s.Resource.Attributes = list
	return s
}

// A Signal is a kind of what is sent.
type Signal string

// The signals that sayso sends.
const (
	Logs   Signal = "logs"
	Traces Signal = "traces"
)

// Body is a request with items, which are log records or spans as JSON.
func (s Sender) Body(signal Signal, items []json.RawMessage) ([]byte, error) {
	type in struct {
		Scope   Scope             `json:"scope"`
		Records []json.RawMessage `json:"logRecords,omitempty"`
		Spans   []json.RawMessage `json:"spans,omitempty"`
	}
	type of struct {
		Resource Resource `json:"resource"`
		Logs     []in     `json:"scopeLogs,omitempty"`
		Spans    []in     `json:"scopeSpans,omitempty"`
	}
	type request struct {
		Logs  []of `json:"resourceLogs,omitempty"`
		Spans []of `json:"resourceSpans,omitempty"`
	}
	if signal == Logs {
		return json.Marshal(request{Logs: []of{{Resource: s.Resource, Logs: []in{{Scope: s.Scope, Records: items}}}}})
	}
	return json.Marshal(request{Spans: []of{{Resource: s.Resource, Spans: []in{{Scope: s.Scope, Spans: items}}}}})
}
