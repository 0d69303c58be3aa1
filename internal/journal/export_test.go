package journal

// Rehash gives a line that was changed the hash that it should have now.
func Rehash(line []byte) []byte {
	body := line[:len(line)-1-tailLen]
	out := append([]byte{}, body...)
	out = append(out, hashKey...)
	out = append(out, sum(body)...)
	return append(append(out, hashEnd...), '\n')
}
