package early

// enlarge makes the stack of the program large enough for a decision, at once and while
// nearly nothing is on it. A stack that grows as it fills is copied again and again, and
// each copy looks up every function that has called: a hook is a new process, with
// everything cold, and all the copies take as long as half a decision. What counts is the
// size of the frame; it is never filled.
//
//go:noinline
func enlarge(fill bool) (sum byte) {
	if !fill {
		return 0
	}
	var room [12 << 10]byte
	for i := range room {
		room[i] = byte(i)
	}
	for _, b := range room {
		sum += b
	}
	return sum
}
