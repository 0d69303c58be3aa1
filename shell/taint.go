package shell

import (
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// What is read from a secret is followed through pipes, variables, words and
// files, because where it ends decides: a program that talks to others sends
// it out.

// A secretID is the number of a secret in one analysis; 0 is none.
type secretID uint8

// environment stands for the secrets among the variables that the shell was
// started with.
const environment secretID = 1

// number is the number of the secret at a path. Beyond the last number, which
// one it is does not matter any more.
func (t *trail) number(abs string) secretID {
	i := slices.Index(t.secrets, abs)
	if i < 0 && len(t.secrets) < 250 {
		t.secrets = append(t.secrets, abs)
		i = len(t.secrets) - 1
	}
	return secretID(max(i, 0)) + 2
}

// pathOf is where a secret is.
func (t *trail) pathOf(id secretID) string {
	if id == environment {
		return "/proc/self/environ"
	}
	return t.secrets[id-2]
}

func (a *Arg) secret() secretID {
	if a.extra == nil {
		return 0
	}
	return a.extra.secret
}

// secretIn is a secret that one of the words has in it.
func secretIn(args []Arg) secretID {
	for i := range args {
		if s := args[i].secret(); s != 0 {
			return s
		}
	}
	return 0
}

// taint notes that the word has a secret in it.
func (b *fieldBuilder) taint(secret secretID) {
	if secret == 0 {
		return
	}
	extra := argExtra{secret: secret}
	if b.cur.extra != nil {
		extra = *b.cur.extra
		extra.secret = max(extra.secret, secret)
	}
	b.cur.extra = &extra
}

// secretOf is the secret that a variable holds: one that the script has put
// there, or, by its name, one that it was started with.
func (b *fieldBuilder) secretOf(name string) secretID {
	if v, ok := b.st.get(name); ok {
		return secretIn(v.value)
	}
	if secretVariable(name) {
		return environment
	}
	return 0
}

// taint notes that a variable may hold a secret.
func (st *state) taint(name string, secret secretID) {
	if secret != 0 {
		st.set(name, Arg{Text: "$" + name, Unknown: true, many: true, extra: &argExtra{secret: secret}})
	}
}

// secretAmong is the first of the paths whose content is read and is a secret.
func (w *walker) secretAmong(paths []Path) secretID {
	for i := range paths {
		p := &paths[i]
		if p.Access != Read {
			continue
		}
		for _, abs := range [...]string{p.Abs, p.Real} {
			if w.secret(abs, p.Glob) || p.Recursive && !p.Deep && w.holdsSecrets(abs) {
				return w.number(abs)
			}
		}
	}
	return 0
}

// tainted is what the program prints, with the secret that is in it.
func (v *visit) tainted(out stream) stream {
	if out.kind == streamEmpty || v.c.Elsewhere && !anyHere(v.c.Paths) {
		return out
	}
	if in := v.f.stdin; in != nil && (in.private || in.secret == environment) {
		out.private, out.picked = true, in.picked || !v.passes()
	}
	secret := max(out.secret, v.secretShown())
	if secret == 0 || v.prints() == table.PrintsHash {
		return out
	}
	v.feeds(secret)
	out.secret = secret
	v.w.shown++
	v.w.last = secret
	return out
}

// feeds notes that a secret goes into >(…) and from there to others.
func (v *visit) feeds(secret secretID) {
	for i := range v.c.Args {
		if p := v.c.Args[i].proc(); p != nil && p.fed && p.talks {
			v.c.Effects |= Network
			v.sendsOut(secret, v.c.Args[i].Text)
		}
	}
	for i := range v.c.Redirects {
		if p := v.c.Redirects[i].Target.proc(); p != nil && p.fed && p.talks {
			v.c.Effects |= Network
			v.sendsOut(secret, v.c.Redirects[i].Target.Text)
		}
	}
}

// secretShown is a secret that the program is given or reads.
func (v *visit) secretShown() secretID {
	c := v.c
	switch {
	case v.f.stdin != nil && v.f.stdin.secret != 0:
		return v.f.stdin.secret
	case v.judged && v.printing == table.PrintsEnvironment:
		return environment
	}
	if c.Risk <= Dangerous { // reading a secret is never less
		if secret := v.w.secretAmong(c.Paths); secret != 0 {
			return secret
		}
	}
	return secretIn(c.Args)
}

// secretCopy is the secret that a file holds which the script has written.
func (w *walker) secretCopy(abs string, glob bool) string {
	for i := range w.written {
		f := &w.written[i]
		switch {
		case f.text.secret == 0:
		case f.abs == abs || glob && matchStars(questionMarks(abs), f.abs):
			return w.pathOf(f.text.secret)
		case within(abs, f.abs) && w.holdsSecrets(w.pathOf(f.text.secret)):
			return w.pathOf(f.text.secret) + abs[len(f.abs):]
		}
	}
	return ""
}

// sends notes the secrets that a program which talks to others is given.
func (v *visit) sends() {
	c := v.c
	v.staged()
	v.encoded()
	if c.Effects&(Network|Publishes) == 0 || v.atHome() {
		return
	}
	if v.f.stdin != nil && v.f.stdin.secret != 0 {
		v.sendsOut(v.f.stdin.secret, "-")
	}
	for i := range c.Args {
		a := &c.Args[i]
		switch secret := a.secret(); {
		case secret == 0:
		case secret != environment:
			v.sendsOut(secret, a.Text)
		case v.r.chain[0].Use != table.UseDownload && !v.looksUp() && !(strings.Contains(a.Text, "://") && v.authenticates(a) && v.givesAway(a)): // its own credentials, maybe
		case v.authenticates(a) && !v.givesAway(a):
			c.Effects |= Secrets
		default:
			v.sendsOut(secret, a.Text)
		}
	}
}

// atHome reports whether the program talks to this machine only.
func (v *visit) atHome() bool {
	for _, h := range v.c.Hosts {
		if !IsLoopback(h) {
			return false
		}
	}
	return len(v.c.Hosts) > 0
}

func (v *visit) sendsOut(secret secretID, raw string) {
	v.w.addPath(v.c, Path{Raw: raw, Abs: v.w.pathOf(secret), Access: Read})
	v.c.Effects |= Reads
	v.c.Risk = min(v.c.Risk, Dangerous)
}

// servedFolder is what python -m http.server shows to others.
func (v *visit) servedFolder() {
	folder := Arg{Text: "."}
	for i, a := range v.c.Args[:len(v.c.Args)-1] {
		if a.Text == "-d" || a.Text == "--directory" {
			folder = v.c.Args[i+1]
		}
	}
	for _, a := range v.c.Args {
		if dir, ok := strings.CutPrefix(a.Text, "--directory="); ok {
			a.Text, folder = dir, a
		}
	}
	v.touch(folder, Read, true)
}

// authenticates reports whether a word is there to say who asks: a header, the
// name and password, the part of a URL in front of the host.
func (v *visit) authenticates(a *Arg) bool {
	if _, rest, ok := strings.Cut(a.Text, "://"); ok {
		host, _, _ := strings.Cut(rest, "/")
		user, _, ok := strings.Cut(host, "@")
		return ok && strings.Contains(user, "$") && !strings.Contains(rest[len(user):], "$")
	}
	for i := range v.r.flags {
		g := &v.r.flags[i]
		if g.value.extra != a.extra || g.value.extra == nil {
			continue
		}
		for _, name := range g.flag.Names {
			switch name {
			case "--header", "--user", "--oauth2-bearer", "--cookie", "--password", "--http-password", "--auth", "--bearer", "--proxy-user":
				return true
			}
		}
	}
	return false
}

// looksUp reports whether the program asks for names, which leave the machine.
func (v *visit) looksUp() bool {
	for _, s := range v.r.shape() {
		if s.Kind == table.KindDNS {
			return true
		}
	}
	return false
}
