package transfer

// LineFields are the fields that a line of a type can have, with pointers to
// their values where they have no shape of their own.
func LineFields(kind string) map[string]any {
	all := map[string]any{}
	for _, f := range lineOf(kind).fields() {
		all[f.name] = f.at
	}
	return all
}

// LineKey are the fields that identify a line of a type.
func LineKey(kind string) []string { return lineOf(kind).names() }
