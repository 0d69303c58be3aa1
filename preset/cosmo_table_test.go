package preset_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/shell"
)

// Where the commands of the table below are evaluated.
const (
	cosmoRoot = "/home/user/project"
	cosmoHome = "/home/user"
)

// A cosmoSaid is what the document says of a command.
type cosmoSaid struct {
	risk shell.Risk
	why  []string // one of these is told as the reason; none: it does not say
	text string   // the explanation, where it is given word for word
}

func (s cosmoSaid) worse(other cosmoSaid) cosmoSaid {
	switch {
	case other.risk < s.risk:
		s.risk, s.why = other.risk, other.why
	case other.risk == s.risk:
		s.why = append(slices.Clone(s.why), other.why...)
	}
	return s
}

// cosmoSpoken is the document once more, in plain ifs over the words of a
// command. It knows only the commands that cosmoCommands makes.
func cosmoSpoken(argv []string) cosmoSaid {
	name, args := argv[0], argv[1:]
	said := cosmoSpokenLists(name, args)
	said.text = cosmoSpokenText(argv)
	if name == "sudo" || name == "env" || name == "nice" {
		said.text = ""
	}
	return said
}

func cosmoSpokenLists(name string, args []string) cosmoSaid {
	switch name {
	case "mkfs", "mkfs.ext4", "fdisk", "dd", "shutdown", "reboot", "halt":
		return cosmoSaid{risk: shell.Blocked, why: []string{"destructive system command"}}
	}
	if len(args) == 1 && args[0] == "--version" {
		return cosmoSaid{risk: shell.Safe, why: []string{"version check"}}
	}
	if len(args) == 1 && args[0] == "-v" && slices.Contains(strings.Fields("node npm git go docker"), name) {
		return cosmoSaid{risk: shell.Safe, why: []string{"version check"}}
	}
	if name == "sudo" && len(args) > 0 && args[0] != "-v" {
		return cosmoSaid{risk: shell.Dangerous, why: []string{"privilege escalation"}}.worse(cosmoSpokenLists(args[0], args[1:]))
	}
	if name == "env" && len(args) > 0 && args[0] != "-v" {
		return cosmoSaid{risk: shell.Safe, why: []string{"system info"}}.worse(cosmoSpokenLists(args[0], args[1:]))
	}
	if name == "nice" && len(args) > 0 { // a wrapper without a level of its own
		return cosmoSaid{risk: shell.Dangerous, why: []string{"no level is documented"}}.worse(cosmoSpokenLists(args[0], args[1:]))
	}
	said := cosmoSpokenCommand(name, args)
	for _, arg := range args {
		said = said.worse(cosmoSpokenPath(name, args, arg))
	}
	return said
}

// cosmoSpokenCommand is the level of a command by the lists.
func cosmoSpokenCommand(name string, args []string) cosmoSaid {
	line := " " + strings.Join(append([]string{name}, args...), " ") + " "
	starts := func(list ...string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(line, " "+s+" ") })
	}
	has := func(options ...string) bool {
		return slices.ContainsFunc(options, func(o string) bool { return slices.Contains(args, o) })
	}
	say := func(risk shell.Risk, why string) cosmoSaid { return cosmoSaid{risk: risk, why: []string{why}} }
	if starts("sudo", "su") {
		return say(shell.Dangerous, "privilege escalation")
	}
	if starts("chmod", "chown") {
		return say(shell.Dangerous, "permissions")
	}
	if starts("npm install", "pnpm install", "npm i") && has("-g", "--global", "--location=global") || starts("pip install") && has("--user") {
		return say(shell.Dangerous, "global install")
	}
	if starts("git push") && has("--force", "-f", "--mirror", "--delete", "+main", "--force-with-lease") || starts("git checkout", "git add") && has("--force", "-f") {
		return say(shell.Dangerous, "force operation")
	}
	if starts("brew install") {
		return say(shell.Dangerous, "system package manager")
	}
	if starts("ls", "cat", "head", "tail", "wc", "tree", "file", "stat") {
		return say(shell.Safe, "file inspection")
	}
	if starts("find") && has("-exec", "-delete") {
		return say(shell.Dangerous, "find with -exec or -delete")
	}
	if starts("grep", "rg", "find", "ag") {
		return say(shell.Safe, "search")
	}
	if starts("git status", "git log", "git diff", "git branch", "git blame") {
		return say(shell.Safe, "git read")
	}
	if starts("gh pr list", "gh issue view", "gh run list") {
		return say(shell.Safe, "gh read")
	}
	if starts("npm list", "npm outdated", "npm audit") {
		return say(shell.Safe, "package manager read")
	}
	if starts("pwd", "whoami", "date", "uname", "which", "env") {
		return say(shell.Safe, "system info")
	}
	if starts("git add", "git commit", "git push", "git checkout") {
		return say(shell.Moderate, "git write")
	}
	if starts("npm install", "npm run", "pnpm build") {
		return say(shell.Moderate, "package manager")
	}
	if starts("mkdir", "touch", "cp", "mv", "rm", "ln", "rsync") {
		return say(shell.Moderate, "file operation inside the workspace")
	}
	if starts("node script.js", "python script.py", "python2 script.py", "python3 script.py") {
		return say(shell.Moderate, "script execution")
	}
	return say(shell.Dangerous, "no level is documented")
}

// cosmoSpokenPath is what an argument makes of the risk, if it is one of the
// paths in cosmoPaths.
func cosmoSpokenPath(name string, args []string, arg string) cosmoSaid {
	kind := cosmoPaths[arg]
	reads := slices.Contains(strings.Fields("ls cat head tail wc tree file stat find"), name)
	changes := slices.Contains(strings.Fields("rm cp mv mkdir touch ln rsync chmod chown tee"), name)
	if kind == "" || !reads && !changes {
		return cosmoSaid{risk: shell.Safe}
	}
	if kind == "secret" {
		return cosmoSaid{risk: shell.Blocked, why: []string{"protected path " + arg}}
	}
	if reads || kind == "inside" {
		return cosmoSaid{risk: shell.Safe}
	}
	recursive := slices.Contains(args, "-rf") || slices.Contains(args, "--recursive")
	if kind == "protected" {
		return cosmoSaid{risk: shell.Blocked, why: []string{"protected path " + arg}}
	}
	if name == "rm" && recursive && kind == "critical" {
		return cosmoSaid{risk: shell.Blocked, why: []string{"recursive delete on a critical path " + arg}}
	}
	return cosmoSaid{risk: shell.Dangerous, why: []string{"path outside the workspace " + arg}}
}

// cosmoSpokenText is the explanation that the document gives, if it does.
func cosmoSpokenText(argv []string) string {
	switch line := strings.Join(argv, " "); {
	case line == "ls" || line == "ls -la":
		return "List files in the current folder"
	case line == "git push" || line == "git push origin main":
		return "Push commits to the remote repository"
	case line == "git push --force" || line == "git push origin main --force" || line == "git push -f":
		return "Force-push changes to the remote (overwrites remote history)"
	case line == "npm install lodash":
		return "Install package: lodash"
	case line == "curl https://api.example.com":
		return "Fetch data from: https://api.example.com"
	case argv[0] == "rm" && len(argv) == 3 && argv[1] == "-rf":
		return "Delete folder and all its contents: " + argv[2]
	case argv[0] == "foobar" && !strings.Contains(line, "--version"):
		return "Run command: " + line
	}
	return ""
}

// cosmoPaths are paths as agents write them, with where they are.
var cosmoPaths = map[string]string{
	"a.txt": "inside", "./src/../b": "inside", cosmoRoot + "/c": "inside", "../project/d": "inside", "node_modules": "inside",
	"../other": "outside", "/tmp/x": "outside", "~/Desktop/y": "outside", "/opt": "outside", cosmoRoot + "2/x": "outside",
	"/etc/hosts": "protected", "/usr/local/bin/x": "protected", "/tmp/../var/log/x": "protected", "/bin/sh": "protected", "/sbin/x": "protected", "/System/x": "protected",
	"/private/etc/x": "protected", "/private/var/x": "protected",
	"~/.ssh/config": "secret", cosmoHome + "/.aws/credentials": "secret", "~/.gnupg": "secret",
	"/": "critical", "~": "critical", cosmoHome: "critical",
}

var (
	cosmoPlain = strings.Fields("pwd whoami date uname env halt reboot shutdown su foobar make node npm git")
	cosmoForms = strings.Split("git status,git log,git diff,git branch,git blame,gh pr list,gh issue view,gh run list,npm list,npm outdated,npm audit,which node,git add,git commit,git push,git checkout,"+
		"git push --force,git push -f,git push --mirror,git push origin --delete main,git push origin +main,git push --force-with-lease,git push origin main,git push origin main --force,git checkout --force main,git add --force a,"+
		"npm install,npm install lodash,npm install -g x,npm install --location=global x,npm run build,pnpm build,pip install --user x,brew install x,"+
		"node script.js,python script.py,python2 script.py,python3 script.py,curl https://api.example.com,mkfs /dev/sda1,mkfs.ext4 /dev/sda,fdisk /dev/sda,dd if=a of=b,foobar x y,"+
		"node --version,npm -v,git --version,docker -v,go --version,chmod --version,foobar --version,"+
		"rm --version,sudo --version,mkfs --version,shutdown --version,reboot --version,halt --version,find . -delete,find . -exec rm {} ;,grep TODO src,rg TODO src,ag TODO src", ",")
	cosmoPathed = strings.Split("ls,ls -la,cat,head,tail,wc,tree,file,stat,find,rm,rm -rf,rm --recursive --force,rm -v,cp a.txt,mv a.txt,mkdir,mkdir -p,touch,ln -s a.txt,rsync -a a.txt,chmod +x,chown user,chmod 600,"+
		"cp {} a.txt,mv {} a.txt,ln -s {} a.txt,rsync -a {} a.txt,touch -r {} a.txt", ",")
)

// cosmoCommands makes every command of the comparison, the plain ones first.
func cosmoCommands(each func(argv []string)) {
	wrappers := []string{"", "sudo ", "env ", "nice ", "sudo env ", "env sudo ", "nice env ", "sudo nice "}
	for _, name := range strings.Fields("chmod chown cat ls grep rg ag env sudo su bash sh pip tar rm cp mv mkdir touch ln rsync") {
		each([]string{name, "-v"}) // not a question about the version
	}
	for _, wrapper := range wrappers {
		for _, form := range append(append([]string{}, cosmoPlain...), cosmoForms...) {
			each(strings.Fields(wrapper + form))
		}
	}
	for _, wrapper := range wrappers {
		for _, form := range cosmoPathed {
			for one := range cosmoPaths {
				each(cosmoWith(wrapper+form, one))
			}
		}
	}
	for _, wrapper := range wrappers[:2] {
		for _, form := range cosmoPathed {
			for one := range cosmoPaths {
				for two := range cosmoPaths {
					each(append(cosmoWith(wrapper+form, one), two))
				}
			}
		}
	}
}

// cosmoWith puts a path where the form has {}, or behind it.
func cosmoWith(form, path string) []string {
	words := strings.Fields(form)
	if i := slices.Index(words, "{}"); i >= 0 {
		words[i] = path
		return words
	}
	return append(words, path)
}

func cosmoCall(argv []string) sayso.Call {
	input, _ := json.Marshal(map[string]any{"command": argv[0], "args": append([]string{}, argv[1:]...)})
	return sayso.Call{Tool: "run_command", Agent: "cosmo", Input: input, Root: cosmoRoot, Home: cosmoHome}
}

// cosmoDiffers says in what a decision is not the one of the document: the effect,
// the stage, the code, the risk, the reason, the explanation and the choices.
func cosmoDiffers(argv []string, d sayso.Decision) string {
	want := cosmoSpoken(argv)
	effect, code, keys := sayso.Ask, preset.CodeCosmoConfirm, []string{"y Allow", "n Deny"}
	if want.risk == shell.Blocked {
		effect, code, keys = sayso.Deny, preset.CodeCosmoBlocked, nil
	}
	var choices []string
	for _, c := range d.Choices {
		choices = append(choices, c.Key+" "+c.Label)
	}
	told := slices.ContainsFunc(want.why, func(why string) bool { return strings.Contains(d.Reason, want.risk.String()+": "+why) })
	switch {
	case d.Effect != effect || d.Risk != want.risk || d.Code != code || d.Stage != "command_policy":
		return fmt.Sprintf("%s %s by %s, %s; want %s %s", d.Effect, d.Risk, d.Stage, d.Code, effect, want.risk)
	case len(want.why) > 0 && !told:
		return fmt.Sprintf("the reason is %q, want one of %q", d.Reason, want.why)
	case want.text != "" && d.Explanation != want.text || d.Explanation == "":
		return fmt.Sprintf("the explanation is %q, want %q", d.Explanation, want.text)
	case !slices.Equal(choices, keys) || len(d.Suggestions) > 0:
		return fmt.Sprintf("the choices are %q, with %d suggestions", choices, len(d.Suggestions))
	}
	return ""
}

// TestCosmoTable compares the preset with the second statement of its document.
func TestCosmoTable(t *testing.T) {
	e := sayso.Engine{Preset: preset.Cosmo()}
	count, wrong := 0, 0
	cosmoCommands(func(argv []string) {
		count++
		if differs := cosmoDiffers(argv, e.Check(context.Background(), cosmoCall(argv), sayso.Session{})); differs != "" {
			if wrong++; wrong < 20 {
				t.Errorf("%q: %s", argv, differs)
			}
		}
	})
	if count < 25_000 {
		t.Errorf("only %d commands", count)
	}
	t.Logf("%d commands", count)
}

// TestCosmoTableCatches: the comparison notices each entry of Cosmo's lists that is
// missing, each level that is another one, and a stage that is missing.
func TestCosmoTableCatches(t *testing.T) {
	var commands [][]string
	cosmoCommands(func(argv []string) {
		if len(commands) < 6000 { // those with two paths say nothing new about the lists
			commands = append(commands, argv)
		}
	})
	calls := make([]sayso.Call, len(commands))
	facts := make([]*sayso.Facts, len(commands))
	for i, argv := range commands {
		calls[i] = cosmoCall(argv)
		a := sayso.Analyzer{}
		facts[i] = a.Analyze(calls[i])
	}
	noticed := func(p sayso.Preset) bool {
		plan, err := p.For("")
		if err != nil {
			t.Fatal(err)
		}
		for i, argv := range commands {
			c := &sayso.Case{Call: calls[i], Facts: facts[i]}
			d := plan.Evaluate(context.Background(), c)
			d.Risk, d.Explanation = p.Describe(c)
			if d.Effect == sayso.Ask {
				d.Choices = p.Choices(c, &d)
			}
			if cosmoDiffers(argv, d) != "" {
				return true
			}
		}
		return false
	}
	if noticed(preset.Cosmo()) {
		t.Fatal("a fault is noticed where there is none")
	}
	// These change every path that they are given, which is enough.
	harmless := []string{"sandboxed without rm", "sandboxed without mv", "sandboxed without mkdir"}
	for _, fault := range preset.CosmoFaults() {
		undo := fault.Plant()
		if !noticed(preset.Cosmo()) && !slices.Contains(harmless, fault.Name) {
			t.Errorf("%s: not noticed", fault.Name)
		}
		undo()
	}
	if !noticed(preset.CosmoPlan(func(p sayso.Plan) sayso.Plan { return p[:len(p)-1] })) {
		t.Error("no policy: not noticed")
	}
}
