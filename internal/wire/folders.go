package wire

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/sayso-dev/sayso/internal/jsontext"
)

// FolderTrust is the file in which an agent keeps which folders a person trusts, if it
// runs the hooks that a workspace brings only there; empty: it does not ask for that.
func (a *Agent) FolderTrust(at At) string {
	switch a.Name {
	case "gemini":
		return filepath.Join(at.own("GEMINI_CLI_HOME", ""), ".gemini", "trustedFolders.json")
	case "copilot":
		return filepath.Join(at.own("COPILOT_HOME", ".copilot"), "config.json")
	}
	return ""
}

// FolderTrusted reports whether that file names a folder, or one above it: as a key,
// or in a list.
func FolderTrusted(text []byte, folder string) bool {
	root, err := jsontext.ParseCommented(text)
	if err != nil {
		return false
	}
	var list []string
	for _, m := range root.Members {
		switch {
		case m.Value.Text == "TRUST_FOLDER":
			list = append(list, m.Key)
		case m.Value.Text == "TRUST_PARENT":
			list = append(list, filepath.Dir(m.Key))
		case m.Key == "trusted_folders" || m.Key == "trustedFolders":
			for _, item := range m.Value.Items {
				list = append(list, item.Text)
			}
		}
	}
	return slices.ContainsFunc(list, func(dir string) bool {
		return folder == dir || strings.HasPrefix(folder, strings.TrimSuffix(dir, "/")+"/")
	})
}
