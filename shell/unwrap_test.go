package shell_test

import (
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// unwrapped are the ways to run a command through another one; @ stands for it.
const unwrapped = `
sudo -u x @
doas @
su -c '@' root
su root -c '@'
env -i A=b @
env -S '@'
nohup @ &
nice -n 5 @
ionice -c2 -n7 @
time -p @
timeout -k 5 10 @
stdbuf -oL @
setsid -w @
flock /tmp/l @
flock /tmp/l -c '@'
watch -n 5 @
xargs -I{} sh -c '@' < f
parallel @ ::: x
find . -exec @ +
find . -execdir @ \;
find . -ok @ \;
fd x -x @
sh -c '@'
bash -lc '@'
zsh -c '@'
dash -c '@'
fish -c '@'
command @
builtin eval '@'
exec @
busybox @
chroot /mnt @
unshare -r @
nsenter -t 1 -m @
strace -f -o x @
script -qc '@' /dev/null
ssh host @
ssh -p 22 user@host '@'
docker exec -it c @
docker run --rm -v x:/y alpine @
podman exec c @
kubectl exec -it pod -c main -- @
npx @
bunx @
pnpm dlx @
uvx @
pipx run @
mise exec node@20 -- @
poetry run @
git -c alias.x='!@' x
git submodule foreach '@'
git rebase --exec '@' main
git bisect run @
git -c core.pager='@' log
make SHELL='@'
tar cf x.tar --to-command='@' x
tar cf x.tar --checkpoint=1 --checkpoint-action=exec='@' x
rsync -e '@' a b:c
awk 'BEGIN{system("@")}'
sed '1e @' f
vim -c '!@' f
python3 -c 'import os; os.system("@")'
perl -e 'system("@")'
ruby -e 'system("@")'
node -e 'require("child_process").execSync("@")'
GIT_SSH_COMMAND='@' git fetch
PAGER='@' git log
echo $(@)
cat <(@)
cat <<EOF; @
text
EOF
f() { @; }; f
trap '@' EXIT
bash <<< '@'
echo '@' | sh
`

// TestUnwrap: the command that really runs is found through every wrapper, and
// the wrapper does not make it less risky.
func TestUnwrap(t *testing.T) {
	text := unwrapped
	text = strings.ReplaceAll(text, "; @\ntext\nEOF", "; @\x00text\x00EOF") // one line of the list
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		line = strings.ReplaceAll(line, "\x00", "\n")
		line = strings.ReplaceAll(line, "user@host", "user host")
		line = strings.ReplaceAll(line, "node@20", "node 20")
		for inner, want := range map[string]shell.Risk{"rm -rf /": shell.Blocked, "git push --force": shell.Dangerous} {
			src := strings.ReplaceAll(line, "@", inner)
			src = strings.ReplaceAll(src, "user host", "user@host")
			src = strings.ReplaceAll(src, "node 20", "node@20")
			a := analysis(t, src)
			if a.Risk > want {
				t.Errorf("%s: %v, want %v%s", src, a.Risk, want, detail(a))
			}
			found := false
			for i := range a.Commands {
				found = found || strings.HasPrefix(argvText(a.Commands[i].Args), inner)
			}
			if !found {
				t.Errorf("%s: %s is not among the commands%s", src, inner, detail(a))
			}
		}
	}
}
