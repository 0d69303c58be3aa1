package shell

import "strings"

// headers are how programs begin that a compiler has made: for Linux, macOS in both
// orders and for several machines at once, Windows, and WebAssembly.
var headers = [...]string{"\x7fELF", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe", "\xfe\xed\xfa\xcf", "MZ", "\x00asm"}

// compiled reports whether the session has written a file by building it: it is a
// program for the machine, and no script for any shell.
func (w *walker) compiled(abs string) bool {
	starter, ok := w.at.Machine.(Starter)
	if !ok || w.at.Written == nil || !w.at.Written(abs) || w.looks >= maxLooks {
		return false
	}
	for i := range w.written {
		if w.written[i].abs == abs {
			return false // the line writes something else there
		}
	}
	w.looks++
	start, err := starter.Start(abs, 64)
	if err != nil || len(start) < 64 {
		return false
	}
	line, _, _ := strings.Cut(string(start), "\n")
	for _, h := range headers {
		if strings.HasPrefix(line, h) && strings.IndexByte(line, 0) >= 0 { // else a shell would read it
			return true
		}
	}
	return false
}
