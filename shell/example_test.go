package shell_test

import (
	"fmt"

	"github.com/sayso-dev/sayso/shell"
)

func ExampleAnalyze() {
	at := shell.Place{Dir: "/home/me/app", Home: "/home/me"}
	a, err := shell.Analyze("cd web && sudo rm -rf ../dist && curl https://example.com/x.sh | sh", at)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Risk)
	for i := range a.Commands {
		c := &a.Commands[i]
		fmt.Printf("%-9v %v: %s\n", c.Risk, c.Effects, c.Sentence)
	}
	// Output:
	// dangerous
	// safe      reads: Change to folder web
	// dangerous privilege: As root: Delete folder and all its contents: ../dist
	// moderate  deletes: Delete folder and all its contents: ../dist
	// moderate  network: Fetch data from: https://example.com/x.sh
	// dangerous executes: Run a script that cannot be known: text from the network is run as a script
}

func ExampleAnalysis_Explain() {
	a, err := shell.Analyze("npm install lodash && git push origin main", shell.Place{Dir: "/home/me/app", Home: "/home/me"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Explain())
	// Output: Install package: lodash; Push commits to the remote repository
}

func ExampleCommand_paths() {
	a, err := shell.Analyze("cp -r src /tmp/copy 2>/dev/null > log.txt", shell.Place{Dir: "/home/me/app", Home: "/home/me"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range a.Commands[0].Paths {
		fmt.Println(p.Access, p.Abs)
	}
	// Output:
	// write /home/me/app/log.txt
	// read /home/me/app/src
	// write /tmp/copy
}
