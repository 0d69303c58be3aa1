package preset

// The lists that KosmoKrator's document has as its default configuration.
var (
	kosmoSafeTools = []string{
		"file_read", "glob", "grep",
		"task_create", "task_update", "task_list", "task_get",
		"shell_read", "shell_kill",
		"memory_save", "memory_search",
		"ask_user", "ask_choice", "subagent",
		"lua_list_docs", "lua_search_docs", "lua_read_doc",
	}
	kosmoApprovalRequired = []string{"file_write", "file_edit", "apply_patch", "bash", "shell_start", "shell_write", "execute_lua"}
	kosmoBlockedPaths     = []string{"*.env", ".git/*", "*.pem", "*id_rsa*", "*id_ed25519*", "*.key"}
	kosmoAllowedPaths     = []string{"~/.kosmokrator", "/tmp"}
	kosmoBlockedCommands  = []string{"rm -rf /"}
	kosmoSafeCommands     = []string{
		"git *",
		"ls *", "cat *", "head *", "tail *", "wc *",
		"pwd", "which *", "find *",
		"echo *", "diff *",
		"php vendor/bin/phpunit*", "php vendor/bin/pint*", "composer *",
		"npm *", "npx *", "node *",
		"python *", "cargo *", "go *", "make *",
	}
)

// kosmoUserFile is the user's configuration, below the home folder.
const kosmoUserFile = ".kosmokrator/config.yaml"

// The lists that cannot be configured.
var (
	// kosmoShellTools take a command line; what is typed into a shell is one.
	kosmoShellTools = []string{"bash", "shell_start", "shell_write"}

	// kosmoFileTools are those that the project boundary is about.
	kosmoFileTools = []string{"file_write", "file_edit", "file_read", "glob", "grep"}

	// kosmoProjectWrites are approved by Guardian inside the project.
	kosmoProjectWrites = []string{"file_write", "file_edit"}

	// kosmoAlwaysSafe are approved by Guardian, whatever their arguments are.
	kosmoAlwaysSafe = []string{
		"file_read", "glob", "grep",
		"task_create", "task_update", "task_list", "task_get",
		"shell_read", "shell_kill",
		"memory_save", "memory_search",
		"lua_list_docs", "lua_search_docs", "lua_read_doc",
		"execute_lua",
	}

	// kosmoReading are the tools that neither write files nor execute
	// anything: what is left to an agent that plans or answers.
	kosmoReading = []string{
		"file_read", "glob", "grep",
		"task_create", "task_update", "task_list", "task_get",
		"shell_read", "shell_kill",
		"memory_save", "memory_search",
		"ask_user", "ask_choice", "subagent",
		"lua_list_docs", "lua_search_docs", "lua_read_doc",
	}

	// kosmoMetacharacters make a command risky wherever they stand in it. A
	// carriage return ends a line that is typed into a shell.
	kosmoMetacharacters = ";&|`$><\n\r"

	// kosmoRisky are commands that a wide safe pattern such as git * does not
	// cover; one that begins with the same words does.
	kosmoRisky = []string{"git push", "git reset --hard"}

	// kosmoMutativePrograms count as mutative whatever they are told to do:
	// containers and the management of processes.
	kosmoMutativePrograms = []string{
		"docker", "docker-compose", "podman", "podman-compose", "nerdctl", "buildah", "crictl", "ctr", "lxc", "incus",
		"kubectl", "oc", "k3s", "k9s", "helm", "minikube", "kind",
		"kill", "killall", "pkill", "xkill", "skill", "fuser",
	}
)
