package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/sayso-dev/sayso"
)

// A Stamp tells whether a file has changed since it was read.
type Stamp struct {
	Layer   sayso.Layer
	File    string
	Missing bool
	Size    int64
	ModTime time.Time
	Inode   uint64   // 0 where there are none
	Sum     [32]byte // SHA-256 of what was read
}

// Hash identifies what the policy was made from: the files that were read, and the
// preset.
func (p *Policy) Hash() string {
	text := fmt.Appendf(nil, "%q\n", p.Preset)
	for _, s := range p.Sources {
		if !s.Missing {
			text = fmt.Appendf(text, "%s %q %x\n", s.Layer, s.File, s.Sum)
		}
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
