package tools

// shellTools run commands, or deal with commands that run.
var shellTools = []row{
	{"Bash PowerShell", Claude | Codex | Copilot | VSCode | AgentScope, Shell, []arg{
		{kCommand | must, "command"},
		{kNote, "description"},
		{kMillis, "timeout"},
		{kBackground, "run_in_background"},
		{kEscalate, "dangerouslyDisableSandbox"},
	}},
	{"bash", OpenCode | Copilot | Crush | KosmoKrator | KodaCode, Shell, []arg{
		{kCommand | must, "command cmd"},
		{kNote, "description"},
		{kMillis, "timeout"},
		{kDir, "workdir working_dir cwd"},
		{kBackground, "run_in_background async detach"},
		{kAsync, "mode"},
		{kIgnore, "auto_background_after shellId sessionId initial_wait"},
	}},
	{"powershell", Copilot, Shell, []arg{
		{kCommand | must, "command"},
		{kNote, "description"},
		{kAsync, "mode"},
		{kBackground, "detach"},
		{kIgnore, "shellId initial_wait"},
	}},
	{"shell container.exec local_shell shell_command", Codex, Shell, []arg{
		{kArgv | must, "command"},
		{kDir, "workdir working_directory"},
		{kMillis, "timeout_ms timeout"},
		{kNote, "justification"},
		{kSandbox, "sandbox_permissions"},
		{kEscalate, "with_escalated_permissions additional_permissions"},
		{kIgnore, "login prefix_rule"},
	}},
	{"exec_command", Codex, Shell, []arg{
		{kCommand | must, "cmd"},
		{kDir, "workdir"},
		{kRun, "shell"},
		{kNote, "justification"},
		{kSandbox, "sandbox_permissions"},
		{kEscalate, "additional_permissions"},
		{kIgnore, "login tty yield_time_ms max_output_tokens prefix_rule"},
	}},
	{"run_shell_command", Gemini, Shell, []arg{
		{kCommand | must, "command"},
		{kNote, "description"},
		{kDir, "dir_path directory"},
		{kBackground, "is_background"},
		{kEscalate, "additional_permissions"},
		{kIgnore, "delay_ms wait_for_previous"},
	}},
	{"Shell run_terminal_cmd beforeShellExecution", Cursor, Shell, []arg{
		{kCommand | must, "command"},
		{kNote, "description explanation"},
		{kDir, "working_directory cwd"},
		{kMillis, "timeout"},
		{kBackground, "is_background"},
		{kEscalate, "required_permissions"},
		{kIgnore, "block_until_ms require_user_approval sandbox"},
	}},
	{"execute_command", Cline, Shell, []arg{
		{kCommand | must, "command"},
		{kSeconds, "timeout"},
		{kIgnore, "requires_approval task_progress"},
	}},
	{"run_commands", Cline, Shell, []arg{{kCommand | many | must, "commands"}}},
	{"run_command pre_run_command", Cosmo | CoWork | Windsurf | Antigravity, Shell, []arg{
		{kCommand | must, "command command_line CommandLine"},
		{kArgs, "args"},
		{kDir, "cwd Cwd"},
		{kMillis, "timeout"},
		{kNote, "description toolSummary"},
		{kIgnore, "Blocking WaitMsBeforeAsync SafeToAutoRun toolAction"},
	}},
	{"run_in_terminal runInTerminal runTerminalCommand", VSCode, Shell, []arg{
		{kCommand | must, "command"},
		{kNote, "explanation"},
		{kBackground, "isBackground"},
		{kAsync, "mode"},
		{kMillis, "timeout"},
		{kIgnore, "goal"},
	}},
	{"shell_start", KosmoKrator, Shell, []arg{
		{kCommand | must, "command"},
		{kDir, "cwd"},
		{kIgnore, "session_id timeout"},
	}},
	{"Monitor", Claude, Shell, []arg{
		{kCommand, "command"},
		{kNote, "description"},
		{kMillis, "timeout_ms"},
		{kBackground, "persistent"},
		{kURL, "ws.url"},
		{kIgnore, "ws.protocols"},
	}},

	// What is typed into a running shell is a command.
	{"shell_write", KosmoKrator, Background, []arg{{kTyped | must, "input text"}, {kIgnore, "session_id"}}},
	{"write_stdin", Codex, Background, []arg{{kTyped, "chars"}, {kIgnore, "session_id yield_time_ms max_output_tokens"}}},
	{"write_bash write_powershell", Copilot, Background, []arg{{kTyped | must, "input"}, {kIgnore, "shellId delay"}}},
	{"send_command_input", Antigravity, Background, []arg{
		{kTyped, "Input"},
		{kNote, "toolSummary"},
		{kIgnore, "CommandId Terminate WaitMs SafeToAutoRun toolAction"},
	}},
	{"shell_read shell_kill", KosmoKrator, Background, []arg{{kIgnore, "session_id"}}},
	{"read_bash stop_bash list_bash read_powershell stop_powershell list_powershell", Copilot, Background, []arg{
		{kIgnore, "shellId delay"},
	}},
	{"BashOutput KillShell KillBash TaskOutput TaskStop", Claude, Background, []arg{
		{kMillis, "timeout"},
		{kIgnore, "bash_id shell_id task_id filter block"},
	}},
	{"list_background_processes read_background_output", Gemini, Background, []arg{
		{kIgnore, "pid lines delay_ms wait_for_previous"},
	}},
	{"job_output job_kill", Crush, Background, []arg{{kIgnore, "shell_id wait"}}},
	{"command_status read_terminal", Windsurf | Antigravity, Background, []arg{
		{kNote, "toolSummary"},
		{kIgnore, "CommandId OutputCharacterCount OutputPriority WaitDurationSeconds ProcessID Name toolAction"},
	}},
	{"get_terminal_output terminal_last_command terminal_selection", VSCode, Background, []arg{{kIgnore, "id"}}},
	{"wait clocksleep", Codex, Background, []arg{{kIgnore, "cell_id max_tokens terminate yield_time_ms duration_ms"}}},

	// Code that the agent runs in an interpreter of its own.
	{"execute_lua", KosmoKrator, Code, []arg{{kText | must, "code"}, {kIgnore, "options"}}},
	{"exec js_repl", Codex, Code, []arg{{kText, "code input"}}},
	{"REPL", Claude, Code, []arg{{kText | must, "code"}, {kNote, "description"}}},
	{"Workflow", Claude, Code, []arg{
		{kText, "script"},
		{kRead, "scriptPath"},
		{kNote, "description"},
		{kIgnore, "name title args resumeFromRunId"},
	}},
	{"sql session_store_sql", Copilot, Code, []arg{{kText | must, "query"}, {kNote, "description"}, {kIgnore, "source"}}},
	{"run_notebook_cell", VSCode, Code, []arg{
		{kRead | must, "filePath"},
		{kNote, "reason"},
		{kIgnore, "cellId continueOnError"},
	}},
}
