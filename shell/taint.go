package shell

import "strings"

// What is read from a secret is followed through pipes, variables, words and
// files, because where it ends decides: a program that talks to others sends
// it out.

// environment stands for the secrets among the variables that the shell was
// started with.
const environment = "/proc/self/environ"

func (a *Arg) secret() string {
	if a.extra == nil {
		return ""
	}
	return a.extra.secret
}

// secretIn is a secret that one of the words has in it.
func secretIn(args []Arg) string {
	for i := range args {
		if s := args[i].secret(); s != "" {
			return s
		}
	}
	return ""
}

// taint notes that the word has a secret in it.
func (b *fieldBuilder) taint(secret string) {
	if secret == "" {
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
func (b *fieldBuilder) secretOf(name string) string {
	if v, ok := b.st.get(name); ok {
		return secretIn(v.value)
	}
	for i := range keysSecretVariables {
		if e := &keysSecretVariables[i]; matchAny(e.names, strings.ToUpper(name)) {
			if e.do == nil {
				return ""
			}
			return environment
		}
	}
	return ""
}

// taint notes that a variable may hold a secret.
func (st *state) taint(name, secret string) {
	if secret != "" {
		st.set(name, Arg{Text: "$" + name, Unknown: true, many: true, extra: &argExtra{secret: secret}})
	}
}

// secretAmong is the first of the paths whose content is read and is a secret.
func (w *walker) secretAmong(paths []Path) string {
	for i := range paths {
		p := &paths[i]
		if p.Access != Read {
			continue
		}
		for _, abs := range [...]string{p.Abs, p.Real} {
			if w.secret(abs, p.Glob) || p.Recursive && !p.Deep && w.holdsSecrets(abs) {
				return abs
			}
		}
	}
	return ""
}

// tainted is what the program prints, with the secret that is in it.
func (v *visit) tainted(out stream) stream {
	c := v.c
	if out.kind == streamEmpty || v.prints() == printsHash || c.Elsewhere {
		return out
	}
	if v.f.stdin != nil {
		out.secret = max(out.secret, v.f.stdin.secret)
	}
	switch {
	case c.Risk <= Dangerous && out.secret == "": // reading a secret is never less
		out.secret = v.w.secretAmong(c.Paths)
	case v.prints() == printsEnvironment && !v.r.inner && len(v.r.args) == 0:
		out.secret = environment
	}
	if out.secret == "" {
		out.secret = secretIn(c.Args)
	}
	if out.secret != "" {
		v.w.shown++
		v.w.last = out.secret
	}
	return out
}

// secretCopy is the secret that a file holds which the script has written.
func (w *walker) secretCopy(abs string, glob bool) string {
	for i := range w.written {
		f := &w.written[i]
		switch {
		case f.text.secret == "":
		case f.abs == abs || glob && matchStars(questionMarks(abs), f.abs):
			return f.text.secret
		case within(abs, f.abs) && w.holdsSecrets(f.text.secret):
			return f.text.secret + abs[len(f.abs):]
		}
	}
	return ""
}

// sends notes the secrets that a program which talks to others is given.
func (v *visit) sends() {
	c := v.c
	if c.Effects&(Network|Publishes) == 0 || v.atHome() {
		return
	}
	if v.f.stdin != nil && v.f.stdin.secret != "" {
		v.sendsOut(v.f.stdin.secret, "-")
	}
	for i := range c.Args {
		a := &c.Args[i]
		switch secret := a.secret(); {
		case secret == "":
		case secret != environment:
			v.sendsOut(secret, a.Text)
		case v.r.chain[0].use != useDownload && !v.looksUp(): // its own credentials, maybe
		case v.authenticates(a):
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

func (v *visit) sendsOut(secret, raw string) {
	v.w.addPath(v.c, Path{Raw: raw, Abs: secret, Access: Read})
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
		for _, name := range g.flag.names {
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
		if s.kind == kindDNS {
			return true
		}
	}
	return false
}
