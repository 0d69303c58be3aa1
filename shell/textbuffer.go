package shell

// A textBuffer puts text together. A single piece, which most words are, is
// not copied.
type textBuffer struct {
	one  string
	many []byte // all of it, once there are several pieces
}

func (t *textBuffer) add(s string) {
	if t.len() == 0 {
		t.one = s
		return
	}
	t.many = append(t.whole(), s...)
}

func (t *textBuffer) addByte(c byte) { t.many = append(t.whole(), c) }

// whole is what was written so far, to append to.
func (t *textBuffer) whole() []byte {
	if t.one != "" {
		t.many = append(t.many, t.one...)
		t.one = ""
	}
	return t.many
}

func (t *textBuffer) len() int { return len(t.one) + len(t.many) }

func (t *textBuffer) text() string {
	if t.one != "" {
		return t.one
	}
	return string(t.many)
}

func (t *textBuffer) reset() { t.one, t.many = "", t.many[:0] }
