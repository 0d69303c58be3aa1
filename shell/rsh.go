package shell

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// completed is the text of a shell to which a command will be added: behind a
// host for those that run elsewhere (rsync -e 'ssh -p 2222'), behind -c for the
// others (make SHELL=bash).
func (v *visit) completed(a Arg) Arg {
	name, _, _ := strings.Cut(a.Text, " ")
	switch t := table.Find(baseName(name)); {
	case t == nil:
	case t.Is(table.IsElsewhere):
		a.Text += v.farSide()
	case t.Is(table.IsShell) && !strings.Contains(a.Text, " -c"):
		a.Text += " -c true"
	}
	return a
}

// farSide is what rsync adds to the shell that connects it: the host, and the
// rsync that it starts there, which sends or gets the files behind the dot. The
// letters for its options are left out; they differ from version to version.
func (v *visit) farSide() string {
	user, host, file := v.farFile()
	words := []Arg{{Text: "rsync"}, {Text: "--server"}}
	if g := v.r.given("--rsync-path"); g != nil && !g.value.Unknown {
		words[0] = g.value
	}
	if n := len(v.r.args); n < 2 || !isRemote(v.r.args[n-1].Text) {
		words = append(words, Arg{Text: "--sender"})
	}
	file.Text = escaped(file.Text)
	return user + " " + host + " " + quoteArgs(append(words, Arg{Text: "."}, file))
}

// escaped is a path as rsync writes it for the shell on the other side, which
// may still expand a pattern.
func escaped(path string) string {
	var out strings.Builder
	for i := range len(path) {
		if strings.IndexByte(" \t\n'\"\\$`|&;<>(){}#!", path[i]) >= 0 {
			out.WriteByte('\\')
		}
		out.WriteByte(path[i])
	}
	return out.String()
}

// farFile is the file on another machine that an operand names, and the user and
// the host as words of a script.
func (v *visit) farFile() (user, host string, file Arg) {
	for _, a := range v.r.args {
		if !isRemote(a.Text) {
			continue
		}
		host = hostOf(a.Text)
		if !plainWords([]Arg{{Text: host, Unknown: a.Unknown}}) || host[0] == '-' {
			continue
		}
		at, path, _ := strings.Cut(a.Text, ":")
		if name, _, ok := strings.Cut(at, "@"); ok && plainWords([]Arg{{Text: name}}) && name[0] != '-' {
			user = " -l " + name
		}
		if a.Text = path; path == "" {
			a.Text = "."
		}
		return user, host, a
	}
	return "", "host", Arg{Text: "."}
}
