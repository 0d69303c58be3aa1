package config

import (
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
