package mask

import "strings"

// A form is how the tokens of a service look: a prefix, and how many characters
// follow at least.
type form struct {
	prefix string
	least  int
}

// forms are the tokens that are known by their prefix.
var forms = [...]form{
	{"AKIA", 16},
	{"ASIA", 16},
	{"AGPA", 16},
	{"AROA", 16},
	{"ghp_", 20},
	{"gho_", 20},
	{"ghu_", 20},
	{"ghs_", 20},
	{"ghr_", 20},
	{"github_pat_", 20},
	{"glpat-", 16},
	{"gldt-", 16},
	{"glrt-", 16},
	{"glcbt-", 16},
	{"sk-", 20},
	{"sk_live_", 10},
	{"sk_test_", 10},
	{"rk_live_", 10},
	{"rk_test_", 10},
	{"whsec_", 16},
	{"xoxb-", 10},
	{"xoxp-", 10},
	{"xoxa-", 10},
	{"xoxr-", 10},
	{"xoxs-", 10},
	{"xapp-", 10},
	{"AIza", 30},
	{"ya29.", 20},
	{"GOCSPX-", 16},
	{"1//0", 30},
	{"npm_", 30},
	{"pypi-", 30},
	{"hf_", 20},
	{"dop_v1_", 30},
	{"doo_v1_", 30},
	{"SG.", 30},
	{"shpat_", 20},
	{"shpss_", 20},
	{"lin_api_", 20},
	{"sntrys_", 20},
	{"dapi", 32},
	{"ops_", 60},
	{"AGE-SECRET-KEY-1", 20},
	{"EAACEdEose0cBA", 10},
	{"sq0csp-", 20},
	{"sq0atp-", 20},
	{"hvs.", 20},
	{"hvb.", 20},
	{"atlasv1.", 20},
	{"ATATT3", 20},
	{"tfp_", 20},
	{"pul-", 30},
	{"nvapi-", 20},
	{"gsk_", 20},
	{"eyJ", 40}, // what a signed token begins with: {" in base64
}

// shortest is the length of the shortest token.
const shortest = 15

// knownToken finds a token in a word: where, and how long it is.
func knownToken(word string) (at, n int) {
	if len(word) < shortest {
		return 0, 0
	}
	for _, f := range forms {
		i := strings.Index(word, f.prefix)
		if i < 0 || i > 0 && alphanumeric(word[i-1]) && strings.ToLower(f.prefix) == f.prefix { // task-force
			continue
		}
		if len(word)-i-len(f.prefix) >= f.least {
			return i, len(word) - i
		}
	}
	return 0, 0
}

// Words that a name holds whose value is a secret, and endings of names whose
// value is none although they do.
var (
	secretWords = [...]string{"password", "passwd", "passphrase", "secret", "token", "api_key", "apikey", "access_key", "accesskey", "private_key", "privatekey", "credential", "authorization", "auth_key", "cookie", "pgpass", "mysql_pwd", "signing_key", "encryption_key", "client_key", "_pat"}
	tameEnds    = [...]string{"file", "path", "dir", "name", "names", "url", "uri", "type", "stdin", "id", "ids", "count", "limit", "length", "size", "tokens", "helper", "policy", "ttl", "expiry", "jar", "manager", "store", "env", "ref", "arn"}
)

// secretName reports whether what a name holds is a secret.
func secretName(name string) bool {
	if len(name) < 4 || len(name) > 80 {
		return false
	}
	name = strings.ReplaceAll(strings.ToLower(strings.TrimLeft(name, "-")), "-", "_")
	for _, end := range tameEnds {
		if rest, ok := strings.CutSuffix(name, end); ok && (rest == "" || strings.HasSuffix(rest, "_")) || name == "tokens" || strings.HasSuffix(name, "_tokens") {
			return false
		}
	}
	for _, word := range secretWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
