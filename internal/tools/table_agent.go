package tools

// agentTools start and steer agents, and change what they may do.
var agentTools = []row{
	{"Agent Task", Claude | Copilot | VSCode | Cursor, Subagent, []arg{
		{kText, "prompt"},
		{kNote, "description"},
		{kBackground, "run_in_background"},
		{kIgnore, "subagent_type model effort isolation resume name team_name mode readonly max_turns"},
	}},
	{"task", OpenCode | Copilot, Subagent, []arg{
		{kText, "prompt"},
		{kNote, "description"},
		{kAsync, "mode"},
		{kIgnore, "subagent_type agent_type name task_id command model reasoning_effort context_tier"},
	}},
	{"agent", Crush, Subagent, []arg{{kText, "prompt"}}},
	{"subagent", KosmoKrator, Subagent, []arg{{kText, "task"}, {kAsync, "mode"}, {kIgnore, "type id"}}},
	{"invoke_agent", Gemini, Subagent, []arg{{kText, "prompt"}, {kIgnore, "agent_name wait_for_previous"}}},
	{"codebase_investigator", Gemini, Subagent, []arg{{kText, "objective"}}},
	{"runSubagent", VSCode, Subagent, []arg{{kText, "prompt"}, {kNote, "description"}, {kIgnore, "agentName"}}},
	{"new_task use_subagents search_subagent", Cline, Subagent, []arg{
		{kText, "context prompt prompt_1 prompt_2 prompt_3 prompt_4 prompt_5"},
		{kIgnore, "task_progress"},
	}},
	// Codex joins the name space and the name without anything between.
	{"spawn_agent followup_task send_message send_input resume_agent interrupt_agent close_agent wait_agent " +
		"collaborationspawn_agent collaborationfollowup_task collaborationsend_message collaborationinterrupt_agent " +
		"collaborationwait_agent collaborationlist_agents", Codex, Subagent, []arg{
		{kText, "message"},
		{kMillis, "timeout_ms"},
		{kIgnore, "items target targets id ids task_name agent_type model reasoning_effort fork_turns fork_context interrupt path_prefix"},
	}},
	{"list_agents read_agent write_agent", Codex | Copilot, Subagent, []arg{
		{kText, "message"},
		{kSeconds, "timeout"},
		{kIgnore, "path_prefix agent_id agent_ids scope wait since_turn include_completed"},
	}},
	{"SendMessage ListAgents AgentOutputTool TeamCreate TeamDelete", Claude, Subagent, []arg{
		{kText, "message"},
		{kNote, "description"},
		{kIgnore, "to summary notify_when_idle channel q agentId block team_name"},
	}},
	{"CronCreate CronDelete CronList ScheduleWakeup RemoteTrigger", Claude, Subagent, []arg{
		{kText, "prompt"},
		{kNote, "reason"},
		{kIgnore, "cron recurring durable id delaySeconds stop noop"},
	}},

	{"EnterPlanMode ExitPlanMode", Claude, Mode, []arg{
		{kText, "plan"},
		{kRead, "planFilePath"},
		{kIgnore, "allowedPrompts"},
	}},
	{"enter_plan_mode exit_plan_mode", Gemini | Copilot, Mode, []arg{
		{kNote, "reason"},
		{kRead, "plan_filename plan_path"},
		{kText, "summary"},
		{kIgnore, "wait_for_previous"},
	}},
	{"plan_enter plan_exit", OpenCode, Mode, nil},
	{"SwitchMode", Cursor, Mode, []arg{{kNote, "explanation"}, {kIgnore, "target_mode_id"}}},
	{"EnterWorktree ExitWorktree", Claude, Mode, []arg{{kDir, "path"}, {kIgnore, "name action discard_changes"}}},
	{"request_permissions", Codex, Mode, []arg{
		{kEscalate | must, "permissions"},
		{kNote, "reason"},
		{kIgnore, "environment_id"},
	}},

	{"Skill skill activate_skill use_skill skills", Claude | Copilot | VSCode | OpenCode | Gemini | Cline, Skill, []arg{
		{kText, "args"},
		{kIgnore, "skill name skill_name task_progress wait_for_previous"},
	}},
	{"SlashCommand", Claude, Skill, []arg{{kText, "command"}}},
}

// talkTools stay between the agent and its user.
var talkTools = []row{
	{"TodoWrite TodoRead TaskCreate TaskGet TaskList TaskUpdate", Claude | Copilot | VSCode | Cursor, Task, []arg{
		{kText, "subject"},
		{kNote, "description"},
		{kIgnore, "todos merge activeForm metadata taskId status owner addBlocks addBlockedBy"},
	}},
	{"todowrite todoread", OpenCode, Task, []arg{{kIgnore, "todos"}}},
	{"todos", Crush, Task, []arg{{kIgnore, "todos"}}},
	{"todo_write", Cursor, Task, []arg{{kIgnore, "todos merge"}}},
	{"manage_todo_list", VSCode, Task, []arg{{kNote, "explanation"}, {kIgnore, "todoList operation"}}},
	{"write_todos update_topic complete_task tracker_create_task tracker_update_task tracker_get_task tracker_list_tasks " +
		"tracker_add_dependency tracker_visualize", Gemini, Task, []arg{
		{kText, "summary result"},
		{kNote, "strategic_intent description"},
		{kIgnore, "todos title id taskId dependencyId type status parentId dependencies wait_for_previous"},
	}},
	{"update_plan get_goal create_goal update_goal", Codex, Task, []arg{
		{kNote, "explanation"},
		{kText, "objective"},
		{kIgnore, "plan token_budget status"},
	}},
	{"task_create task_update task_list task_get", KosmoKrator, Task, []arg{
		{kText, "subject"},
		{kNote, "description"},
		{kIgnore, "id status tasks active_form parent_id"},
	}},
	{"focus_chain summarize_task condense", Cline, Task, []arg{{kText, "context"}, {kIgnore, "task_progress"}}},
	{"report_intent update_todo", Copilot, Task, []arg{{kNote, "intent"}, {kIgnore, "todos"}}},
	{"task_boundary", Antigravity, Task, []arg{
		{kText, "TaskSummary"},
		{kIgnore, "TaskName Mode TaskStatus PredictedTaskSize"},
	}},
	{"ReportFindings", Claude, Task, []arg{{kIgnore, "findings level"}}},

	{"memory_save memory_search", KosmoKrator, Memory, []arg{
		{kText, "content"},
		{kPattern, "query"},
		{kIgnore, "type title id scope class limit"},
	}},
	{"save_memory", Gemini, Memory, []arg{{kText, "fact"}, {kIgnore, "scope"}}},
	{"store_memory", Copilot, Memory, []arg{{kText, "fact"}, {kNote, "reason"}, {kIgnore, "subject citations category"}}},
	{"create_memory", Windsurf, Memory, []arg{
		{kText, "Content"},
		{kNote, "toolSummary"},
		{kIgnore, "Action Id Title Tags CorpusNames UserTriggered"},
	}},
	{"update_memory", Cursor, Memory, []arg{
		{kText, "knowledge_to_store"},
		{kIgnore, "action existing_knowledge_id title"},
	}},

	{"AskUserQuestion", Claude | Copilot | VSCode, Question, []arg{{kIgnore, "questions answers metadata"}}},
	{"SendUserMessage", Claude, Question, []arg{{kText, "message"}, {kRead | many, "attachments"}, {kIgnore, "status"}}},
	{"ask_user ask_choice", KosmoKrator | Gemini | Copilot | Crush, Question, []arg{
		{kText, "question"},
		{kIgnore, "questions choices options allow_freeform wait_for_previous"},
	}},
	{"request_user_input request_user_input_async", Codex, Question, []arg{{kIgnore, "questions"}}},
	{"question", OpenCode, Question, []arg{{kIgnore, "questions"}}},
	{"AskQuestion", Cursor, Question, []arg{{kIgnore, "questions title"}}},
	{"ask_followup_question ask_question plan_mode_respond act_mode_respond", Cline, Question, []arg{
		{kText, "question response"},
		{kIgnore, "options needs_more_exploration task_progress"},
	}},
	// Its command is run to show the result.
	{"attempt_completion submit_and_exit", Cline, Question, []arg{
		{kText, "result summary"},
		{kCommand, "command"},
		{kIgnore, "verified task_progress"},
	}},
	{"notify_user", Antigravity, Question, []arg{
		{kText, "Message"},
		{kRead | many, "PathsToReview"},
		{kIgnore, "BlockedOnUser ConfidenceScore ConfidenceJustification ShouldAutoProceed"},
	}},

	{"lua_list_docs lua_search_docs lua_read_doc", KosmoKrator, Docs, []arg{
		{kPattern, "query"},
		{kIgnore, "name page namespace limit"},
	}},
	{"get_internal_docs", Gemini, Docs, []arg{{kIgnore, "path wait_for_previous"}}},
	{"fetch_copilot_cli_documentation", Copilot, Docs, nil},
	{"crush_info crush_logs", Crush, Docs, []arg{{kIgnore, "lines"}}},
}
