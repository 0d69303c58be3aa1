package mcpgate_test

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
)

// idIn is the id of a message in a line, as it is written.
func idIn(line string) string {
	_, rest, _ := strings.Cut(line, `"id":`)
	id, _, _ := strings.Cut(rest, ",")
	return id
}

// TestTasks: a call that goes on as a task is recorded when its result is fetched, or
// when it is cancelled, or when nobody can fetch it any more; its progress is told
// meanwhile.
func TestTasks(t *testing.T) {
	r := newRig(t)
	r.raw(func(in *bufio.Scanner, out io.Writer) {
		in.Scan()
		fmt.Fprintln(out, welcomed)
		answer := func(line, result string) {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", idIn(line), result)
		}
		for n := 0; in.Scan(); {
			switch line := in.Text(); {
			case strings.Contains(line, "tools/list"):
				answer(line, `{"tools":[{"name":"long","inputSchema":{}}]}`)
			case strings.Contains(line, "tools/call"):
				n++
				answer(line, fmt.Sprintf(`{"task":{"taskId":"T%d","status":"working"}}`, n))
				fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"message":"on"}}`)
			case strings.Contains(line, "tasks/result"):
				answer(line, `{"content":[{"type":"text","text":"the result"}]}`)
			case strings.Contains(line, "tasks/"):
				answer(line, `{"taskId":"T2","status":"cancelled"}`)
			}
		}
	})
	c := r.lines()
	c.greet()
	for i := range 3 {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1%d,"method":"tools/call","params":{"name":"long","task":{"ttl":1000},"_meta":{"progressToken":"p"}}}`, i))
		c.until(fmt.Sprintf(`"id":1%d`, i))
		c.until(`"message":"on"`)
	}
	noted := func() string {
		r.mu.Lock()
		defer r.mu.Unlock()
		out := ""
		for _, n := range r.notes {
			out += n.Note + n.Result.Error + ";"
		}
		return out
	}
	if got := noted(); got != "" {
		t.Errorf("recorded before they end: %s", got)
	}
	for i, method := range []string{"tasks/get", "tasks/result", "tasks/result", "tasks/cancel"} {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2%d,"method":"%s","params":{"taskId":"T%d"}}`, i, method, max(1, i-1)))
		c.until(fmt.Sprintf(`"id":2%d`, i))
	}
	if got := noted(); got != "the result;it was cancelled;" {
		t.Errorf("recorded %s", got)
	}
	c.end()
	if got := noted(); got != "the result;it was cancelled;nobody has fetched its result;" {
		t.Errorf("recorded %s", got)
	}
}

// TestNames: a tool whose name people cannot read as it is, is none.
func TestNames(t *testing.T) {
	r := newRig(t)
	names := []string{`ok`, `with space`, `ümlaut`, `two\nlines`, `tab\t`, `\u0000`, `\u001b[2J`, `\u202eback`, `no\u00a0break`, `wide\u3000`, `\ufffd`, `zero\u200bwidth`, ``, strings.Repeat("x", 257)}
	r.raw(func(in *bufio.Scanner, out io.Writer) {
		in.Scan()
		fmt.Fprintln(out, welcomed)
		for in.Scan() {
			if line := in.Text(); strings.Contains(line, "tools/list") {
				list := ""
				for _, name := range names {
					list += `{"name":"` + name + `","inputSchema":{}},`
				}
				fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s],"Tools":[{"name":"other"}]}}`+"\n", idIn(line), strings.TrimSuffix(list, ","))
			}
		}
	})
	c := r.lines()
	c.greet()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	got := c.until(`"id":1`)
	for i, name := range names {
		if listed := strings.Contains(got, `"name":"`+name+`"`); listed != (i < 3) {
			t.Errorf("%q is listed: %v", name, listed)
		}
	}
	for i, name := range append(names[3:], "other") {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"c%d","method":"tools/call","params":{"name":"%s"}}`, i, name))
		if got := c.until(fmt.Sprintf(`"id":"c%d"`, i)); !strings.Contains(got, "lists no tool") && !strings.Contains(got, "names no tool") {
			t.Errorf("%q is called: %s", name, got)
		}
	}
	if len(r.decided) > 0 {
		t.Errorf("decided %+v", r.decided)
	}
}
