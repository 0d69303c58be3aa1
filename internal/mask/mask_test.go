package mask_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sayso-dev/sayso/internal/mask"
)

// made puts a token together, so that none stands in this file.
func made(prefix string, n int) string {
	const letters = "q7Zk2XmB9vTc4RpL8wYd1NsG6hJf3KaE5uQbVxCz0MtPiOrSgWlDyFnHjAeU"
	return prefix + strings.Repeat(letters, 3)[:n]
}

// TestSecrets: the secret is gone, and the text around it is there.
func TestSecrets(t *testing.T) {
	long := made("", 40)
	tests := []struct{ before, secret, after string }{
		{"curl -H 'Authorization: Bearer ", made("", 30), "' https://api.example.com"},
		{"curl -H \"Authorization: Basic ", "dXNlcjpw", "\" https://api.example.com"},
		{"curl -H 'X-Api-Key: ", "hunter2", "' x"},
		{"export GITHUB_TOKEN=", made("ghp_", 36), " && gh pr list"},
		{"echo ", made("AKIA", 16), " >> notes"},
		{"DB_PASSWORD=", "hunter2", " ./migrate"},
		{"DB_PASSWORD='", "correct horse", "' ./migrate"},
		{"mysql --password=", "hunter2", " -e 'select 1'"},
		{"vault login --token ", "abc", " now"},
		{"git clone https://me:", "hunter2", "@git.example.com/a/b.git"},
		{"curl -u me:", "hunter2", " https://example.com"},
		{`{"password": "`, "hunter2", `", "user": "me"}`},
		{"client_secret: ", "hunter2", "\nclient_id: 12"},
		{"a ", long, " b"},
		{"https://hooks.example.com/services/", made("", 24), "?x=1"},
		{"key is ", "eyJ" + made("", 60) + "." + made("", 40) + "." + made("", 43), " ok"},
		{"-----BEGIN OPENSSH PRIVATE KEY-----", "\nAAAA\nBBBB\n", "-----END OPENSSH PRIVATE KEY-----"},
		{"-----BEGIN RSA PRIVATE KEY-----", "\nAAAA BBBB", ""},
		{"slack ", made("xoxb-", 20), ""},
		{"pat=", made("github_pat_", 40), ""},
	}
	for _, tt := range tests {
		got := mask.Text(tt.before + tt.secret + tt.after)
		if strings.Contains(got, strings.TrimSpace(tt.secret)) || !strings.HasPrefix(got, strings.TrimRight(tt.before, "'\"")) || !strings.HasSuffix(got, strings.TrimLeft(tt.after, "'\"")) || !strings.Contains(got, "[masked:") {
			t.Errorf("%s%s%s\nbecomes %s", tt.before, tt.secret, tt.after, got)
		}
		if again := mask.Text(got); again != got {
			t.Errorf("masked again, %s becomes %s", got, again)
		}
	}
}

// TestShortest: no form of a token is shorter than the words that are looked at.
func TestShortest(t *testing.T) {
	if got := mask.ShortestForm(); got < mask.Shortest {
		t.Errorf("a token may have %d bytes, and words are looked at from %d on", got, mask.Shortest)
	}
}

// TestPlain: what is no secret stays as it is.
func TestPlain(t *testing.T) {
	for _, s := range []string{
		"", "git commit -m 'Keep the order of the menu entries when the language changes'",
		"git show 73d3e82aa1f0f6ac1b9a6c2d3e4f5061728394a5", "sha256:" + strings.Repeat("0123456789abcdef", 4),
		"docker login --password-stdin registry.example.com", "curl --cookie-jar cookies.txt https://example.com",
		"export TOKEN=$(cat token)", "curl -H \"Authorization: Bearer $TOKEN\" https://example.com", "PASSWORD=$P ./x",
		"go test ./internal/config -run TestHandlerReturnsErrorWhenBodyTooLarge2x",
		"src/components/very-long-directory-name/another_long_directory_name/index.test.tsx",
		"1c6074aa-b079-418d-921d-6f4b497c0066", "node_modules/.pnpm/react-dom@18.3.1_react@18.3.1/node_modules",
		"grep -rn password src", "max_tokens=4096", "--max-tokens 200", "the token is checked: yes or no", "gs://bucket/path/2026-11-15T10:22:33Z.log",
		"https://example.com:8443/a/b?c=d", "ssh me@example.com", "token_type: bearer", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
		"kubectl get pods -n kube-system -l app.kubernetes.io/name=ingress-nginx",
	} {
		if got := mask.Text(s); got != s {
			t.Errorf("%s\nbecomes %s", s, got)
		}
	}
}

// TestJSON: values of keys that name a secret are masked, others by what they
// hold, and the rest is as it was.
func TestJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"command":"ls -l","n":3,"ok":true,"no":null}`:              `{"command":"ls -l","n":3,"no":null,"ok":true}`,
		`{"password":"hunter2","pin":{"api_key":[1,"two"]}}`:         `{"password":"[masked:7]","pin":{"api_key":["[masked:0]","[masked:3]"]}}`,
		`{"env":{"TOKEN":"$TOKEN","PASSWORD":""}}`:                   `{"env":{"PASSWORD":"","TOKEN":"$TOKEN"}}`,
		`{"command":"PGPASSWORD=x psql","token":{"ok":"DB_PASS=y"}}`: `{"command":"PGPASSWORD=[masked:1] psql","token":{"ok":"DB_PASS=y"}}`,
		`not JSON password=x`:                                        `"not JSON password=[masked:1]"`,
		``:                                                           ``,
	} {
		if got := mask.JSON(json.RawMessage(in)); string(got) != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", in, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("TOKEN=abc curl https://u:p@h/ -u a:b")
	f.Add("-----BEGIN PRIVATE KEY-----\nabc")
	f.Fuzz(func(t *testing.T, s string) {
		once := mask.Text(s)
		if twice := mask.Text(once); len(twice) > 2*len(once)+64 {
			t.Errorf("%q grows to %q", once, twice)
		}
		mask.JSON(json.RawMessage(s))
	})
}
