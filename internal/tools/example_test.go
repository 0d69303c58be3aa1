package tools_test

import (
	"fmt"

	"github.com/sayso-dev/sayso/internal/tools"
)

func ExampleLookup() {
	s, ok := tools.Lookup("Write")
	in, err := s.Read([]byte(`{"file_path": "/etc/hosts", "content": "x"}`))
	fmt.Println(s.Class, ok, in.Paths, err)

	_, err = s.Read([]byte(`{"file_path": "a", "File_Path": "/etc/hosts"}`))
	fmt.Println(err)
	// Output:
	// write true [{/etc/hosts writes }] <nil>
	// tool input: key "File_Path": given twice, or in another case
}
