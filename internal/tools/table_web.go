package tools

// webTools reach other machines.
var webTools = []row{
	{"WebFetch", Claude | Copilot | VSCode, Fetch, []arg{{kURL | must, "url"}, {kIgnore, "prompt offset"}}},
	{"webfetch", OpenCode, Fetch, []arg{{kURL | must, "url"}, {kSeconds, "timeout"}, {kIgnore, "format"}}},
	// Gemini puts the URLs into the prompt.
	{"web_fetch", Gemini | Copilot | Crush | Cline | KodaCode | CoWork, Fetch, []arg{
		{kURL | must, "url"},
		{kProse | must, "prompt"},
		{kIgnore, "max_length start_index raw task_progress wait_for_previous"},
	}},
	{"fetch", Crush, Fetch, []arg{{kURL | must, "url"}, {kSeconds, "timeout"}, {kIgnore, "format"}}},
	{"agentic_fetch", Crush, Fetch, []arg{{kURL, "url"}, {kProse, "prompt"}}},
	{"download", Crush, Fetch, []arg{{kURL | must, "url"}, {kWrite | must, "file_path"}, {kSeconds, "timeout"}}},
	{"fetch_webpage", VSCode, Fetch, []arg{{kURL | many | must, "urls"}, {kIgnore, "query"}}},
	{"fetch_web_content", Cline, Fetch, []arg{{kURL | must, "requests[].url"}, {kIgnore, "requests[].prompt"}}},
	{"read_url_content browser_preview open_browser_url", Windsurf | Antigravity, Fetch, []arg{
		{kURL | must, "Url"},
		{kNote, "toolSummary"},
		{kIgnore, "Name toolAction"},
	}},
	{"open_simple_browser", VSCode, Fetch, []arg{{kURL | must, "url"}}},
	{"open_url", CoWork, Fetch, []arg{{kURL | must, "url"}}},
	{"browser_action", Cline, Fetch, []arg{{kURL, "url"}, {kText, "text"}, {kIgnore, "action coordinate task_progress"}}},

	{"WebSearch", Claude | Copilot | VSCode, WebSearch, []arg{
		{kPattern | must, "query"},
		{kIgnore, "allowed_domains blocked_domains"},
	}},
	{"google_web_search", Gemini, WebSearch, []arg{{kPattern | must, "query"}, {kIgnore, "wait_for_previous"}}},
	{"websearch codesearch", OpenCode, WebSearch, []arg{
		{kPattern | must, "query"},
		{kIgnore, "numResults livecrawl type contextMaxCharacters tokensNum"},
	}},
	{"web_search", Codex | Copilot | Cursor | Crush | Cline | CoWork, WebSearch, []arg{
		{kPattern | must, "query search_term"},
		{kNote, "explanation"},
		{kIgnore, "max_results allowed_domains blocked_domains task_progress"},
	}},
	{"search_web", Windsurf | Antigravity, WebSearch, []arg{
		{kPattern | must, "query"},
		{kNote, "toolSummary"},
		{kIgnore, "domain toolAction"},
	}},
	{"sourcegraph", Crush, WebSearch, []arg{
		{kPattern | must, "query"},
		{kSeconds, "timeout"},
		{kIgnore, "count context_window"},
	}},

	{"gmail_action google_drive_action calendar_action apple_calendar_action mailbox_action notion_action box_action " +
		"onedrive_action dropbox_action sharepoint_action x_action", CoWork, External, nil},
	{"PushNotification", Claude, External, []arg{{kText, "message"}, {kIgnore, "status"}}},
	{"SendUserFile", Claude, External, []arg{{kRead | many | must, "files"}, {kNote, "caption"}, {kIgnore, "status"}}},
}

// mcpTools are the agents' own tools for MCP; the tools of the servers have
// names of their own, which MCP takes apart.
var mcpTools = []row{
	{"use_mcp_tool mcp_tool_use pre_mcp_tool_use CallMcpTool", Cline | Windsurf | Cursor, MCPTool, []arg{
		{kServer | must, "server_name mcp_server_name server"},
		{kTool | must, "tool_name mcp_tool_name toolName"},
		{kLoose, "arguments mcp_tool_arguments"},
		{kIgnore, "task_progress"},
	}},
	// Its command starts the server, and is not what the call does.
	{"beforeMCPExecution", Cursor, MCPTool, []arg{
		{kTool | must, "tool_name"},
		{kLoose, "tool_input"},
		{kIgnore, "command url"},
	}},
	{"access_mcp_resource ReadMcpResourceTool read_mcp_resource FetchMcpResource", Claude | Codex | Gemini | Cline | Cursor | Crush, MCPTool, []arg{
		{kServer, "server_name server mcp_name"},
		{kURL | must, "uri"},
		{kWrite, "downloadPath"},
		{kIgnore, "task_progress"},
	}},
	{"ListMcpResourcesTool list_mcp_resources list_mcp_resource_templates ListMcpResources", Claude | Codex | Gemini | Cursor | Crush, MCPTool, []arg{
		{kServer, "server serverName mcp_name"},
		{kIgnore, "cursor"},
	}},
	{"ToolSearch tool_search", Claude | Codex, Docs, []arg{{kPattern, "query"}, {kIgnore, "max_results limit"}}},
	{"load_mcp_documentation", Cline, Docs, nil},
}
