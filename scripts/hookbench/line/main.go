// Line is the least that a program can do which an agent waits for: it reads all that
// it is given and prints one line.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		os.Exit(1)
	}
	fmt.Println("read", len(text), "bytes")
}
