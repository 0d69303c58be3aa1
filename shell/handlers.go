package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// handle runs the code that reads what the tables cannot describe.
func (v *visit) handle() {
	links := false
	for _, t := range v.r.chain {
		switch t.Use {
		case table.UseFind:
			v.find()
		case table.UseFd:
			v.fd()
		case table.UseSh:
			v.shellProgram()
		case table.UseXargs:
			v.xargs()
		case table.UseParallel:
			v.parallel()
		case table.UseScripts:
			v.packageScript()
		case table.UseGit:
			v.gitAlias()
		case table.UseBuiltin:
			v.builtin()
		case table.UseInterpreter:
			v.interpreter()
		case table.UseKill:
			v.kill()
		case table.UseEcho:
			v.echo()
		case table.UsePrintf:
			v.printf()
		case table.UseTest:
			v.test()
		case table.UseLink:
			v.into()
			v.allLand()
			links = true
		case table.UseDownload:
			v.download()
		case table.UseCopy:
			v.into()
			v.allLand()
			v.copied()
		case table.UseMake:
			v.makefile()
		case table.UseProgram:
			v.givenProgram()
		}
	}
	switch v.r.name {
	case "rsync", "ditto":
		v.allLand()
		v.copied()
	case "dd", "gdd":
		v.copied()
	case "csplit", "gcsplit":
		if !v.r.has("-f") {
			v.nextTo(table.KindStart, Arg{Text: "xx"}, false)
		}
	}
	v.backups()
	if links { // nothing that the command does goes through it
		v.link()
	}
	v.unpacks()
	v.loads()
}

// shellProgram is sh, bash and the like: a text, a file, or standard input.
func (v *visit) shellProgram() {
	r := &v.r
	switch {
	case r.has("-n") && !r.has("-c") && len(r.args) > 0:
		v.says = append(v.says, "Check the syntax of {arg1}")
		v.touch(r.args[0], Read, false)
	case r.has("--rcfile"):
		v.script(r.given("--rcfile").value)
		v.c.Risk = min(v.c.Risk, Dangerous)
	case r.has("-c"):
		v.shellText()
	case r.has("-i") && !v.f.elsewhere && (len(r.args) == 0 || r.has("-s")): // what is typed is what stands on its standard input
		v.c.Risk = min(v.c.Risk, Dangerous)
		v.stdinProgram()
	case len(r.args) > 0 && !r.has("-s"):
		v.says = append(v.says, "Run the shell script {arg1}")
		v.script(r.args[0])
	default:
		v.stdinProgram()
	}
}

// shellText is sh -c TEXT NAME ARG…
func (v *visit) shellText() {
	r := &v.r
	if len(r.args) == 0 {
		v.c.Effects |= Executes
		v.c.doubt(Dangerous, "the script it runs is missing")
		return
	}
	text := r.args[0]
	if text.Unknown {
		v.c.Effects |= Executes
		v.c.Runs = max(v.c.Runs, text.from.origin(), UnknownOrigin)
		v.c.doubt(Dangerous, "the script it runs cannot be known: "+short(text.Text))
		if strings.HasPrefix(text.Text, "$") {
			return
		}
	}
	st := v.st.child()
	if len(r.args) > 1 {
		st.set("0", r.args[1])
		st.params, st.paramsKnown = withoutFirst(r.args[1:]), true
	}
	before := len(v.w.commands)
	f := v.below()
	v.dialect(f, text.Text)
	out := v.w.script(st, f, text.Text, v.spanOf(text), true)
	v.print = &out
	if len(v.w.commands) == before { // an empty script
		v.says = append(v.says, "Start a shell that does nothing")
	}
	for i := before; i < len(v.w.commands); i++ {
		v.c.Effects |= v.w.commands[i].Effects & (LongRunning | Executes)
	}
	if v.c.Effects == 0 {
		v.c.Effects = Reads
	}
}

// dialect notes what the shell makes of a script that Bash would read in
// another way.
func (v *visit) dialect(f *frame, text string) {
	f.old = v.traits()&table.IsOldShell != 0
	if v.traits()&table.IsOtherShell != 0 && strings.ContainsAny(text, "'\"\\`(){}[]$#!^") {
		v.c.doubt(Dangerous, v.r.name+" has a language of its own")
	}
	if v.traits()&table.IsGlobCode != 0 {
		for _, sign := range [...]string{"*(", "?(", ")(", "=("} { // glob qualifiers run code
			if strings.Contains(text, sign) {
				v.c.doubt(Dangerous, v.r.name+" may run code in a pattern")
			}
		}
	}
}

// stdinProgram is a shell or an interpreter that reads its program from
// standard input.
func (v *visit) stdinProgram() {
	v.c.Effects |= Executes
	v.fromSocket()
	if v.f.stdin == nil {
		v.c.Typed = true
		risk := Moderate
		if v.traits()&table.IsShell != 0 && !v.f.elsewhere { // a shell in a container is ordinary work
			risk = Dangerous
		}
		v.c.Risk = min(v.c.Risk, risk)
		return
	}
	v.runs(*v.f.stdin)
}

// fromSocket notes that a program is read from a connection that a redirection
// opened, /dev/tcp/HOST/PORT, or that the program has which started it.
func (v *visit) fromSocket() {
	if v.f.connected && v.f.stdin == nil {
		v.servesShell(Dangerous)
	}
	for _, r := range v.c.Redirects {
		if strings.Contains(r.Target.Text, "/dev/tcp/") || strings.Contains(r.Target.Text, "/dev/udp/") {
			v.servesShell(Blocked)
		}
	}
}

func (v *visit) servesShell(risk Risk) {
	v.c.Runs = Fetched
	v.c.Risk = min(v.c.Risk, risk)
	v.plain = "Let whoever is connected run commands on this machine"
}

// runs executes the text of a stream.
func (v *visit) runs(s stream) {
	v.c.Effects |= Executes
	if s.kind != streamText {
		v.c.Runs = max(v.c.Runs, s.kind.origin())
		v.c.doubt(Dangerous, s.source())
		if v.reads() == nil {
			v.says = append([]string{"Run a script that cannot be known: " + s.source()}, v.says...)
		}
		if s.text == "" {
			return
		}
	}
	if in := v.language(); in != nil && in.Kind != table.KindShell {
		v.value(in.Kind, in.Keys, Arg{Text: s.text, Span: v.c.Span}, false)
		return
	}
	if v.traits()&table.IsInterpreter != 0 {
		v.c.doubt(Dangerous, "the program it reads is not understood")
		return
	}
	v.c.Risk = min(v.c.Risk, Moderate)
	f := v.below()
	v.dialect(f, s.text)
	f.stdin = nil
	st := v.st.child()
	if len(v.r.args) > 0 && !v.r.has("-s") && !v.r.has("-c") { // sh FILE ARG…
		st.params, st.paramsKnown = v.r.args[1:], true
	}
	v.w.script(st, f, s.text, v.c.Span, true)
}

// language is the kind of program that it reads: what the table says of its
// standard input, or what an interpreter takes as an option. Nil is a script for
// a shell.
func (v *visit) language() *table.Slot {
	if in := v.reads(); in != nil {
		return in
	}
	for _, t := range v.r.chain {
		flags := t.Flags()
		for i := range flags {
			if k := flags[i].Kind; k.IsCode() {
				return &table.Slot{Kind: k}
			}
		}
	}
	return nil
}

// interpreter is python, node and the like without a script: the program is
// an option's value, or comes from standard input.
func (v *visit) interpreter() {
	if g := v.r.given("-m"); g != nil && (g.value.Text == "http.server" || g.value.Text == "SimpleHTTPServer") {
		v.servedFolder()
	}
	if len(v.r.args) > 0 || v.r.has("-m") {
		return
	}
	for i := range v.r.flags {
		g := &v.r.flags[i]
		if g.flag.Kind.IsCode() {
			return
		}
	}
	for i := range v.r.flags {
		if do := v.r.flags[i].flag.Do; do != nil && do.Instead {
			return
		}
	}
	v.stdinProgram()
}

// kill looks for the targets that are more than one process.
func (v *visit) kill() {
	args := v.c.Args
	for i := 1; i < len(args); i++ {
		switch args[i].Text {
		case "-1":
			if i > 1 {
				v.c.Risk = min(v.c.Risk, Dangerous)
				v.says = append(v.says, "Stop every process that may be stopped")
			}
		case "1", "0":
			v.c.Risk = min(v.c.Risk, Dangerous)
		}
	}
}

// loopback reports whether everything it talks to is this machine.
func (v *visit) loopback() bool {
	if len(v.r.args) == 0 {
		return false
	}
	for i, a := range v.r.args {
		if i > 0 && !strings.Contains(a.Text, "://") {
			continue // an item of httpie
		}
		if strings.HasPrefix(a.Text, ":") { // httpie: this machine
			continue
		}
		if a.Unknown && !strings.Contains(a.Text, "://localhost") && !strings.Contains(a.Text, "://127.0.0.1") || !IsLoopback(hostOf(a.Text)) {
			return false
		}
	}
	return true
}

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	return host == "localhost" || host == "::1" || host == "0.0.0.0" || strings.HasSuffix(host, ".localhost") ||
		strings.HasPrefix(host, "127.") && strings.Trim(host, "0123456789.") == ""
}

// IsMetadata reports whether a host is the service that gives a machine in a cloud
// its credentials.
func IsMetadata(host string) bool {
	switch host {
	case "metadata", "metadata.google.internal", "fd00:ec2::254", "100.100.100.200":
		return true
	}
	return strings.HasPrefix(host, "169.254.") || strings.HasPrefix(host, "fe80:") || strings.HasPrefix(host, "::ffff:169.254.")
}

// test is test and [: -v and the comparisons of numbers evaluate their words.
func (v *visit) test() {
	for _, a := range v.c.Args[1:] {
		v.w.evaluate(v.st, v.f, v.c.Span, a)
	}
}
