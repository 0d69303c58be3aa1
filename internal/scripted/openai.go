package scripted

// OpenAI's two protocols: responses, and the older chat completions.

func readResponses(in object) talk {
	t := talk{model: text(in, "model"), tools: len(list(in, "tools"))}
	t.stream, _ = in["stream"].(bool)
	for _, item := range list(in, "input") {
		switch text(item, "type") {
		case "function_call", "custom_tool_call":
			t.heard(text(item, "call_id"), nil)
		case "function_call_output", "custom_tool_call_output":
			t.heard(text(item, "call_id"), &Result{Text: textOf(item["output"])})
		case "additional_tools": // of the mode in which the model writes code
			t.tools += len(list(item, "tools"))
		}
	}
	return t
}

func plainResponses(t turn) object {
	var output []any
	for i, c := range t.calls {
		item := object{"type": "function_call", "id": "fc_" + callID(t.id, i), "call_id": callID(t.id, i), "status": "completed", "name": c.Name}
		if raw, ok := c.Input.(string); ok {
			item["type"], item["input"] = "custom_tool_call", raw
		} else {
			item["arguments"] = jsonText(c.Input)
		}
		if c.Namespace != "" {
			item["namespace"] = c.Namespace
		}
		output = append(output, item)
	}
	if output == nil {
		output = []any{object{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": []any{object{"type": "output_text", "text": t.text, "annotations": []any{}}}}}
	}
	return object{
		"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": t.model, "output": output,
		"error": nil, "incomplete_details": nil, "instructions": nil, "metadata": object{}, "parallel_tool_calls": true,
		"temperature": 1, "tool_choice": "auto", "tools": []any{}, "top_p": 1,
		"usage": object{
			"input_tokens": 10, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": 10, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 20,
		},
	}
}

func streamResponses(s stream, t turn) {
	whole, n := plainResponses(t), 0
	event := func(name string, fields object) {
		s.send(name, with(fields, object{"type": name, "sequence_number": n}))
		n++
	}
	begun := with(whole, object{"status": "in_progress", "output": []any{}, "usage": nil})
	event("response.created", object{"response": begun})
	event("response.in_progress", object{"response": begun})
	for i, one := range whole["output"].([]any) {
		item := one.(object)
		at := object{"item_id": item["id"], "output_index": i}
		switch item["type"] {
		case "function_call":
			event("response.output_item.added", object{"output_index": i, "item": with(item, object{"status": "in_progress", "arguments": ""})})
			event("response.function_call_arguments.delta", with(at, object{"delta": item["arguments"]}))
			event("response.function_call_arguments.done", with(at, object{"arguments": item["arguments"]}))
		case "custom_tool_call":
			event("response.output_item.added", object{"output_index": i, "item": with(item, object{"status": "in_progress", "input": ""})})
			event("response.custom_tool_call_input.delta", with(at, object{"delta": item["input"]}))
			event("response.custom_tool_call_input.done", with(at, object{"input": item["input"]}))
		default:
			part := item["content"].([]any)[0].(object)
			at["content_index"] = 0
			event("response.output_item.added", object{"output_index": i, "item": with(item, object{"status": "in_progress", "content": []any{}})})
			event("response.content_part.added", with(at, object{"part": with(part, object{"text": ""})}))
			event("response.output_text.delta", with(at, object{"delta": part["text"]}))
			event("response.output_text.done", with(at, object{"text": part["text"]}))
			event("response.content_part.done", with(at, object{"part": part}))
		}
		event("response.output_item.done", object{"output_index": i, "item": item})
	}
	event("response.completed", object{"response": whole})
}

func readChat(in object) talk {
	t := talk{model: text(in, "model"), tools: len(list(in, "tools"))}
	t.stream, _ = in["stream"].(bool)
	for _, m := range list(in, "messages") {
		for _, call := range list(m, "tool_calls") {
			t.heard(text(call, "id"), nil)
		}
		if text(m, "role") == "tool" {
			t.heard(text(m, "tool_call_id"), &Result{Text: textOf(m["content"])})
		}
	}
	return t
}

func chatMessage(t turn) (message object, finish string) {
	if len(t.calls) == 0 {
		return object{"role": "assistant", "content": t.text}, "stop"
	}
	var calls []any
	for i, c := range t.calls {
		calls = append(calls, object{"index": i, "id": callID(t.id, i), "type": "function", "function": object{"name": c.Name, "arguments": jsonText(c.Input)}})
	}
	return object{"role": "assistant", "tool_calls": calls}, "tool_calls"
}

var chatUsage = object{"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}

func plainChat(t turn) object {
	message, finish := chatMessage(t)
	return object{
		"id": "chat-1", "created": 1, "model": t.model, "object": "chat.completion", "usage": chatUsage,
		"choices": []any{object{"index": 0, "message": message, "finish_reason": finish}},
	}
}

func streamChat(s stream, t turn) {
	message, finish := chatMessage(t)
	chunk := func(delta object, end any) object {
		return object{
			"id": "chat-1", "created": 1, "model": t.model, "object": "chat.completion.chunk",
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": end}},
		}
	}
	s.send("", chunk(message, nil))
	s.send("", chunk(object{}, finish))
	s.send("", with(chunk(nil, nil), object{"choices": []any{}, "usage": chatUsage}))
	s.raw("", "[DONE]")
}
