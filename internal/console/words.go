package console

import (
	"regexp"

	"github.com/tenantry/tenantry/internal/billing"
)

// fieldName finds the names of fields of the API in a message.
var fieldName = regexp.MustCompile(`\b[a-z]+[A-Z]\w*`)

// byLabels is what problems say where no form has the fields that they name: by the
// labels that the forms of entities and accounts have.
func byLabels(problems billing.Problems) string {
	return fieldName.ReplaceAllStringFunc(problems.Error(), func(name string) string {
		if label := labelOf(billing.EntityFields, name); label != "" {
			return "“" + label + "”"
		}
		if label := labelOf(billing.AccountFields, name); label != "" {
			return "“" + label + "”"
		}
		return name
	})
}

func labelOf[T any](fields billing.Fields[T], name string) string {
	for f := range fields.All() {
		if f.Name == name {
			return f.Label
		}
	}
	return ""
}
