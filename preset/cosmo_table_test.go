package preset_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/preset"
	"github.com/sayso-dev/sayso/shell"
)

// Where the commands of the table below are evaluated.
const (
	cosmoRoot = "/home/user/project"
	cosmoHome = "/home/user"
)

// cosmoSpoken is the document once more, in plain ifs over the words of a
// command. It knows only the commands that cosmoCommands makes.
func cosmoSpoken(argv []string) shell.Risk {
	name, args := argv[0], argv[1:]
	switch name {
	case "mkfs", "mkfs.ext4", "fdisk", "dd", "shutdown", "reboot", "halt":
		return shell.Blocked
	}
	fileCommand := slices.Contains(strings.Fields("rm cp mv mkdir touch ln rsync"), name)
	if len(args) == 1 && args[0] == "--version" {
		return shell.Safe
	}
	if len(args) == 1 && args[0] == "-v" && slices.Contains(strings.Fields("node npm git go docker"), name) {
		return shell.Safe
	}
	if name == "sudo" {
		return min(shell.Dangerous, cosmoSpoken(args))
	}
	if name == "env" && len(args) > 0 {
		return cosmoSpoken(args)
	}
	if name == "nice" && len(args) > 0 { // a wrapper without a level of its own
		return min(shell.Dangerous, cosmoSpoken(args))
	}
	risk := shell.Dangerous
	line := " " + strings.Join(argv, " ") + " "
	starts := func(list ...string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(line, " "+s+" ") })
	}
	has := func(option string) bool { return slices.Contains(args, option) }
	if starts("ls", "cat", "head", "tail", "wc", "tree", "file", "stat", "grep", "rg", "ag", "git status", "git log", "git diff", "git branch", "git blame",
		"gh pr list", "gh issue view", "gh run list", "npm list", "npm outdated", "npm audit", "pwd", "whoami", "date", "uname", "which", "env") {
		risk = shell.Safe
	}
	if starts("find") && !has("-exec") && !has("-delete") {
		risk = shell.Safe
	}
	if starts("git add", "git commit", "git push", "git checkout", "npm install", "npm run", "pnpm build") || fileCommand {
		risk = shell.Moderate
	}
	if starts("node script.js", "python script.py") {
		risk = shell.Moderate
	}
	if starts("su", "chmod", "chown", "brew install") || starts("npm install") && has("-g") || starts("pip install") && has("--user") || starts("git push") && has("--force") {
		risk = shell.Dangerous
	}
	for _, arg := range args {
		risk = min(risk, cosmoSpokenPath(name, args, arg, fileCommand))
	}
	return risk
}

// cosmoSpokenPath is what an argument makes of the risk, if it is one of the
// paths in cosmoPaths.
func cosmoSpokenPath(name string, args []string, arg string, fileCommand bool) shell.Risk {
	kind := cosmoPaths[arg]
	reads := slices.Contains(strings.Fields("ls cat head tail wc tree file stat find"), name)
	if kind == "" || !reads && !fileCommand && name != "chmod" && name != "chown" {
		return shell.Safe
	}
	if kind == "secret" {
		return shell.Blocked
	}
	if reads || kind == "inside" {
		return shell.Safe
	}
	if kind == "protected" {
		return shell.Blocked
	}
	recursive := slices.Contains(args, "-rf") || slices.Contains(args, "--recursive")
	if name == "rm" && recursive && kind == "critical" {
		return shell.Blocked
	}
	return shell.Dangerous
}

// cosmoPaths are paths as agents write them, with where they are.
var cosmoPaths = map[string]string{
	"a.txt": "inside", "./src/../b": "inside", cosmoRoot + "/c": "inside", "../project/d": "inside", "node_modules": "inside",
	"../other": "outside", "/tmp/x": "outside", "~/Desktop/y": "outside", "/opt": "outside", cosmoRoot + "2/x": "outside",
	"/etc/hosts": "protected", "/usr/local/bin/x": "protected", "/tmp/../var/log/x": "protected", "/bin/sh": "protected", "/sbin/x": "protected", "/System/x": "protected",
	"~/.ssh/config": "secret", cosmoHome + "/.aws/credentials": "secret", "~/.gnupg": "secret",
	"/": "critical", "~": "critical", cosmoHome: "critical",
}

// cosmoCommands makes every command of the comparison.
func cosmoCommands(each func(argv []string)) {
	plain := strings.Fields("pwd whoami date uname env halt reboot shutdown su foobar make node npm git")
	forms := strings.Split("git status,git log,git diff,git branch,git blame,gh pr list,gh issue view,gh run list,npm list,npm outdated,npm audit,which node,git add,git commit,git push,git checkout,"+
		"git push --force,git push origin main,git push origin main --force,npm install,npm install lodash,npm install -g x,npm run build,pnpm build,pip install --user x,brew install x,"+
		"node script.js,python script.py,curl https://api.example.com,mkfs /dev/sda1,mkfs.ext4 /dev/sda,fdisk /dev/sda,dd if=a of=b,foobar x y,node --version,npm -v,git --version,docker -v,go --version,chmod --version,"+
		"rm --version,sudo --version,find . -delete,find . -exec rm {} ;,grep TODO src,rg TODO src,ag TODO src", ",")
	pathed := strings.Split("ls,ls -la,cat,head,tail,wc,tree,file,stat,find,rm,rm -rf,rm --recursive --force,rm -v,cp a.txt,mv a.txt,mkdir,mkdir -p,touch,ln -s a.txt,rsync -a a.txt,chmod +x,chown user,chmod 600", ",")
	for _, wrapper := range []string{"", "sudo ", "env ", "nice ", "sudo env ", "env sudo ", "nice env ", "sudo nice "} {
		for _, form := range append(append([]string{}, plain...), forms...) {
			each(strings.Fields(wrapper + form))
		}
		for _, form := range pathed {
			for one := range cosmoPaths {
				each(append(strings.Fields(wrapper+form), one))
				for two := range cosmoPaths {
					if wrapper != "" && wrapper != "sudo " {
						break
					}
					each(append(strings.Fields(wrapper+form), one, two))
				}
			}
		}
	}
}

// TestCosmoTable compares the preset with the second statement of its document.
func TestCosmoTable(t *testing.T) {
	e := preset.CosmoEvaluator{Home: cosmoHome}
	count, wrong := 0, 0
	cosmoCommands(func(argv []string) {
		count++
		got := e.EvaluateCommand(argv[0], argv[1:], cosmoRoot)
		if want := cosmoSpoken(argv); got.Risk != want || got.Blocked != (want == shell.Blocked) {
			if wrong++; wrong < 20 {
				t.Errorf("%q: %s (%s), want %s", argv, got.Risk, got.BlockReason, want)
			}
		}
	})
	if count < 25_000 {
		t.Errorf("only %d commands", count)
	}
	t.Logf("%d commands", count)
}

// TestCosmoTableCatches: the comparison notices a fault in the statement it is
// compared with, whichever line of the document it touches.
func TestCosmoTableCatches(t *testing.T) {
	e := preset.CosmoEvaluator{Home: cosmoHome}
	faults := map[string]func(argv []string, r shell.Risk) shell.Risk{
		"no protected paths": func(argv []string, r shell.Risk) shell.Risk {
			if slices.ContainsFunc(argv, func(a string) bool { return cosmoPaths[a] == "protected" }) {
				return max(r, shell.Dangerous)
			}
			return r
		},
		"sources do not count": func(argv []string, r shell.Risk) shell.Risk {
			if argv[0] == "cp" && len(argv) == 4 && cosmoPaths[argv[2]] == "outside" && cosmoPaths[argv[3]] == "inside" {
				return shell.Moderate
			}
			return r
		},
		"wrappers hide": func(argv []string, r shell.Risk) shell.Risk {
			if argv[0] == "env" {
				return shell.Safe
			}
			return r
		},
		"force is as good as push": func(argv []string, r shell.Risk) shell.Risk {
			if slices.Contains(argv, "--force") && slices.Contains(argv, "push") {
				return max(r, shell.Moderate)
			}
			return r
		},
		"find may act": func(argv []string, r shell.Risk) shell.Risk {
			if argv[0] == "find" {
				return max(r, shell.Safe)
			}
			return r
		},
	}
	for name, fault := range faults {
		caught := 0
		cosmoCommands(func(argv []string) {
			if caught == 0 && fault(argv, cosmoSpoken(argv)) != e.EvaluateCommand(argv[0], argv[1:], cosmoRoot).Risk {
				caught++
			}
		})
		if caught == 0 {
			t.Errorf("%s: not noticed", name)
		}
	}
}
