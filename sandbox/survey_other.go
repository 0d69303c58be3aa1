//go:build !linux

package sandbox

import (
	"fmt"
	"io/fs"
	"os"
)

// entries are those of a folder, which must be no link, with their kind.
func entries(dir string, _ []byte, each func(name []byte, kind fs.FileMode)) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no folder", dir)
	}
	list, err := os.ReadDir(dir)
	for _, e := range list {
		each([]byte(e.Name()), e.Type())
	}
	return err
}

// couldLook reports whether there is a folder, which the command may be able to look into.
func couldLook(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir()
}

// isPlace reports whether something holds the place of a path, which is not done here.
func isPlace(string) bool { return false }
