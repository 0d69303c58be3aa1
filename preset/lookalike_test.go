package preset

import "testing"

func TestUnicodeHost(t *testing.T) {
	for in, want := range map[string]string{
		"example.com": "example.com", "xn--mnchen-3ya.de": "münchen.de", "xn--e1afmkfd.xn--p1ai": "пример.рф", "www.xn--gthub-n4a.com": "www.gıthub.com",
		"xn--n3h.net": "☃.net", "xn--fiqs8s": "中国",
		"xn--": "", "xn--9": "xn--9", "xn--99999999999999": "xn--99999999999999", "xn--a-_": "xn--a-_", "xn--MNCHEN-3YA.de": "MüNCHEN.de",
	} {
		if got := unicodeHost(in); got != want {
			t.Errorf("unicodeHost(%q) = %q, want %q", in, got, want)
		}
	}
}
