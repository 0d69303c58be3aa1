package shell

import "strings"

// A stream is what a command prints, as far as it is known.
type stream struct {
	kind   streamKind
	secret secretID // what it shows
	text   string   // streamText: exactly this; for those that are not known: a part of it
	items  []Arg    // streamItems: words, in any number

	unpacked bool   // streamDecoded: it was packed only to save space
	private  bool   // there may be secrets among it
	picked   bool   // a pattern, or the like, has picked it out of more
	packs    []Path // it is an archive with these in it
}

type streamKind uint8

const (
	streamEmpty   streamKind = iota
	streamText               // known text
	streamItems              // words that are known as patterns
	streamUnknown            // anything
	streamNetwork            // what a server sent
	streamDecoded            // the result of decoding
)

// then is what is printed by one command after another.
func (s stream) then(next stream) stream {
	if s.secret|next.secret != 0 {
		secret := max(s.secret, next.secret)
		s.secret, next.secret = 0, 0
		out := s.then(next)
		out.secret = secret
		return out
	}
	switch {
	case s.kind == streamEmpty:
		return next
	case next.kind == streamEmpty:
		return s
	case s.kind == streamText && next.kind == streamText && len(s.text)+len(next.text) <= MaxLength:
		return stream{kind: streamText, text: s.text + next.text}
	case s.kind == streamItems && next.kind == streamItems:
		return stream{kind: streamItems, items: append(s.items[:len(s.items):len(s.items)], next.items...)}
	}
	out := stream{kind: max(s.kind, next.kind, streamUnknown)}
	if len(s.text)+len(next.text) <= MaxLength { // (crontab -l; echo '…')
		out.text = s.text + next.text
	}
	return out
}

// words is the stream as the value of a command substitution.
func (s stream) words() []Arg {
	if s.secret != 0 {
		return []Arg{{Text: "$(…)", Unknown: true, many: true, from: s.kind, extra: &argExtra{secret: s.secret}}}
	}
	switch s.kind {
	case streamEmpty:
		return nil
	case streamText:
		return []Arg{{Text: strings.TrimRight(s.text, "\n")}}
	case streamItems:
		return s.items
	}
	return []Arg{{Text: "$(…)", Unknown: true, many: true, from: s.kind}}
}

// source says where the text of the stream comes from, for a sentence.
func (s stream) source() string {
	switch s.kind {
	case streamNetwork:
		return "text from the network is run as a script"
	case streamDecoded:
		return "decoded text is run as a script"
	}
	return "the script it reads cannot be known"
}
