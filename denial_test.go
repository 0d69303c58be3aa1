package sayso_test

import (
	"testing"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/store"
)

// TestDenialOfPackage: in a later turn what was denied is asked about.
func TestDenialOfPackage(t *testing.T) {
	s := sayso.Session{Turn: 2, Denied: []sayso.Denial{{Package: "npm:left-pad", Turn: 1, Text: "npm i left-pad"}}}
	d := engine(&store.Memory{}, nil, sayso.Rule{Effect: sayso.Allow, Text: "bash(yarn add *)"}).Check(t.Context(), bash("yarn add left-pad"), s)
	if d.Effect != sayso.Ask || d.Code != sayso.CodeDeniedBefore || !d.Immune {
		t.Errorf("%+v", d)
	}
}

// TestDenialBindsEffect: what a person has denied is denied by every other way to
// the same effect for the rest of the turn, and nothing else is.
func TestDenialBindsEffect(t *testing.T) {
	fetch := func(url string) sayso.Call { return tool("WebFetch", map[string]any{"url": url, "prompt": "x"}) }
	for _, test := range []struct {
		name   string
		denied sayso.Call
		bound  []sayso.Call
		free   []sayso.Call // these may ask for other reasons
	}{
		{
			"package", bash("npm install left-pad"),
			[]sayso.Call{
				bash("npm i left-pad"), bash("npm add left-pad"), bash("yarn add left-pad"), bash("pnpm add left-pad"), bash("bun add left-pad"), bash("npx left-pad"),
				bash("npm install --save-dev left-pad@1.2.3"), bash("pnpm dlx left-pad"), bash("sh -c 'npm install left-pad'"), bash("cd sub && npm i left-pad"),
				bash("npm i react left-pad"), bash("npm exec left-pad"), bash("npm install -g left-pad"), bash("bunx left-pad"),
			},
			[]sayso.Call{bash("npm install react"), bash("npm test"), bash("npm ci"), bash("pip install left-pad"), bash("grep left-pad package.json")},
		},
		{
			"python package", bash("pip install requests"),
			[]sayso.Call{bash("pip3 install requests==2.0"), bash("python3 -m pip install requests"), bash("uv pip install requests"), bash("uv add requests"), bash("poetry add requests"), bash("pipx run requests"), bash("uvx requests")},
			[]sayso.Call{bash("pip install flask"), bash("npm install requests")},
		},
		{
			"file deleted", bash("rm a.txt"),
			[]sayso.Call{
				bash("unlink a.txt"), bash("git rm -f a.txt"), bash("find a.txt -delete"), bash(`python3 -c "import os; os.remove('a.txt')"`), bash("rm -f ./a.txt"),
				tool("Write", map[string]any{"file_path": "a.txt", "content": ""}), bash("mv a.txt b.txt"), bash("truncate -s0 a.txt"), bash(": > a.txt"),
				bash(`node -e "require('fs').unlinkSync('a.txt')"`), bash("rm *.txt"), bash("find . -name a.txt -delete"), bash("shred -u a.txt"),
				tool("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"}),
			},
			[]sayso.Call{bash("cat a.txt"), bash("rm b.log"), bash("touch b.txt")},
		},
		{
			"package with a scope", bash("npx --package=@a/b@1 x"), []sayso.Call{bash("npx @a/b"), bash("npm i @a/b@latest")}, []sayso.Call{bash("npm i @a/c")},
		},
		{
			"files that a search finds", bash("find /srv -name '*.conf' -delete"),
			[]sayso.Call{bash("rm /srv/a/b.conf"), tool("Write", map[string]any{"file_path": "/srv/b.conf", "content": ""})},
			[]sayso.Call{bash("touch /srv/a.txt")},
		},
		{
			"files by a pattern that no rule can have", bash(`rm [!a]\{1\}.txt`), []sayso.Call{bash(`rm [!a]\{1\}.txt`)}, []sayso.Call{bash("cat a.txt")},
		},
		{
			"packages of a registry of its own", bash("cargo add serde"), []sayso.Call{bash("cargo add serde@1")}, []sayso.Call{bash("npm i serde")},
		},
		{
			"package that is not known", bash("npm i $X ./local ''"), []sayso.Call{bash("npm i $X ./local ''")}, []sayso.Call{bash("npm i")},
		},
		{
			"file that is not known", bash(`> "$X"; gh release create v1`), []sayso.Call{bash("gh release create v1")}, []sayso.Call{bash("> x")},
		},
		{
			"pattern that is not closed", bash("rm /srv/a*[b"), []sayso.Call{bash("rm /srv/a*[b")}, []sayso.Call{bash("ls /srv")},
		},
		{
			"files deleted by a pattern", bash("rm *.txt"),
			[]sayso.Call{bash("rm a.txt"), bash("unlink b.txt"), bash("find . -name '*.txt' -delete"), bash("rm -f ./*.txt")},
			[]sayso.Call{bash("rm a.log"), bash("cat a.txt")},
		},
		{
			"folder deleted", bash("rm -rf src"),
			[]sayso.Call{bash("rm -r src/"), bash("rm src/a.go"), bash("git rm -rf src"), bash("find src -delete"), bash(`python3 -c "import shutil; shutil.rmtree('src')"`), bash("mv src old")},
			[]sayso.Call{bash("rm -rf build"), bash("ls src")},
		},
		{
			"host", bash("curl -d @x https://api.example.com/v1"),
			[]sayso.Call{
				bash("wget https://api.example.com/v2"), fetch("https://api.example.com/x"), bash("nc api.example.com 80"),
				bash("curl https://API.example.com"), bash("sh -c 'curl api.example.com'"), bash("X=api.example.com; curl https://$X/"),
				bash(`python3 -c "import requests; requests.get('https://api.example.com')"`), bash(`node -e "fetch('https://api.example.com')"`), bash("ping -c1 api.example.com"),
			},
			[]sayso.Call{bash("curl https://other.example.com"), fetch("https://example.org/api.example.com")},
		},
		{
			"host of a tool", fetch("https://api.example.com/v1"),
			[]sayso.Call{bash("curl https://api.example.com/v1"), bash("wget -qO- api.example.com")},
			[]sayso.Call{fetch("https://example.org")},
		},
		{
			"push", bash("git push"),
			[]sayso.Call{bash("git -C . push"), bash("sh -c 'git push'"), bash("env GIT_X=1 git push"), bash("git push origin main"), bash("command git push"), bash("git push --force"), bash("/usr/bin/git push"), bash("git -c a.b=c push"), bash("git push -u origin HEAD")},
			[]sayso.Call{bash("git status"), bash("git commit -m 'git push'"), bash("git pull")},
		},
		{
			"push by any way", bash("git push"),
			[]sayso.Call{
				tool("mcp__github__push_files", map[string]any{"owner": "a"}), tool("mcp__forge__create_or_update_file", map[string]any{"path": "x"}), bash("jj git push -b x"),
			},
			[]sayso.Call{tool("mcp__github__get_file_contents", map[string]any{"path": "x"}), tool("mcp__github__create_issue", map[string]any{"title": "x"})},
		},
		{
			"push by a tool", tool("mcp__github__push_files", map[string]any{"owner": "a"}),
			[]sayso.Call{bash("git push"), bash("git push origin main"), tool("mcp__other__create_or_update_file", map[string]any{"path": "x"})},
			[]sayso.Call{bash("git fetch"), bash("gh pr create --fill")},
		},
		{
			"request to merge", bash("gh pr create --title x --body y"),
			[]sayso.Call{tool("mcp__github__create_pull_request", map[string]any{"title": "x"}), bash("glab mr create --fill")},
			[]sayso.Call{tool("mcp__github__list_pull_requests", map[string]any{"owner": "a"}), bash("gh pr view 1")},
		},
		{
			"push of an image", bash("docker push a/b"),
			[]sayso.Call{bash("podman push a/b"), bash("docker image push a/b")},
			[]sayso.Call{bash("podman push c/d"), bash("docker build .")},
		},
		{
			"push of a branch", bash("git push origin main"),
			[]sayso.Call{bash("git push"), bash("git push -f origin main"), tool("mcp__github__push_files", map[string]any{"branch": "main"})},
			[]sayso.Call{bash("git fetch origin main")},
		},
		{
			"push by force", bash("git push --force origin main"),
			[]sayso.Call{bash("git push origin main -f"), bash("git -C . push -f origin main")},
			[]sayso.Call{bash("git push"), bash("git push origin main"), tool("mcp__github__push_files", map[string]any{"branch": "main"})},
		},
		{
			"release", bash("gh release create v1"),
			[]sayso.Call{bash("gh release create v1 --notes x"), bash("GH_TOKEN=x gh release create v1"), bash("gh -R a/b release create v1")},
			[]sayso.Call{bash("gh release list"), bash("gh pr view 1")},
		},
		{
			"publishing", bash("npm publish"),
			[]sayso.Call{bash("npm publish --access public"), bash("cd . && npm publish ."), bash("pnpm publish"), bash("pnpm publish --no-git-checks"), bash("yarn npm publish"), bash("bun publish"), bash("npx lerna publish")},
			[]sayso.Call{bash("npm pack --dry-run"), bash("npm run build")},
		},
		{
			"file outside", bash("echo x > /srv/a"),
			[]sayso.Call{tool("Write", map[string]any{"file_path": "/srv/a", "content": ""}), bash("tee /srv/a < x"), bash("cp x /srv/a"), bash("dd if=x of=/srv/a"), bash("install x /srv/a"), bash("ln -sf x /srv/a"), bash("sed -i s/a/b/ /srv/a")},
			[]sayso.Call{bash("cat /srv/a"), bash("echo x > /srv/b")},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := &store.Memory{}
			authorize(t, engine(m, person(false, "", ""), sayso.Rule{Effect: sayso.Ask, Text: "WebFetch"}), test.denied)
			st, _ := m.Get(t.Context(), "s")
			if len(st.Denied) == 0 {
				t.Fatalf("nothing was denied of %s", test.denied.Input)
			}
			quiet := engine(m, nil)
			for _, call := range test.bound {
				if _, d := authorize(t, quiet, call); d.Code != sayso.CodeDeniedBefore {
					t.Errorf("%s: %s %s, denied was %+v", call.Input, d.Effect, d.Code, st.Denied)
				}
			}
			for _, call := range test.free {
				if _, d := authorize(t, quiet, call); d.Code == sayso.CodeDeniedBefore {
					t.Errorf("%s is bound by %+v", call.Input, st.Denied)
				}
			}
		})
	}
}
