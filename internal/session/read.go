package session

import (
	"fmt"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/plainjson"
)

// What sessions leave behind in nearly every turn is read by hand, for the reason for
// which it is written so.

// A waits are the calls that wait for an answer, as they stand in the file. Most of them
// have one, later in the file: only the others are worth reading.
type waits map[string]plainjson.Value

// note takes over what a line says of the calls that wait.
func (all *waits) note(v plainjson.Value) error {
	err := eachField(v, func(id string, v plainjson.Value) error {
		switch {
		case v.Null():
			delete(*all, id)
		case *all == nil:
			*all = waits{id: v}
		default:
			(*all)[id] = v
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("it is damaged: waiting: %w", err)
	}
	return nil
}

// read reads those that are left.
func (all waits) read() (map[string]sayso.Waiting, error) {
	if len(all) == 0 {
		return nil, nil
	}
	out := make(map[string]sayso.Waiting, len(all))
	for id, v := range all {
		one, err := readWaiting(v)
		if err != nil {
			return nil, fmt.Errorf("it is damaged: waiting: %w", err)
		}
		out[id] = one
	}
	return out, nil
}

func readWaiting(v plainjson.Value) (w sayso.Waiting, err error) {
	err = eachField(v, func(key string, v plainjson.Value) (err error) {
		switch key {
		case "denials":
			w.Denials, err = readList(v, readDenial)
		case "stops":
			w.Stops, err = v.Bool()
		case "left":
			err = readLeft(v, &w.Left)
		}
		return err
	})
	return w, err
}

func readLeft(v plainjson.Value, left *sayso.Left) error {
	return eachField(v, func(key string, v plainjson.Value) (err error) {
		switch key {
		case "secret":
			left.Secret, err = v.Text()
		case "written":
			left.Written, err = readList(v, plainjson.Value.Text)
		case "copies":
			left.Copies, err = readList(v, readCopy)
		}
		return err
	})
}

func readCopy(v plainjson.Value) (c sayso.Copy, err error) {
	err = eachField(v, func(key string, v plainjson.Value) (err error) {
		switch key {
		case "from":
			c.From, err = v.Text()
		case "to":
			c.To, err = v.Text()
		}
		return err
	})
	return c, err
}

func readDenial(v plainjson.Value) (d sayso.Denial, err error) {
	err = eachField(v, func(key string, v plainjson.Value) (err error) {
		switch key {
		case "rule":
			d.Rule, err = v.Text()
		case "package":
			d.Package, err = v.Text()
		case "turn":
			d.Turn, err = v.Int()
		case "text":
			d.Text, err = v.Text()
		}
		return err
	})
	return d, err
}

func eachField(v plainjson.Value, do func(key string, v plainjson.Value) error) error {
	fields, err := v.Fields()
	for i := 0; err == nil && i < len(fields); i++ {
		err = do(fields[i].Key, fields[i].Value)
	}
	return err
}

func readList[T any](v plainjson.Value, read func(plainjson.Value) (T, error)) ([]T, error) {
	items, err := v.Items()
	var out []T
	for i := 0; err == nil && i < len(items); i++ {
		var one T
		one, err = read(items[i])
		out = append(out, one)
	}
	return out, err
}

// readWritten reads the files that a session has written.
func readWritten(v plainjson.Value) (map[string]int, error) {
	out := map[string]int{}
	return out, eachField(v, func(name string, v plainjson.Value) (err error) {
		out[name], err = v.Int()
		return err
	})
}
