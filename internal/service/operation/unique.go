package operation

// Unique returns ids without repetitions, in their order.
func Unique[K comparable](ids []K) []K {
	seen := map[K]bool{}
	var once []K
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			once = append(once, id)
		}
	}
	return once
}
