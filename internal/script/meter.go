package script

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// Limits of a script. A script that needs more than one of them fails, and so
// asks.
const (
	MaxSource = 64 << 10  // bytes of a script
	MaxCall   = 4 << 20   // bytes of the call that it is given
	maxSteps  = 200_000   // steps of one decision
	maxMemory = 32 << 20  // bytes that it makes in one decision, about
	maxWork   = 256 << 20 // bytes that it looks at in one decision
	maxDepth  = 100       // levels of lists in lists
)

var (
	errMemory = fmt.Errorf("it needs more than %d MiB of memory", maxMemory>>20)
	errWork   = errors.New("it looks at too much")
	errDeep   = fmt.Errorf("a value is nested more than %d levels deep", maxDepth)
	errSteps  = fmt.Sprintf("it takes more than %d steps", maxSteps)
)

// A meter is the budget of one decision, and what the script has said in it.
type meter struct {
	work, memory int // what is left
	said         *verdict
}

const meterKey = "meter"

// newThread returns a thread with a budget of its own.
func newThread(name string) (*starlark.Thread, *meter) {
	m := &meter{work: maxWork, memory: maxMemory}
	t := &starlark.Thread{Name: name, Print: func(*starlark.Thread, string) {}}
	t.SetMaxExecutionSteps(maxSteps)
	t.OnMaxSteps = func(t *starlark.Thread) { t.Cancel(errSteps) }
	t.SetLocal(meterKey, m)
	return t, m
}

func meterOf(t *starlark.Thread) *meter { return t.Local(meterKey).(*meter) }

// look pays for looking at so many bytes.
func (m *meter) look(n int) error {
	if n < 0 || n > m.work {
		m.work = 0
		return errWork
	}
	m.work -= n
	return nil
}

// make pays for a value of so many bytes.
func (m *meter) make(n int) error {
	if n < 0 || n > m.memory {
		m.memory = 0
		return errMemory
	}
	m.memory -= n
	return m.look(n)
}

// The sizes of values, in bytes, about.
const (
	sizeValue = 16 // in a list, or alone
	sizeEntry = 96 // of a dictionary or a set
)

// size returns about how many bytes values take, counting those that they hold as
// often as they are held: that is what comparing or printing them comes to. It
// does not count further than the budget goes.
func (m *meter) size(values ...starlark.Value) (int, error) {
	s := sizer{left: m.work}
	for _, v := range values {
		if err := s.add(v, 0); err != nil {
			m.work = 0
			return 0, err
		}
	}
	return m.work - s.left, nil
}

type sizer struct{ left int }

func (s *sizer) take(n int) error {
	if n < 0 || n > s.left {
		return errWork
	}
	s.left -= n
	return nil
}

func (s *sizer) add(v starlark.Value, depth int) error {
	if depth > maxDepth {
		return errDeep
	}
	switch v := v.(type) {
	case starlark.String:
		return s.take(sizeValue + len(v))
	case starlark.Bytes:
		return s.take(sizeValue + len(v))
	case starlark.Int:
		if _, small := v.Int64(); small {
			return s.take(sizeValue)
		}
		return s.take(sizeValue + v.BigInt().BitLen()/8)
	case *starlark.Dict:
		return s.addDict(v, depth)
	case *starlarkstruct.Struct:
		for _, name := range v.AttrNames() {
			field, err := v.Attr(name)
			if err == nil {
				err = s.add(field, depth+1)
			}
			if err != nil {
				return err
			}
		}
		return s.take(sizeEntry)
	case starlark.Indexable: // lists, tuples, ranges
		return s.addAll(v, depth)
	case starlark.Iterable:
		return s.iterate(v, depth)
	}
	return s.take(sizeValue)
}

func (s *sizer) addDict(d *starlark.Dict, depth int) error {
	if err := s.take(sizeValue + sizeEntry*d.Len()); err != nil {
		return err
	}
	for k, v := range d.Entries() {
		if err := s.add(k, depth+1); err != nil {
			return err
		}
		if err := s.add(v, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (s *sizer) addAll(list starlark.Indexable, depth int) error {
	n := list.Len()
	if n > s.left/sizeValue {
		return errWork
	}
	if err := s.take(sizeValue + sizeValue*n); err != nil {
		return err
	}
	switch list.(type) {
	case *starlark.List, starlark.Tuple:
	default:
		return nil // what they hold is small
	}
	for i := range n {
		if err := s.add(list.Index(i), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// iterate counts a set, or what goes through the letters of a text.
func (s *sizer) iterate(v starlark.Iterable, depth int) error {
	it := v.Iterate()
	defer it.Done()
	for x := starlark.Value(nil); it.Next(&x); {
		if err := s.take(sizeEntry); err != nil {
			return err
		}
		if err := s.add(x, depth+1); err != nil {
			return err
		}
	}
	return nil
}
