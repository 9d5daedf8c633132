package graphql

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/node"
)

// TestManyProblems: a mutation shows a bounded number of bounded problems, and
// how many more there are.
func TestManyProblems(t *testing.T) {
	var problems billing.Problems
	for range maxErrors + 7 {
		problems = append(problems, billing.Fail(billing.Invalid, "name", "%s", strings.Repeat("é", maxMessage)))
	}
	nodes := func(rows []int) []*node.Account { return make([]*node.Account, len(rows)) }
	_, errors, userErrors, err := outcome[int](nil, problems, nodes)
	if err != nil || len(errors) != maxErrors+1 || len(userErrors) != maxErrors+1 {
		t.Fatalf("%d errors and %d userErrors (%v), want %d", len(errors), len(userErrors), err, maxErrors+1)
	}
	if first := errors[0]; len(first) > maxMessage+3 || first != userErrors[0].Message || !strings.HasSuffix(first, "é…") {
		t.Errorf("a message of %d bytes", len(first))
	}
	if last := errors[maxErrors]; !strings.Contains(last, "7 more") {
		t.Errorf("the last one says %q", last)
	}
}
