package manage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/sayso-dev/sayso"
	"github.com/sayso-dev/sayso/internal/local"
)

// To trust a workspace is to trust its policy files as they are: each is kept
// under its own name, with the hash of its text. The workspace itself, which has
// no name, stands for the person's word that they know it.
const ofFile = "file:"

// PolicyFiles are the files in a workspace that may loosen once it is trusted.
var PolicyFiles = local.PolicyFiles

// FileTrust is trust in a policy file of a workspace, as it is.
func FileTrust(root, file string, text []byte) sayso.Trust {
	if rel, err := filepath.Rel(root, file); err == nil && filepath.IsAbs(file) {
		file = rel
	}
	sum := sha256.Sum256(text)
	return sayso.Trust{Root: root, Name: ofFile + filepath.ToSlash(file), Fingerprint: hex.EncodeToString(sum[:])}
}

// IsFile reports whether the trust is in a policy file, and which.
func IsFile(t sayso.Trust) (string, bool) { return strings.CutPrefix(t.Name, ofFile) }

// TrustsFile reports whether a person trusts a workspace with a policy file as it
// is. What cannot be read is not trusted.
func TrustsFile(ctx context.Context, kept sayso.TrustStore, root, file string, text []byte) bool {
	t := FileTrust(root, file, text)
	known, err := kept.Trusted(ctx, root, "", "")
	if err != nil || !known {
		return false
	}
	same, err := kept.Trusted(ctx, root, t.Name, t.Fingerprint)
	return err == nil && same
}
