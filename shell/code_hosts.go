package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// A codeHosts collects the hosts that a program names: in addresses that it gives
// to a call, and as a host in front of a port.
type codeHosts struct {
	found   []string
	fetches int // calls that talk to the network
	runs    int // calls that run text as code
	shells  int // shells that it starts with nothing to run
	decodes int // calls that make text out of something that nobody can read
}

// inertCall reports whether a function only shows, takes apart or compares what it
// is given.
func inertCall(name string) bool {
	switch name {
	case "print", "println", "printf", "puts", "echo", "log", "info", "warn", "error", "debug", "write", "replace", "split", "includes", "startswith",
		"startsWith", "endswith", "endsWith", "match", "test", "parse", "urlparse", "quote", "encodeURIComponent", "dumps", "stringify", "append", "push",
		"join", "format", "equal", "assertEqual", "say", "console.log", "index", "indexOf", "find", "search", "sub", "gsub", "preg_match":
		return true
	}
	return false
}

// decodes reports whether a function decodes, by its last name.
func decodes(name string) bool {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "b64decode", "urlsafe_b64decode", "standard_b64decode", "b32decode", "b16decode", "b85decode", "a85decode", "decodebytes", "unhexlify", "fromhex", "a2b_base64", "a2b_hex", "a2b_uu", "decompress",
		"atob", "inflateSync", "gunzipSync", "decode_base64", "decode64", "strict_decode64", "urlsafe_decode64", "base64_decode", "hex2bin", "str_rot13", "gzinflate", "gzuncompress", "gzdecode", "convert_uudecode":
		return true
	}
	return name == "Buffer.from" || strings.EqualFold(name[strings.LastIndexByte(name, '.')+1:], "frombase64string")
}

// address looks at a literal that starts at a place in the program.
func (s *codeScanner) address(start int, text string) {
	if strings.ContainsAny(text, " \n\t") || len(text) > maxPath {
		return
	}
	before := strings.TrimRight(s.src[:start], " \t\n")
	switch scheme, _, _ := strings.Cut(text, "://"); scheme {
	case "http", "https", "ws", "wss", "ftp", "sftp", "tcp":
		bare := (s.kind == table.KindPerl || s.kind == table.KindRuby) && !strings.HasSuffix(before, "(") // get "http://…"
		if called := calledAt(strings.TrimSuffix(before, "(")); (strings.HasSuffix(before, "(") || bare && called != "") && !inertCall(called) {
			s.hosts.fetches++
		}
		s.hosts.found = append(s.hosts.found, hostOf(text))
		return
	}
	behind := strings.TrimLeft(s.src[s.pos:], " \t\n")
	port := strings.HasPrefix(behind, ",") && isDigit(strings.TrimLeft(behind[1:], " \t\n"))
	named := strings.HasSuffix(before, "host:") || strings.HasSuffix(before, "hostname:") || strings.HasSuffix(before, "host=") ||
		strings.HasSuffix(before, "HTTPSConnection(") || strings.HasSuffix(before, "HTTPConnection(")
	if afterPort := strings.TrimRight(before, ","); !port && afterPort != before { // net.connect(80, 'host')
		port = endsInDigit(afterPort)
	}
	if (port || named) && strings.Contains(text, ".") && !strings.Contains(text, "/") {
		s.hosts.found = append(s.hosts.found, hostOf(text))
		s.hosts.fetches++
	}
}

func isDigit(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }

func endsInDigit(text string) bool {
	return text != "" && text[len(text)-1] >= '0' && text[len(text)-1] <= '9'
}

// calledAt is the last name in front of a bracket.
func calledAt(before string) string {
	end := len(before)
	for end > 0 && (isNameStart(before[end-1]) || before[end-1] >= '0' && before[end-1] <= '9') {
		end--
	}
	return before[end:]
}

// evaluates reports whether a name is that of a function which runs text as code
// of the same language.
func (s *codeScanner) evaluates(name string) bool {
	if rest := strings.TrimLeft(s.src[s.pos:], " \t\n"); strings.HasPrefix(rest, "{") { // a block of Perl
		return false
	}
	if s.kind == table.KindPowerShell {
		switch strings.ToLower(name) {
		case "iex", "invoke-expression", "scriptblock", "create": // [ScriptBlock]::Create(…)
			return true
		}
		return false
	}
	switch name {
	case "os.dup2", "dup2", "pty.spawn": // a shell that reads from a connection
		return s.kind == table.KindPython
	case "eval", "Function", "loadstring", "instance_eval", "class_eval", "vm.runInThisContext", "vm.runInNewContext", "builtins.exec", "builtins.eval":
		return true
	case "exec":
		return s.kind == table.KindPython
	case "load":
		return s.kind == table.KindLua
	}
	return false
}

// talks records the hosts of a program that talks to the network. One that also
// runs text as code may run what it got, or what it has decoded.
func (s *codeScanner) talks() {
	if s.depth == 0 && s.hosts.runs > 0 && s.hosts.decodes > 0 {
		s.v.c.Runs = max(s.v.c.Runs, Decoded)
	}
	if s.depth > 0 || s.hosts.fetches == 0 && !s.v.c.Effects.Has(Network) {
		return
	}
	for _, h := range s.hosts.found {
		s.v.c.host(h)
	}
	if s.hosts.fetches > len(s.hosts.found) || len(s.hosts.found) == 0 {
		s.v.c.host(External)
	}
	if s.hosts.runs > 0 || s.hosts.shells > 0 { // a shell that reads what comes over the connection
		s.v.c.Runs = max(s.v.c.Runs, Fetched)
	}
}

// bareShell reports whether a command starts a shell that is given nothing to run.
func bareShell(text string) bool {
	words := strings.Fields(text)
	if len(words) == 0 {
		return false
	}
	t := table.Find(baseName(words[0]))
	if t == nil || t.Do.Is&table.IsShell == 0 {
		return false
	}
	for _, w := range words[1:] {
		if option := strings.HasPrefix(w, "-"); !option && !strings.ContainsAny(w, "<>") || option && strings.Contains(w, "c") {
			return false
		}
	}
	return true
}
