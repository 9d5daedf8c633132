package billing

import (
	"strings"
	"testing"
)

func TestProblemsAsErrors(t *testing.T) {
	if Problems(nil).Err() != nil {
		t.Error("no problems are an error")
	}
	p := Problems{Invalidf("a.b", "first"), Fail(Taken, "", "second")}
	if p.Err().Error() != "first; second" || !Is(p, Taken) || Is(p, InUse) {
		t.Errorf("%v", p)
	}
	if got := strings.Join(p.Within("charges", "0")[0].Field, "."); got != "charges.0.a.b" {
		t.Errorf("field %s", got)
	}
	if found, ok := AsProblems(Missing("id", "plan", 3)); !ok || found[0].Message != "There is no plan with id 3." {
		t.Errorf("%v", found)
	}
}
