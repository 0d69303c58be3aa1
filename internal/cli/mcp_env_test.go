package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMCPEnvironment: who configures a gateway does not get other code into a server
// that is trusted: neither by a variable, nor by a program in the workspace.
func TestMCPEnvironment(t *testing.T) {
	t.Parallel()
	d := newMCPDesk(t, "allow: [\"mcp(mail/*)\"]\n")
	evil := filepath.Join(d.root, "evil.sh")
	d.write(evil, "touch "+d.file+".evil\n")
	shell := []string{"bash", "-c", "exec mcpserver " + d.file}
	d.must(append([]string{"sayso", "trust", "add", "--server", "mail", "--"}, shell...)...)
	plain := d.env
	d.env = append(plain, "BASH_ENV="+evil)
	gateway := append([]string{"--name", "mail", "--"}, shell...)
	c, errs, err := d.connect(nil, gateway...)
	if err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	if got := d.call(c, "send"); !strings.HasPrefix(got, "done") || !strings.Contains(errs.String(), "does not get BASH_ENV") {
		t.Errorf("got %s\n%s", got, errs)
	}
	if _, err := os.Stat(d.file + ".evil"); err == nil {
		t.Error("other code was run")
	}
	named := append([]string{"--name", "mail", "--env", "BASH_ENV", "--"}, shell...)
	if _, _, err := d.connect(nil, named...); err == nil || !strings.Contains(err.Error(), "--env BASH_ENV -- bash") {
		t.Errorf("with the variable it is trusted as well: %v", err)
	}
	d.env = plain
	d.must(append([]string{"sayso", "trust", "add", "--server", "mail", "--env", "BASH_ENV", "--"}, shell...)...)
	d.env = append(plain, "BASH_ENV="+evil)
	d.client(nil, named...)
	if _, err := os.Stat(d.file + ".evil"); err != nil {
		t.Error("a variable that is named does not count")
	}
	// what the server starts is not looked for in the workspace, and neither is it
	bin := filepath.Join(d.root, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	d.write(filepath.Join(bin, "bash"), "#!/bin/sh\nexec mcpserver "+d.file+"\n")
	if err := os.Chmod(filepath.Join(bin, "bash"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.env = append(plain, "PATH="+bin+":.:"+os.Getenv("PATH"))
	show := []string{"/bin/sh", "-c", "echo $PATH >" + d.file + ".path; exec mcpserver " + d.file}
	d.must(append([]string{"sayso", "trust", "add", "--server", "show", "--"}, show...)...)
	d.client(nil, append([]string{"--name", "show", "--"}, show...)...)
	if text, err := os.ReadFile(d.file + ".path"); err != nil || strings.TrimSpace(string(text)) != os.Getenv("PATH") {
		t.Errorf("the server looks in %s, %v", text, err)
	}
	d.must(append([]string{"sayso", "trust", "add", "--server", "mail", "--"}, shell...)...)
	if _, _, err := d.connect(nil, gateway...); err == nil || !strings.Contains(err.Error(), "bash is found in the workspace") {
		t.Errorf("a program of the workspace: %v", err)
	}
}
