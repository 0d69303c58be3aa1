package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/sayso-dev/sayso"
)

// mostOpen is how many requests may be open.
const mostOpen = 256

// Lines serves a program that has started this one, over its pipes: one message a
// line. It returns when the input ends; what waits for somebody then is withdrawn, and
// what is only to be decided is still told. With answers the program answers what it has asked itself, for its own user.
func (s *Service) Lines(ctx context.Context, in io.Reader, out io.Writer, answers bool) error {
	lasting := ctx // goes on when the input has ended
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	p := &pipe{out: out, open: map[string]context.CancelFunc{}}
	p.client = &client{Service: s, role: Agent, answers: answers, own: map[string]sayso.Request{}, tell: func(e Event) { p.write(e) }}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), maxMessage)
	for ctx.Err() == nil && lines.Scan() {
		if text := bytes.TrimSpace(lines.Bytes()); len(text) > 0 {
			p.take(ctx, lasting, bytes.Clone(text), &work)
		}
	}
	if err := lines.Err(); err != nil && ctx.Err() == nil {
		p.write(response{Error: failure(err)})
		return err
	}
	return nil
}

// A pipe is a client that speaks lines.
type pipe struct {
	*client
	writing sync.Mutex
	out     io.Writer
	opening sync.Mutex
	open    map[string]context.CancelFunc // by id
}

type response struct {
	ID     json.RawMessage `json:"id"`
	Result any             `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

func (p *pipe) write(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		text, _ = json.Marshal(response{Error: failure(err)}) // a text can be written
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	_, _ = p.out.Write(append(text, '\n')) // who does not read gets no answer, and so no permission
}

// take begins with a message. What asks nobody is done in the context that lasts.
func (p *pipe) take(ctx, lasting context.Context, text []byte, work *sync.WaitGroup) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params,omitempty"`
	}
	err := strict(text, &m)
	if err == nil && !isID(m.ID) {
		err = &Error{Usage, "id: want a text or a number"}
	}
	if err != nil {
		p.write(response{ID: idOf(text), Error: failure(err)})
		return
	}
	if m.Method == "cancel" {
		p.cancel(m.ID, m.Params)
		return
	}
	if m.Method == "decide" {
		ctx = lasting
	}
	ctx, cancel := context.WithCancel(ctx)
	if err := p.begin(string(m.ID), cancel); err != nil {
		cancel()
		p.write(response{ID: m.ID, Error: failure(err)})
		return
	}
	work.Go(func() {
		result, err := p.do(ctx, m.Method, m.Params)
		p.opening.Lock()
		delete(p.open, string(m.ID))
		p.opening.Unlock()
		cancel()
		if err != nil {
			p.write(response{ID: m.ID, Error: failure(err)})
			return
		}
		p.write(response{ID: m.ID, Result: result})
	})
}

// isID reports whether a value can be the id of a request: a text or a number.
func isID(id json.RawMessage) bool {
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}

// idOf is the id of a request that is wrong, so that whoever waits for its answer gets
// one; null if it cannot be told.
func idOf(text []byte) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) == nil && isID(fields["id"]) {
		return fields["id"]
	}
	return json.RawMessage("null")
}

// begin keeps how a request is withdrawn.
func (p *pipe) begin(id string, cancel context.CancelFunc) error {
	p.opening.Lock()
	defer p.opening.Unlock()
	if _, twice := p.open[id]; twice {
		return &Error{Usage, "id: a request with this one is open"}
	}
	if len(p.open) >= mostOpen {
		return &Error{Failed, "too many requests are open"}
	}
	p.open[id] = cancel
	return nil
}

// cancel withdraws a request, which is then answered with an error.
func (p *pipe) cancel(id, params json.RawMessage) {
	var which struct {
		ID json.RawMessage `json:"id"`
	}
	err := strict(params, &which)
	if err == nil {
		p.opening.Lock()
		cancel := p.open[string(which.ID)]
		p.opening.Unlock()
		if cancel == nil {
			err = &Error{NotFound, "no such request is open"}
		} else {
			cancel()
		}
	}
	if err != nil {
		p.write(response{ID: id, Error: failure(err)})
		return
	}
	p.write(response{ID: id, Result: struct{}{}})
}

var errBody = errors.New("the message is too long")
