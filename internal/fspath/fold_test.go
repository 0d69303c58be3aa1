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

func TestPlain(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"/w/.\u0435nv", "/w/.env"}, // Cyrillic е
		{"/w/.\u0415NV", "/w/.ENV"},
		{"\u0440\u0430\u0455\u0455wd", "passwd"},
		{"\u0455\u0435\u0441r\u0435t\u0455", "secrets"},
		{"c\u03bfnfig.yaml", "config.yaml"},
		{"ｉｄ＿ｒｓａ", "id_rsa"},
		{"a\u3002pem", "a.pem"},
		{"key\u0661", "keyl"},
		{"\u0450a", "èa"},
		{"\U0001d6fclph\U0001d6fc", "alpha"}, // mathematical, then Greek, then a
		{".sayso\u200b.yaml", ".sayso.yaml"},
		{"file0", "file0"},
		{"résumé", "résumé"},
		{"日本語.txt", "日本語.txt"},
		{"a\uff0fb", "a\uff0fb"}, // no slash is made
		{"\xff\u0435", "\xffe"},
	} {
		if got := Plain(tt.in); got != tt.want {
			t.Errorf("Plain(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	if isASCII(Plain("\u0444\u0430\u0439\u043b")) {
		t.Error("a name of another script looks like none")
	}
}

func TestHidden(t *testing.T) {
	for in, want := range map[string]rune{
		"plain": 0, "документ": 0, "naïve": 0, "a\u200bb": 0x200b, "\u200bname": 0x200b, "name\ufeff": 0xfeff, "x\u202egnp.txt": 0x202e, "ш\u202eгп": 0x202e,
		"می\u200cخواهم": 0, "\U0001f468\u200d\U0001f469": 0, "\u2066x": 0x2066,
	} {
		if got := Hidden(in); got != want {
			t.Errorf("Hidden(%q) = %U, want %U", in, got, want)
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
