package view

// An edit is a line of a comparison: kept ' ', taken away '-' or added '+'.
type edit struct {
	op   byte
	text string
}

// mostCells bounds the work of a comparison. What is larger is shown as all of the
// old and then all of the new.
const mostCells = 1 << 20

// compare says how old becomes new, line by line.
func compare(old, new []string) []edit {
	start := 0
	for start < len(old) && start < len(new) && old[start] == new[start] {
		start++
	}
	end := 0
	for end < len(old)-start && end < len(new)-start && old[len(old)-1-end] == new[len(new)-1-end] {
		end++
	}
	out := edits(nil, ' ', old[:start])
	out = middle(out, old[start:len(old)-end], new[start:len(new)-end])
	return edits(out, ' ', old[len(old)-end:])
}

func edits(out []edit, op byte, lines []string) []edit {
	for _, l := range lines {
		out = append(out, edit{op, l})
	}
	return out
}

// middle compares what has no common beginning and end, by the longest lines that
// both have in the same order.
func middle(out []edit, old, new []string) []edit {
	if len(old) == 0 || len(new) == 0 || len(old)*len(new) > mostCells {
		return edits(edits(out, '-', old), '+', new)
	}
	columns := len(new) + 1
	common := make([]int32, (len(old)+1)*columns) // of what is behind each pair
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			if old[i] == new[j] {
				common[i*columns+j] = common[(i+1)*columns+j+1] + 1
			} else {
				common[i*columns+j] = max(common[(i+1)*columns+j], common[i*columns+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(old) && j < len(new) {
		switch {
		case old[i] == new[j]:
			out = append(out, edit{' ', old[i]})
			i, j = i+1, j+1
		case common[(i+1)*columns+j] >= common[i*columns+j+1]:
			out = append(out, edit{'-', old[i]})
			i++
		default:
			out = append(out, edit{'+', new[j]})
			j++
		}
	}
	return edits(edits(out, '-', old[i:]), '+', new[j:])
}
