package plainjson

import "strconv"

// A Writer puts JSON together. Names of keys are those of the program, and need no
// escapes.
type Writer struct {
	Text       []byte
	EscapeHTML bool // as encoding/json does, unless it is told not to
}

// Open begins an object or a list, by its sign.
func (w *Writer) Open(sign byte) {
	w.next()
	w.Text = append(w.Text, sign)
}

// Close ends it.
func (w *Writer) Close(sign byte) { w.Text = append(w.Text, sign) }

// next puts a comma where one belongs.
func (w *Writer) next() {
	if len(w.Text) == 0 {
		return
	}
	switch w.Text[len(w.Text)-1] {
	case '{', '[', ':':
	default:
		w.Text = append(w.Text, ',')
	}
}

// Key writes a key; its value comes next.
func (w *Writer) Key(name string) {
	w.next()
	w.Text = append(append(append(w.Text, '"'), name...), '"', ':')
}

// KeyText writes a key that is any text.
func (w *Writer) KeyText(text string) {
	w.next()
	w.Text = append(AppendText(w.Text, text, w.EscapeHTML), ':')
}

// Quote writes a text, in a list or behind a key.
func (w *Writer) Quote(text string) {
	w.next()
	w.Text = AppendText(w.Text, text, w.EscapeHTML)
}

// String writes a key with a text.
func (w *Writer) String(name, text string) {
	w.Key(name)
	w.Text = AppendText(w.Text, text, w.EscapeHTML)
}

// Some writes a key with a text that is not empty.
func (w *Writer) Some(name, text string) {
	if text != "" {
		w.String(name, text)
	}
}

// Strings writes a key with a list that is not empty.
func (w *Writer) Strings(name string, texts []string) {
	if len(texts) == 0 {
		return
	}
	w.Key(name)
	w.Open('[')
	for _, t := range texts {
		w.Quote(t)
	}
	w.Close(']')
}

// True writes a flag that is set.
func (w *Writer) True(name string, set bool) {
	if set {
		w.Bool(name, true)
	}
}

// Bool writes a flag.
func (w *Writer) Bool(name string, set bool) {
	w.Key(name)
	w.Text = strconv.AppendBool(w.Text, set)
}

// Number writes a number that is not zero.
func (w *Writer) Number(name string, n int) {
	if n != 0 {
		w.Int(name, n)
	}
}

// Int writes a number.
func (w *Writer) Int(name string, n int) {
	w.Key(name)
	w.Text = strconv.AppendInt(w.Text, int64(n), 10)
}

// Raw writes a key with a value that is JSON already.
func (w *Writer) Raw(name string, value []byte) {
	w.Key(name)
	w.Text = append(w.Text, value...)
}

// Value writes a number, in a list or behind a key.
func (w *Writer) Value(n int) {
	w.next()
	w.Text = strconv.AppendInt(w.Text, int64(n), 10)
}

// Null writes that there is no value.
func (w *Writer) Null() {
	w.next()
	w.Text = append(w.Text, "null"...)
}
