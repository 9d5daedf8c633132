package print

import (
	_ "embed" // the names of countries
	"slices"
	"strings"
)

// countries has the names of all countries in all languages, as in the Unicode
// CLDR: a line for each code of ISO 3166, with XI, XK and EL as tax law has them.
//
//go:embed countries.tsv
var countries string

// country is the name of a country, or its code if there is none.
func (l *locale) country(code string) string {
	head, all, _ := strings.Cut(countries, "\n")
	column := slices.Index(strings.Split(head, "\t"), l.language)
	code = strings.TrimSpace(code)
	start := strings.Index("\n"+all, "\n"+strings.ToUpper(code)+"\t")
	if code == "" || start < 0 || column < 0 {
		return code
	}
	line, _, _ := strings.Cut(all[start:], "\n")
	return strings.Split(line, "\t")[column]
}
