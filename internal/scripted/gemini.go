package scripted

// Google's protocol. Whether a client sends the names of calls back depends on its
// version: where it does not, they are counted.

func (m *Model) readGemini(in object) talk {
	t := talk{model: "gemini"}
	for _, tools := range list(in, "tools") {
		t.tools += len(list(tools, "functionDeclarations"))
	}
	called, told := 0, 0
	for _, c := range list(in, "contents") {
		for _, part := range list(c, "parts") {
			if call, ok := part["functionCall"].(object); ok {
				t.heard(m.nameOf(text(call, "id"), &called), nil)
			}
			if response, ok := part["functionResponse"].(object); ok {
				out, _ := response["response"].(object)
				said, failed := out["error"]
				if !failed {
					said = any(out)
				}
				t.heard(m.nameOf(text(response, "id"), &told), &Result{Text: textOf(said), Failed: failed})
			}
		}
	}
	return t
}

// nameOf is the name that a call was given, and counts it.
func (m *Model) nameOf(id string, n *int) string {
	seen := *n
	*n++
	if _, ok := stepOf(id); ok {
		return id
	}
	for step, calls := range m.steps {
		if seen < len(calls) {
			return callID(step, seen)
		}
		seen -= len(calls)
	}
	return id
}

func plainGemini(t turn) object {
	parts := []any{object{"text": t.text}}
	if len(t.calls) > 0 {
		parts = nil
	}
	for i, c := range t.calls {
		parts = append(parts, object{"functionCall": object{"id": callID(t.id, i), "name": c.Name, "args": c.Input}})
	}
	return object{
		"candidates":    []any{object{"content": object{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
		"modelVersion":  "scripted", "responseId": "1",
	}
}
