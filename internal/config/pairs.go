package config

import (
	"go.yaml.in/yaml/v3"

	"github.com/sayso-dev/sayso"
)

// Pairs are the keys and values of a mapping in the order in which they stand
// there, for files in which that counts.
type Pairs []Pair

// A Pair is one of them, with where its key stands.
type Pair struct {
	Key, Value string
	Source     sayso.Source
}

func (p *Pairs) read(d *decoder, n *yaml.Node, path string) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		d.want(n, path, "keys and values", "")
		return
	}
	d.pairs(n, func(key string, at mark, val *yaml.Node) {
		if text, ok := d.text(val, join2(path, key)); ok {
			*p = append(*p, Pair{key, text, sayso.Source{File: d.src.name, Line: at.line, Column: at.column}})
		}
	})
}
