package script

import (
	"strings"

	"go.starlark.net/starlark"
)

// A use is a call of a function or method that comes with the language.
type use struct {
	recv   starlark.Value // of a method; nil for a function
	args   starlark.Tuple
	kwargs []starlark.Tuple
}

// A price pays for a use before it happens.
type price func(m *meter, u use) error

// all returns everything that the use has to do with.
func (u use) all() []starlark.Value {
	values := append([]starlark.Value{}, u.args...)
	if u.recv != nil {
		values = append(values, u.recv)
	}
	for _, pair := range u.kwargs {
		values = append(values, pair[1])
	}
	return values
}

// text returns an argument that is a string, or an empty one.
func (u use) text(i int) string {
	if i >= len(u.args) {
		return ""
	}
	s, _ := starlark.AsString(u.args[i])
	return s
}

// free is for what takes the same time whatever it is given.
func free(m *meter, _ use) error { return m.look(sizeValue) }

// looks is for what reads its values, and makes nothing large.
func looks(m *meter, u use) error {
	n, err := m.size(u.all()...)
	if err != nil {
		return err
	}
	return m.look(n)
}

// copies is for what makes something of the size of its values; and, because
// that is on the safe side, for all that has no price of its own.
func copies(m *meter, u use) error {
	n, err := m.size(u.all()...)
	if err != nil {
		return err
	}
	return m.make(n)
}

// adds is for what puts its arguments into a list, a dictionary or a set, and may
// hash them.
func adds(m *meter, u use) error {
	n, err := m.size(u.args...)
	if err != nil {
		return err
	}
	if err := m.look(n); err != nil {
		return err
	}
	return m.make(sizeEntry)
}

// shifts is for what moves the items of a list.
func shifts(m *meter, u use) error {
	if err := m.look(sizeValue * starlark.Len(u.recv)); err != nil {
		return err
	}
	return adds(m, u)
}

// extends is for what adds all of its argument to a list, dictionary or set.
func extends(m *meter, u use) error { return copies(m, use{args: u.args, kwargs: u.kwargs}) }

// lists is for what makes a list of the entries of a dictionary.
func lists(m *meter, u use) error { return m.make(sizeEntry * (1 + starlark.Len(u.recv))) }

// cuts is for a piece of something: that of a text shares its memory.
func cuts(m *meter, u use) error {
	switch u.args[0].(type) {
	case starlark.String, starlark.Bytes:
		return free(m, u)
	}
	return copies(m, u)
}

// splits is for what cuts a text into pieces, which share its memory.
func splits(m *meter, u use) error {
	s, _ := starlark.AsString(u.recv)
	if err := m.look(len(s)); err != nil {
		return err
	}
	pieces := len(s)/2 + 1 // at blanks
	if sep := u.text(0); sep != "" {
		pieces = strings.Count(s, sep) + 1
	}
	return m.make(2 * sizeValue * pieces)
}

func splitsLines(m *meter, u use) error {
	s, _ := starlark.AsString(u.recv)
	if err := m.look(len(s)); err != nil {
		return err
	}
	return m.make(2 * sizeValue * (strings.Count(s, "\n") + 1))
}

// replaces is for text in which each occurrence of one becomes another.
func replaces(m *meter, u use) error {
	if err := looks(m, u); err != nil {
		return err
	}
	s, _ := starlark.AsString(u.recv)
	return m.make(len(s) + strings.Count(s, u.text(0))*len(u.text(1)))
}

// joins is for text with another between its pieces.
func joins(m *meter, u use) error {
	if err := copies(m, u); err != nil {
		return err
	}
	s, _ := starlark.AsString(u.recv)
	return m.times(len(s), u.args...)
}

// tells is for messages of several values with a text between them.
func tells(m *meter, u use) error {
	if err := copies(m, u); err != nil {
		return err
	}
	most := 0
	for _, pair := range u.kwargs {
		s, _ := starlark.AsString(pair[1])
		most = max(most, len(s))
	}
	return m.times(most, u.args...)
}

// times pays for a text of so many bytes for each item of the values.
func (m *meter) times(length int, values ...starlark.Value) error {
	n, err := m.size(values...)
	if err != nil {
		return err
	}
	items := n/sizeValue + 1 // at most
	if length > m.memory/items {
		return errMemory
	}
	return m.make(length * items)
}

// formats is for text with places in it, each of which may show everything.
func formats(m *meter, u use) error {
	s, _ := starlark.AsString(u.recv)
	rest := u
	rest.recv = nil
	n, err := m.size(rest.all()...)
	if err != nil {
		return err
	}
	places := strings.Count(s, "{") + strings.Count(s, "%")
	if places > 0 && n > m.memory/places {
		return errMemory
	}
	return m.make(len(s) + n*places)
}

// reads is for the number that a text stands for, which takes the square of its
// length.
func reads(m *meter, u use) error {
	n := len(u.text(0))
	if n > 1<<12 {
		return errWork
	}
	return looks(m, u)
}

// prices of functions by their name, and of methods by the type and the name.
var prices = map[string]price{
	"abs": free, "bool": free, "chr": free, "hasattr": free, "len": free, "range": free, "type": free, "dir": free, "fail": tells, "print": tells,
	"all": looks, "any": looks, "float": reads, "hash": looks, "int": reads, "max": looks, "min": looks, "ord": looks,

	"dict.clear": free, "dict.get": adds, "dict.items": lists, "dict.keys": lists, "dict.pop": adds, "dict.popitem": free,
	"dict.setdefault": adds, "dict.update": extends, "dict.values": lists,

	"list.append": adds, "list.clear": free, "list.extend": extends, "list.index": looks, "list.insert": shifts, "list.pop": shifts, "list.remove": looks,

	"set.add": adds, "set.clear": free, "set.discard": adds, "set.issubset": looks, "set.issuperset": looks, "set.pop": free, "set.remove": adds, "set.update": extends,

	"string.count": looks, "string.elems": free, "string.elem_ords": free, "string.codepoints": free, "string.codepoint_ords": free, "bytes.elems": free,
	"string.endswith": looks, "string.find": looks, "string.index": looks, "string.isalnum": looks, "string.isalpha": looks, "string.isdigit": looks,
	"string.islower": looks, "string.isspace": looks, "string.istitle": looks, "string.isupper": looks, "string.lstrip": looks, "string.partition": looks,
	"string.removeprefix": looks, "string.removesuffix": looks, "string.rfind": looks, "string.rindex": looks, "string.rpartition": looks,
	"string.rstrip": looks, "string.startswith": looks, "string.strip": looks,

	"string.format": formats, "string.join": joins, "string.replace": replaces,
	"string.rsplit": splits, "string.split": splits, "string.splitlines": splitsLines,
}

// metered returns a function of the language that pays before it runs.
func metered(b *starlark.Builtin) *starlark.Builtin {
	key := b.Name()
	if recv := b.Receiver(); recv != nil {
		key = recv.Type() + "." + key
	}
	pay, ok := prices[key]
	if !ok {
		pay = copies
	}
	return starlark.NewBuiltin(b.Name(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := pay(meterOf(t), use{b.Receiver(), args, kwargs}); err != nil {
			return nil, err
		}
		return b.CallInternal(t, args, kwargs)
	})
}
