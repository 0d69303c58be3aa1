package fspath

import (
	"slices"
	"testing"
	"unicode"
)

func TestFold(t *testing.T) {
	for want, spellings := range map[string][]string{
		"/a/.env":        {"/A/.ENV", "/a/.env.", "/a /.env. .", "/a/.e\u200bnv", "/a/.en\ufeffv", "/a/．ｅｎｖ", "/a/.env::$DATA", "/ａ/.env", "/a/.𝐞𝐧𝐯"},
		"/x/.git":        {"/x/.GIT", "/x/.g\u200cit", "/x/.git::$INDEX_ALLOCATION", "/x/.git:$I30:$INDEX_ALLOCATION", "/x/.Gıt", "/x/.git ."},
		"caf\u00e9":      {"cafe\u0301", "CAF\u00c9", "CAFE\u0301", "ｃafé"},
		"strasse":        {"stra\u00dfe", "STRASSE", "stra\u017fse", "STRA\u1e9eE"},
		"k\u00e5":        {"\u212a\u212b", "KA\u030a"},
		"\uac00":         {"\u1100\u1161"},
		"file":           {"\ufb01le", "FILE "},
		"\u03c3":         {"\u03c2", "\u03a3"},
		"../a":           {"../A"},
		"a/../b/.":       {"A/../B/."},
		"...":            {"..."},
		"a\xff":          {"A\xff"},
		"\u1ed9":         {"o\u0323\u0302", "o\u0302\u0323", "\u00f4\u0323", "\u1ecd\u0302"},
		"a/\uff0f*b":     {"a/\uff0f*B"},     // no slash is made
		"\u2024\u2024/x": {"\u2024\u2024/X"}, // nor a .. component
	} {
		for _, s := range append(spellings, want) {
			if got := Fold(s); got != want {
				t.Errorf("Fold(%q) = %q, want %q", s, got, want)
			}
		}
	}
	for _, different := range [][2]string{{"a", "b"}, {"e", "é"}, {"a/b", "a\u2044b"}, {".env", "env"}, {" a", "a"}, {"\xff", "\xfe"}, {"a.b", "ab"}} {
		if Fold(different[0]) == Fold(different[1]) {
			t.Errorf("Fold takes %q and %q for the same", different[0], different[1])
		}
	}
}

func TestLooksLike(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"/w/.env", "/w/.еnv", true}, // Cyrillic е
		{"/w/.env", "/w/.ЕNV", true},
		{"passwd", "раѕѕwd", true},
		{"secrets", "ѕесrеtѕ", true},
		{"config.yaml", "c\u03bfnfig.yaml", true},
		{"Documents", "Dоcuments", true},
		{"id_rsa", "ｉｄ＿ｒｓａ", true},
		{"a.pem", "a\u3002pem", true},
		{"key1", "key\u0661", true},
		{"file0", "file\u09e6", true},
		{"BACKUP", "ВАСКUР", true},
		{"èa", "\u0450a", true},
		{"same", "SAME", true},
		{"alpha", "\U0001d6fclph\U0001d6fc", true}, // mathematical, then Greek, then a
		{"file0", "fileo", false},                  // both ASCII
		{"файл", "fajl", false},
		{"a/b", "a\uff0fb", false},
		{"x", "y", false},
		{"résumé", "resume", false},
	} {
		if got := LooksLike(tt.a, tt.b); got != tt.want || LooksLike(tt.b, tt.a) != got {
			t.Errorf("LooksLike(%q, %q) = %v (%q, %q)", tt.a, tt.b, got, skeleton(tt.a), skeleton(tt.b))
		}
	}
}

func TestConfusables(t *testing.T) {
	if !slices.IsSortedFunc(confusables[:], func(a, b confusable) int { return int(a.looks - b.looks) }) {
		t.Error("the table is not in order")
	}
	for i, c := range confusables {
		if like := rune(c.like); c.looks < 0x80 || like >= 0x80 || like != '.' && !unicode.IsLetter(like) && !unicode.IsDigit(like) {
			t.Errorf("%U looks like %q", c.looks, c.like)
		}
		if i > 0 && confusables[i-1].looks == c.looks {
			t.Errorf("%U stands there twice", c.looks)
		}
	}
}
