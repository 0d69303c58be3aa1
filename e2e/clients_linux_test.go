package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/scripted"
)

// A client is a coding agent: how it is set up to talk to the scripted model, and how
// it is started without a person.
type client struct {
	name    string
	prepare func(*scene)
	argv    func(*scene) []string
	env     func(*scene) []string
	shell   func(command string) scripted.Call
	create  func(s *scene, name, text string) scripted.Call
	read    func(s *scene, name string) scripted.Call
	tool    func(name string, input object) scripted.Call // of the MCP server files
}

const key = "made-up-for-tests"

const prompt = "please do the task"

type object = map[string]any

func all() []client { return []client{claude, codex, gemini, opencode, copilot} }

// chosen are the clients of the flag.
func chosen(t *testing.T) []client {
	t.Helper()
	var out []client
	for _, c := range all() {
		if *clients == "all" || strings.Contains(","+*clients+",", ","+c.name+",") {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		t.Fatalf("-clients %s: none of the clients has that name", *clients)
	}
	return out
}

// installed is a file of an installed client.
func installed(s *scene, name, pattern string) string {
	s.t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		s.t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(cache, "sayso-clients", name, "node_modules", strings.ReplaceAll(pattern, "$ARCH", map[string]string{"amd64": "x64"}[runtime.GOARCH])))
	if err != nil || len(found) == 0 {
		s.t.Fatalf("%s is not installed (%v); scripts/clients %s installs it", name, err, name)
	}
	return found[0]
}

var claude = client{
	name: "claude",
	prepare: func(s *scene) {
		s.writeJSON("servers.json", object{"mcpServers": s.servers(func(argv []string) any { return object{"command": argv[0], "args": argv[1:]} })})
	},
	argv: func(s *scene) []string {
		return []string{
			installed(s, "claude", "@anthropic-ai/claude-code-linux-$ARCH/claude"), "-p", prompt, "--output-format", "json", "--allowedTools", "Bash,Write,Edit,Read,mcp__files",
			"--mcp-config", s.dir + "/servers.json", "--strict-mcp-config",
		}
	},
	env: func(s *scene) []string {
		return []string{
			"ANTHROPIC_BASE_URL=" + s.model.URL, "ANTHROPIC_API_KEY=" + key, "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "ENABLE_TOOL_SEARCH=0",
		}
	},
	shell: func(command string) scripted.Call {
		return scripted.Call{Name: "Bash", Input: object{"command": command, "description": "do it"}}
	},
	create: func(s *scene, name, text string) scripted.Call {
		return scripted.Call{Name: "Write", Input: object{"file_path": s.repo + "/" + name, "content": text}}
	},
	read: func(s *scene, name string) scripted.Call {
		return scripted.Call{Name: "Read", Input: object{"file_path": s.repo + "/" + name}}
	},
	tool: func(name string, input object) scripted.Call {
		return scripted.Call{Name: "mcp__files__" + name, Input: input}
	},
}

var codex = client{
	name: "codex",
	prepare: func(s *scene) {
		s.write("home/.codex/config.toml", strings.NewReplacer("URL", s.model.URL, "REPO", s.repo).Replace(`model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "URL/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[projects."REPO"]
trust_level = "trusted"

[features]
plugins = false
apps = false
plugin_discovery_prefetch = false
daemon_auto_start = false
`)+s.codexServers())
	},
	argv: func(s *scene) []string {
		return []string{installed(s, "codex", "@openai/codex-linux-$ARCH/vendor/*/bin/codex"), "exec", "--json", "--skip-git-repo-check", prompt}
	},
	env: func(*scene) []string { return []string{"SCRIPTED_KEY=" + key} },
	shell: func(command string) scripted.Call {
		return scripted.Call{Name: "exec_command", Input: object{"cmd": command}}
	},
	create: func(_ *scene, name, text string) scripted.Call {
		return scripted.Call{Name: "apply_patch", Input: "*** Begin Patch\n*** Add File: " + name + "\n+" + strings.TrimSuffix(text, "\n") + "\n*** End Patch\n"}
	},
	read: func(_ *scene, name string) scripted.Call {
		return scripted.Call{Name: "exec_command", Input: object{"cmd": "cat " + name}}
	},
	tool: func(name string, input object) scripted.Call {
		return scripted.Call{Namespace: "mcp__files", Name: name, Input: input}
	},
}

// codexServers are the MCP servers as Codex has them.
func (s *scene) codexServers() string {
	out := ""
	for name, argv := range s.mcp {
		out += fmt.Sprintf("\n[mcp_servers.%s]\ncommand = %q\nargs = [", name, argv[0])
		for _, a := range argv[1:] {
			out += fmt.Sprintf("%q, ", a)
		}
		out += "]\n"
	}
	return out
}

var gemini = client{
	name: "gemini",
	prepare: func(s *scene) {
		s.writeJSON("home/.gemini/settings.json", object{
			"security":  object{"auth": object{"selectedType": "gemini-api-key"}, "folderTrust": object{"enabled": false}},
			"general":   object{"disableAutoUpdate": true, "enableAutoUpdate": false, "enableAutoUpdateNotification": false},
			"privacy":   object{"usageStatisticsEnabled": false},
			"telemetry": object{"enabled": false}, "ide": object{"enabled": false},
			"mcpServers": s.servers(func(argv []string) any { return object{"command": argv[0], "args": argv[1:]} }),
		})
	},
	argv: func(s *scene) []string {
		return []string{"node", installed(s, "gemini", "@google/gemini-cli/bundle/gemini.js"), "-m", "gemini-2.5-pro", "-p", prompt, "-o", "json", "--skip-trust", "--approval-mode", "yolo"}
	},
	env: func(s *scene) []string {
		return []string{"GEMINI_API_KEY=" + key, "GOOGLE_GEMINI_BASE_URL=" + s.model.URL, "GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_TELEMETRY_ENABLED=false"}
	},
	shell: func(command string) scripted.Call {
		return scripted.Call{Name: "run_shell_command", Input: object{"command": command, "description": "do it"}}
	},
	create: func(s *scene, name, text string) scripted.Call {
		return scripted.Call{Name: "write_file", Input: object{"file_path": s.repo + "/" + name, "content": text}}
	},
	read: func(s *scene, name string) scripted.Call {
		return scripted.Call{Name: "read_file", Input: object{"file_path": s.repo + "/" + name}}
	},
	tool: func(name string, input object) scripted.Call {
		return scripted.Call{Name: "mcp_files_" + name, Input: input}
	},
}

var opencode = client{
	name: "opencode",
	prepare: func(s *scene) {
		s.writeJSON("home/.config/opencode/opencode.json", object{
			"$schema": "https://opencode.ai/config.json", "autoupdate": false, "share": "disabled", "model": "scripted/m", "small_model": "scripted/m",
			"provider": object{"scripted": object{
				"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": object{"baseURL": s.model.URL + "/v1", "apiKey": key},
				"models": object{"m": object{"name": "m", "tool_call": true, "limit": object{"context": 200000, "output": 8000}}},
			}},
			"permission": object{"*": "allow"},
			"mcp":        s.servers(func(argv []string) any { return object{"type": "local", "command": argv, "enabled": true} }),
		})
		// without a network it would wait for a package that it thinks it needs, unless a
		// lock file names it
		needs := object{"dependencies": object{"@opencode-ai/plugin": "0.0.0"}}
		s.writeJSON("home/.config/opencode/package.json", needs)
		s.writeJSON("home/.config/opencode/package-lock.json", object{"lockfileVersion": 3, "packages": object{"": needs}})
		if err := os.MkdirAll(s.home+"/.config/opencode/node_modules", 0o700); err != nil {
			s.t.Fatal(err)
		}
	},
	argv: func(s *scene) []string {
		return []string{installed(s, "opencode", "opencode-linux-$ARCH/bin/opencode"), "run", "--format", "json", "--title", "t", prompt}
	},
	env: func(*scene) []string {
		return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"}
	},
	shell: func(command string) scripted.Call {
		return scripted.Call{Name: "bash", Input: object{"command": command, "description": "do it"}}
	},
	create: func(s *scene, name, text string) scripted.Call {
		return scripted.Call{Name: "write", Input: object{"filePath": s.repo + "/" + name, "content": text}}
	},
	read: func(s *scene, name string) scripted.Call {
		return scripted.Call{Name: "read", Input: object{"filePath": s.repo + "/" + name}}
	},
	tool: func(name string, input object) scripted.Call {
		return scripted.Call{Name: "files_" + name, Input: input}
	},
}

var copilot = client{
	name: "copilot",
	prepare: func(s *scene) {
		s.writeJSON("home/.copilot/config.json", object{"trusted_folders": []string{s.repo}, "trustedFolders": []string{s.repo}, "banner": "never"})
		s.writeJSON("home/.copilot/mcp-config.json", object{"mcpServers": s.servers(func(argv []string) any {
			return object{"type": "local", "command": argv[0], "args": argv[1:], "tools": []string{"*"}}
		})})
	},
	argv: func(s *scene) []string {
		return []string{installed(s, "copilot", "@github/copilot-linux-$ARCH/copilot"), "-p", prompt, "--no-auto-update", "--disable-builtin-mcps", "--no-color", "--output-format", "json", "--allow-all-tools"}
	},
	env: func(s *scene) []string {
		return []string{
			"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_MODEL=claude-sonnet-4.5",
			"COPILOT_PROVIDER_TYPE=anthropic", "COPILOT_PROVIDER_BASE_URL=" + s.model.URL, "COPILOT_PROVIDER_API_KEY=" + key,
		}
	},
	shell: func(command string) scripted.Call {
		return scripted.Call{Name: "bash", Input: object{"command": command, "description": "do it"}}
	},
	create: func(s *scene, name, text string) scripted.Call {
		return scripted.Call{Name: "create", Input: object{"path": s.repo + "/" + name, "file_text": text}}
	},
	read: func(s *scene, name string) scripted.Call {
		return scripted.Call{Name: "view", Input: object{"path": s.repo + "/" + name}}
	},
	tool: func(name string, input object) scripted.Call {
		return scripted.Call{Name: "files-" + name, Input: input}
	},
}
