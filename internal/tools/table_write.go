package tools

// writeTools create, change, move and delete files.
var writeTools = []row{
	{"Write", Claude | Copilot | VSCode | Cursor | AgentScope, Write, []arg{
		{kWrite | must, "file_path path"},
		{kText, "content contents"},
	}},
	{"write", OpenCode | Crush | KodaCode, Write, []arg{{kWrite | must, "filePath file_path path"}, {kText, "content"}}},
	{"write_file", Gemini | CoWork, Write, []arg{
		{kWrite | must, "file_path path"},
		{kText, "content"},
		{kIgnore, "wait_for_previous"},
	}},
	{"file_write", KosmoKrator, Write, []arg{{kWrite | must, "path"}, {kText, "content"}}},
	{"create", Copilot, Write, []arg{{kWrite | must, "path"}, {kText, "file_text"}}},
	{"create_file", VSCode | Cursor, Write, []arg{{kWrite | must, "filePath target_file"}, {kText, "content"}}},
	{"write_to_file", Cline | Windsurf | Antigravity, Write, []arg{
		{kWrite | must, "path absolutePath TargetFile"},
		{kText, "content CodeContent"},
		{kNote, "Description toolSummary"},
		{kIgnore, "EmptyFile Overwrite Complexity IsArtifact ArtifactMetadata task_progress toolAction"},
	}},
	{"create_directory", VSCode | CoWork, Write, []arg{{kWrite | must, "dirPath path"}}},

	{"Edit MultiEdit StrReplace search_replace", Claude | Copilot | VSCode | Cursor | AgentScope, Edit, []arg{
		{kWrite | must, "file_path path"},
		{kText, "new_string edits[].new_string"},
		{kIgnore, "old_string replace_all edits[].old_string edits[].replace_all"},
	}},
	// Copilot's permissionRequest shows a diff whose paths have lost their
	// first slash; the path counts.
	{"edit", OpenCode | Copilot | Crush, Edit, []arg{
		{kWrite | must, "filePath path file_path"},
		{kText, "newString new_str new_string diff"},
		{kIgnore, "oldString replaceAll old_str old_string replace_all"},
	}},
	{"multiedit", OpenCode | Crush, Edit, []arg{
		{kWrite | must, "filePath file_path"},
		{kWrite, "edits[].filePath"},
		{kText, "edits[].newString edits[].new_string"},
		{kIgnore, "edits[].oldString edits[].replaceAll edits[].old_string edits[].replace_all"},
	}},
	{"replace", Gemini, Edit, []arg{
		{kWrite | must, "file_path"},
		{kText, "new_string"},
		{kNote, "instruction"},
		{kIgnore, "old_string allow_multiple expected_replacements wait_for_previous"},
	}},
	{"edit_file", CoWork | Cursor, Edit, []arg{
		{kWrite | must, "path target_file file_path"},
		{kNote, "instructions"},
		{kText, "code_edit new_string"},
		{kIgnore, "old_string replace_all"},
	}},
	{"reapply", Cursor, Edit, []arg{{kWrite | must, "target_file"}}},
	{"file_edit", KosmoKrator, Edit, []arg{
		{kWrite | must, "path"},
		{kText, "new_string"},
		{kIgnore, "old_string replace_all"},
	}},
	{"replace_in_file", Cline, Edit, []arg{
		{kWrite | must, "path absolutePath"},
		{kText, "diff"},
		{kIgnore, "task_progress"},
	}},
	{"editor", Cline, Edit, []arg{{kWrite | must, "path"}, {kText, "new_text"}, {kIgnore, "old_text insert_line"}}},
	// Their command is a verb: view, create, str_replace, insert.
	{"str_replace_editor str_replace_based_edit_tool", Copilot | Claude, Edit, []arg{
		{kWrite | must, "path"},
		{kText, "file_text new_str insert_text"},
		{kVerb, "command"},
		{kIgnore, "old_str insert_line view_range"},
	}},
	{"replace_file_content multi_replace_file_content", Windsurf | Antigravity, Edit, []arg{
		{kWrite | must, "TargetFile"},
		{kText, "ReplacementChunks[].ReplacementContent ReplacementContent"},
		{kNote, "Instruction Description toolSummary"},
		{kIgnore, "ReplacementChunks[].TargetContent ReplacementChunks[].AllowMultiple ReplacementChunks[].StartLine ReplacementChunks[].EndLine TargetContent AllowMultiple StartLine EndLine CodeMarkdownLanguage Complexity TargetLintErrorIds toolAction"},
	}},
	{"write_code pre_write_code", Windsurf, Edit, []arg{
		{kWrite | must, "file_path"},
		{kText, "edits[].new_string"},
		{kIgnore, "edits[].old_string"},
	}},
	{"replace_string_in_file", VSCode, Edit, []arg{
		{kWrite | must, "filePath"},
		{kText, "newString"},
		{kNote, "explanation"},
		{kIgnore, "oldString"},
	}},
	{"multi_replace_string_in_file", VSCode, Edit, []arg{
		{kWrite | must, "replacements[].filePath"},
		{kText, "replacements[].newString"},
		{kNote, "explanation"},
		{kIgnore, "replacements[].oldString replacements[].explanation"},
	}},
	{"insert_edit_into_file", VSCode, Edit, []arg{{kWrite | must, "filePath"}, {kText, "code"}, {kNote, "explanation"}}},
	{"editFiles", VSCode, Edit, []arg{{kWrite | many | must, "files"}, {kNote, "explanation"}}},

	{"apply_patch applypatch patch ApplyPatch", Codex | OpenCode | Copilot | VSCode | Cursor | Cline | KosmoKrator, Patch, []arg{
		{kPatch | must, "command patch patchText input"},
		{kWrite, "path"},
		{kNote, "explanation"},
		{kIgnore, "task_progress"},
	}},

	{"NotebookEdit EditNotebook edit_notebook edit_notebook_file", Claude | Copilot | VSCode | Cursor, Notebook, []arg{
		{kWrite | must, "notebook_path target_notebook filePath"},
		{kText, "new_source new_string newCode"},
		{kNote, "explanation"},
		{kIgnore, "old_string cell_id cell_type edit_mode cell_idx is_new_cell cell_language cellId editType language"},
	}},

	{"delete_file Delete", CoWork | Cursor, Delete, []arg{{kDelete | must, "path target_file"}, {kNote, "explanation"}}},
	{"move_file rename_file", CoWork, Move, []arg{
		{kFrom | must, "source sourcePath oldPath"},
		{kTo | must, "destination destPath newPath"},
	}},
	{"copy_file", CoWork, Move, []arg{{kRead | must, "source sourcePath"}, {kWrite | must, "destination destPath"}}},
}
