// Package billingtest has what tests of rules share.
package billingtest

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

// Checked is anything with rules of its own.
type Checked interface{ Check() billing.Problems }

// With returns v after a change to it.
func With[T any](v *T, change func(*T)) *T {
	change(v)
	return v
}

// Accepted fails the test if any of the values is refused.
func Accepted(t *testing.T, values map[string]Checked) {
	t.Helper()
	for name, value := range values {
		if problems := value.Check(); len(problems) > 0 {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

// Refused fails the test unless exactly one thing is wrong with a value: that
// code and field, with a message that has these words.
func Refused(t *testing.T, value Checked, code billing.Code, field, says string) {
	t.Helper()
	problems := value.Check()
	if len(problems) != 1 {
		t.Errorf("%T %s: %d problems (%v), want one", value, field, len(problems), problems)
		return
	}
	p := problems[0]
	if p.Code != code || strings.Join(p.Field, ".") != field || !strings.Contains(p.Message, says) {
		t.Errorf("%T: got %s %v %q, want %s %s saying %q", value, p.Code, p.Field, p.Message, code, field, says)
	}
}
