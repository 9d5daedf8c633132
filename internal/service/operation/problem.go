package operation

import (
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// Fixed returns a problem when a field that cannot change did.
func Fixed[K comparable](field, why string, before, after K) billing.Problems {
	if before == after {
		return nil
	}
	return billing.Problems{billing.Fail(billing.Immutable, field, "%s; it cannot be moved.", why)}
}

// Within says that what is wrong is inside a field of the caller's attributes.
func Within(field string, err error) error {
	problems, known := billing.AsProblems(err)
	if !known {
		return err
	}
	return problems.Within(field)
}

// RenameField tells a problem with a field under another name.
func RenameField(err error, from, to string) error {
	problems, _ := billing.AsProblems(err)
	for _, p := range problems {
		if len(p.Field) == 1 && p.Field[0] == from {
			p.Field = strings.Split(to, ".")
		}
	}
	return err
}

// ImportedMeanwhile explains that somebody else wrote the same at the same moment.
func ImportedMeanwhile(err error, words string) error {
	if store.IsDuplicate(err) {
		return billing.Fail(billing.Taken, "", "Somebody else made one of these %s meanwhile: import the file again.", words)
	}
	if store.IsReference(err) {
		return billing.Fail(billing.NotFound, "", "Something that these %s refer to was deleted meanwhile: import the file again.", words)
	}
	return err
}

// Counted is count for what is counted up to a bound.
func Counted(n int, one, many string) string {
	if n > store.MostCounted {
		return "more than 1,000 " + many
	}
	return Count(n, one, many)
}

// Count is a number of things in words.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
