package preset

import (
	"slices"
	"strings"
)

// unicodeHost is a host as it is shown to people: labels that are written as
// xn--… are decoded.
func unicodeHost(host string) string {
	if !strings.Contains(host, "xn--") {
		return host
	}
	labels := strings.Split(host, ".")
	for i, label := range labels {
		if encoded, ok := strings.CutPrefix(label, "xn--"); ok {
			if text, ok := punycode(encoded); ok {
				labels[i] = text
			}
		}
	}
	return strings.Join(labels, ".")
}

// punycode decodes the rest of a label behind xn-- (RFC 3492, section 6.2).
func punycode(encoded string) (string, bool) {
	const base, tMin, tMax, firstCode = 36, 1, 26, 128
	var out []rune
	if at := strings.LastIndexByte(encoded, '-'); at >= 0 {
		out, encoded = []rune(encoded[:at]), encoded[at+1:]
	}
	code, bias, at := rune(firstCode), 72, 0
	for len(encoded) > 0 {
		before, weight := at, 1
		for k := base; ; k += base {
			if encoded == "" {
				return "", false
			}
			digit, ok := punycodeDigit(encoded[0])
			if encoded = encoded[1:]; !ok || digit > (1<<30-at)/weight {
				return "", false
			}
			at += digit * weight
			threshold := min(max(k-bias, tMin), tMax)
			if digit < threshold {
				break
			}
			if weight *= base - threshold; weight > 1<<24 {
				return "", false
			}
		}
		size := len(out) + 1
		bias = adapted(at-before, size, before == 0)
		if code += rune(at / size); code > 0x10FFFF || code < firstCode {
			return "", false
		}
		at %= size
		out = slices.Insert(out, at, code)
		at++
	}
	return string(out), true
}

func punycodeDigit(c byte) (int, bool) {
	switch {
	case 'a' <= c && c <= 'z':
		return int(c - 'a'), true
	case 'A' <= c && c <= 'Z':
		return int(c - 'A'), true
	case '0' <= c && c <= '9':
		return int(c-'0') + 26, true
	}
	return 0, false
}

func adapted(delta, size int, first bool) int {
	if first {
		delta /= 700
	} else {
		delta /= 2
	}
	delta += delta / size
	k := 0
	for delta > 35*26/2 {
		delta /= 35
		k += 36
	}
	return k + 36*delta/(delta+38)
}
