package print

// countryName is how a country is printed.
func countryName(code string) string { return code }
