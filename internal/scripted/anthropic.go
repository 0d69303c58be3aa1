package scripted

// Anthropic's messages.

func readAnthropic(in object) talk {
	t := talk{model: text(in, "model"), tools: len(list(in, "tools"))}
	t.stream, _ = in["stream"].(bool)
	for _, m := range list(in, "messages") {
		for _, part := range list(m, "content") {
			switch text(part, "type") {
			case "tool_use":
				t.heard(text(part, "id"), nil)
			case "tool_result":
				failed, _ := part["is_error"].(bool)
				t.heard(text(part, "tool_use_id"), &Result{Text: textOf(part["content"]), Failed: failed})
			}
		}
	}
	return t
}

func plainAnthropic(t turn) object {
	content, stop := []any{object{"type": "text", "text": t.text}}, "end_turn"
	if len(t.calls) > 0 {
		content, stop = nil, "tool_use"
	}
	for i, c := range t.calls {
		content = append(content, object{"type": "tool_use", "id": "toolu_" + callID(t.id, i), "name": c.Name, "input": c.Input})
	}
	return object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": t.model, "content": content,
		"stop_reason": stop, "stop_sequence": nil, "usage": object{"input_tokens": 10, "output_tokens": 10},
	}
}

func streamAnthropic(s stream, t turn) {
	whole := plainAnthropic(t)
	event := func(name string, fields object) { s.send(name, with(fields, object{"type": name})) }
	event("message_start", object{"message": with(whole, object{"content": []any{}, "stop_reason": nil})})
	for i, part := range whole["content"].([]any) {
		block := part.(object)
		first, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": block["text"]}
		if block["type"] == "tool_use" {
			first, delta = with(block, object{"input": object{}}), object{"type": "input_json_delta", "partial_json": jsonText(block["input"])}
		}
		event("content_block_start", object{"index": i, "content_block": first})
		event("content_block_delta", object{"index": i, "delta": delta})
		event("content_block_stop", object{"index": i})
	}
	event("message_delta", object{"delta": object{"stop_reason": whole["stop_reason"], "stop_sequence": nil}, "usage": object{"output_tokens": 10}})
	event("message_stop", object{})
}
