package mask

// Shortest is the length from which on words are looked at.
const Shortest = shortest

// ShortestForm is the length of the shortest token that is known.
func ShortestForm() int {
	least := 1 << 20
	for _, f := range forms {
		least = min(least, len(f.prefix)+f.least)
	}
	return least
}
