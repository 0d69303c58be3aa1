//go:build !unix

package config

import "io/fs"

const openFlags = 0

func infoOf(i fs.FileInfo) Info {
	return Info{Mode: i.Mode(), Size: i.Size(), ModTime: i.ModTime(), Owner: -1, Group: -1, Self: -1}
}

func notFolder(error) bool { return false }
