// Floor is all that a program must do which answers JSON: what a hook is measured
// against.
package main

import (
	"encoding/json"
	"io"
	"os"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	var event map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(text, &event)
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(map[string]int{"keys": len(event)})
	}
	if err != nil {
		os.Exit(1)
	}
}
