package tools

// readTools read files.
var readTools = []row{
	{"Read", Claude | Copilot | VSCode | Cursor | AgentScope, Read, []arg{
		{kRead | must, "file_path path"},
		{kIgnore, "offset limit pages allow_large"},
	}},
	{"read", OpenCode | KodaCode, Read, []arg{
		{kRead | must, "filePath path"},
		{kRead | many | must, "paths"},
		{kIgnore, "offset limit"},
	}},
	{"read_file", Gemini | Codex | Cursor | Cline | VSCode | CoWork, Read, []arg{
		{kRead | must, "file_path path filePath target_file absolute_path"},
		{kNote, "explanation"},
		{kIgnore, "offset limit start_line end_line startLine endLine start_line_one_indexed end_line_one_indexed_inclusive should_read_entire_file mode indentation task_progress wait_for_previous"},
	}},
	{"file_read", KosmoKrator, Read, []arg{{kRead | must, "path"}, {kIgnore, "offset limit"}}},
	{"view", Copilot | Crush, Read, []arg{
		{kRead | must, "path file_path"},
		{kIgnore, "view_range forceReadLargeFiles offset limit"},
	}},
	{"view_file view_code_item view_file_outline", Windsurf | Antigravity, Read, []arg{
		{kRead | must, "AbsolutePath File file_path"},
		{kNote, "toolSummary"},
		{kIgnore, "StartLine EndLine IncludeSummaryOfOtherLines NodePaths ItemOffset toolAction"},
	}},
	{"read_code pre_read_code", Windsurf, Read, []arg{{kRead | must, "file_path"}}},
	{"beforeReadFile", Cursor, Read, []arg{
		{kRead | must, "file_path"},
		{kRead, "attachments[].file_path"},
		{kIgnore, "content attachments[].type"},
	}},
	{"view_image", Codex, Read, []arg{{kRead | must, "path"}, {kIgnore, "detail"}}},
	{"read_files", Cline | CoWork, Read, []arg{
		{kRead | must, "files[].path"},
		{kRead | many, "paths file_paths"},
		{kIgnore, "files[].start_line files[].end_line"},
	}},
	{"read_many_files", Gemini, Read, []arg{
		{kReadGlob | many | must, "include paths"},
		{kIgnore, "exclude recursive useDefaultExcludes file_filtering_options respect_git_ignore"},
	}},
	{"NotebookRead", Claude, Read, []arg{{kRead | must, "notebook_path"}, {kIgnore, "cell_id"}}},
	{"LSP lsp", Claude | OpenCode, Read, []arg{{kRead | must, "filePath"}, {kIgnore, "operation line character query"}}},
	{"get_errors", VSCode, Read, []arg{{kRead | many, "filePaths"}, {kIgnore, "ranges"}}},
	{"read_lints ReadLints", Cursor, Read, []arg{{kRead | many, "paths"}}},
	{"lsp_diagnostics diagnostics lsp_references", Crush, Read, []arg{{kRead, "file_path path"}, {kIgnore, "symbol"}}},
}

// searchTools list names, or search in files. Without a path they look at the
// folder they work in.
var searchTools = []row{
	{"Glob", Claude | Copilot | VSCode | Cursor | AgentScope, List, []arg{
		{kGlob | must, "pattern glob_pattern"},
		{kList, "path target_directory"},
	}},
	{"glob", Gemini | OpenCode | Copilot | Crush | KosmoKrator | KodaCode | CoWork, List, []arg{
		{kGlob | must, "pattern"},
		{kList, "path dir_path"},
		{kList | many, "paths"},
		{kIgnore, "case_sensitive respect_git_ignore respect_gemini_ignore wait_for_previous"},
	}},
	{"LS", Claude, List, []arg{{kList | must, "path"}, {kIgnore, "ignore"}}},
	{"ls list", Crush | OpenCode, List, []arg{{kList, "path"}, {kIgnore, "ignore depth"}}},
	{"list_directory", Gemini | CoWork, List, []arg{
		{kList | must, "dir_path path"},
		{kIgnore, "ignore file_filtering_options respect_git_ignore wait_for_previous"},
	}},
	{"list_dir", Codex | Cursor | VSCode | Windsurf | Antigravity, List, []arg{
		{kList | must, "dir_path target_directory relative_workspace_path DirectoryPath path"},
		{kNote, "explanation toolSummary"},
		{kIgnore, "offset limit depth ignore_globs toolAction"},
	}},
	{"list_files", Cline | CoWork, List, []arg{{kList | must, "path"}, {kIgnore, "recursive task_progress"}}},
	{"list_code_definition_names", Cline, Read, []arg{{kSearch | must, "path"}, {kIgnore, "task_progress"}}},
	{"file_search", Cursor | VSCode, List, []arg{
		{kGlob | must, "query"},
		{kNote, "explanation"},
		{kIgnore, "maxResults"},
	}},
	{"find_by_name", Windsurf | Antigravity, List, []arg{
		{kList | must, "SearchDirectory"},
		{kGlob, "Pattern"},
		{kNote, "toolSummary"},
		{kIgnore, "Extensions Excludes Type FullPath MaxDepth toolAction"},
	}},

	{"Grep", Claude | Copilot | VSCode | Cursor | AgentScope, Grep, []arg{
		{kPattern | must, "pattern"},
		{kSearch, "path"},
		{kFilter, "glob"},
		{kIgnore, "type output_mode -i -n -A -B -C context head_limit offset multiline"},
	}},
	{"grep", OpenCode | Copilot | Crush | KosmoKrator | KodaCode | CoWork, Grep, []arg{
		{kPattern | must, "pattern"},
		{kSearch, "path"},
		{kSearch | many, "paths"},
		{kFilter | many, "include glob"},
		{kIgnore, "type output_mode -i -n -A -B -C head_limit multiline literal_text"},
	}},
	{"grep_search", Gemini | Cursor | VSCode | Windsurf | Antigravity, Grep, []arg{
		{kPattern | must, "pattern query Query"},
		{kSearch, "dir_path path SearchPath"},
		{kNote, "explanation toolSummary"},
		{kFilter | many, "include_pattern includePattern Includes"},
		{kIgnore, "exclude_pattern names_only max_matches_per_file total_max_matches case_sensitive fixed_strings context after before no_ignore isRegexp IsRegex maxResults MatchPerLine CaseInsensitive toolAction wait_for_previous"},
	}},
	{"search_file_content", Gemini, Grep, []arg{
		{kPattern | must, "pattern"},
		{kSearch, "path dir_path"},
		{kFilter, "include"},
	}},
	{"grep_files", Codex, Grep, []arg{{kPattern | must, "pattern"}, {kSearch, "path"}, {kFilter, "include"}, {kIgnore, "limit"}}},
	{"search_files", Cline | CoWork, Grep, []arg{
		{kSearch, "path"},
		{kPattern | must, "regex query pattern"},
		{kFilter, "file_pattern"},
		{kIgnore, "searchType task_progress"},
	}},
	{"codebase_search SemanticSearch semantic_search", Cursor | VSCode | Windsurf | Antigravity, Grep, []arg{
		{kPattern | must, "query Query"},
		{kSearch | many, "target_directories TargetDirectories"},
		{kNote, "explanation toolSummary"},
		{kIgnore, "num_results toolAction"},
	}},
	{"search_codebase", Cline, Grep, []arg{{kPattern | many | must, "queries"}}},
}
