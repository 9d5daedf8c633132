package billing

import (
	"strings"
	"testing"
)

func TestScopesAreSortedAndUnique(t *testing.T) {
	c := Client{Scopes: []string{"zzz", AdminWrite, StandardWrite, StandardRead, StandardWrite}}
	c.Normalize()
	if got := strings.Join(c.Scopes, " "); got != "standard:read standard:write admin:write zzz" {
		t.Errorf("scopes %s", got)
	}
}
