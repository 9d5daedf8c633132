package drift

import (
	"slices"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) *time.Time {
	at := noon.Add(-d)
	return &at
}

func n(quantity int) *int { return &quantity }

var sso, seats5, seats9 = Feature{Code: "sso"}, Feature{Code: "seats", Quantity: n(5)}, Feature{Code: "seats", Quantity: n(9)}

// TestJudge has a line for every row of the table of outcomes in the documentation.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name     string
		state    State
		told     Told
		want     Outcome
		accepted bool
	}{
		{"the newest", State{Sequence: 3, Features: []Feature{sso}}, Told{Last: 3, Highest: 3, Features: []Feature{sso}}, InSync, false},
		{"in another order", State{Sequence: 3, Features: []Feature{seats5, sso}}, Told{Last: 3, Highest: 3, Features: []Feature{sso, seats5}}, InSync, false},
		{"acted on before its answer is recorded", State{Sequence: 3}, Told{Last: 3, Highest: 2}, InSync, false},
		{"acted on none, and none was delivered", State{}, Told{}, InSync, false},
		{"a newer one waits", State{Sequence: 2, Features: []Feature{sso}}, Told{Last: 3, Highest: 2, Waits: true, Features: []Feature{sso}}, Behind, false},
		{"acted on none, and the first waits", State{}, Told{Last: 1, Waits: true}, Behind, false},
		{"delivered less than a minute ago", State{Sequence: 2}, Told{Last: 3, Highest: 3, NewerAt: ago(59 * time.Second)}, InSync, false},
		{"delivered a minute ago", State{Sequence: 2}, Told{Last: 3, Highest: 3, NewerAt: ago(time.Minute)}, InSync, false},
		{"delivered more than a minute ago", State{Sequence: 2}, Told{Last: 3, Highest: 3, NewerAt: ago(61 * time.Second)}, Behind, true},
		{"looked before it was delivered", State{Sequence: 2, At: ago(time.Hour)}, Told{Last: 3, Highest: 3, NewerAt: ago(30 * time.Minute)}, InSync, false},
		{"looked in the future", State{Sequence: 2, At: ago(-time.Hour)}, Told{Last: 3, Highest: 3, NewerAt: ago(time.Second)}, InSync, false},
		{"one was delivered just now, and another waits", State{Sequence: 2}, Told{Last: 4, Highest: 3, Waits: true, NewerAt: ago(time.Second)}, Behind, false},
		{"nobody knows when it was delivered", State{Sequence: 2}, Told{Last: 3, Highest: 3}, Behind, true},
		{"acted on none of what was delivered", State{}, Told{Last: 3, Highest: 3, NewerAt: ago(time.Hour)}, Behind, true},
		{"a feature is missing", State{Sequence: 3}, Told{Last: 3, Highest: 3, Features: []Feature{sso}}, Drifted, false},
		{"has what is told later", State{Sequence: 2, Features: []Feature{seats9}}, Told{Last: 3, Highest: 2, Features: []Feature{seats5}}, Drifted, false},
		{"has something and acted on none", State{Features: []Feature{sso}}, Told{Last: 3, Highest: 3, NewerAt: ago(time.Hour)}, Drifted, false},
		{"never sent", State{Sequence: 4, Features: []Feature{sso}}, Told{Last: 3, Highest: 3, Features: []Feature{sso}}, Ahead, false},
		{"never told anything", State{Sequence: 1}, Told{}, Ahead, false},
		{"forgotten and the latest", State{Sequence: 3, Features: []Feature{sso}}, Told{Last: 3, Highest: 3, Forgotten: true, Current: []Feature{sso}}, InSync, false},
		{"forgotten, the latest and wrong", State{Sequence: 3, Features: []Feature{sso}}, Told{Last: 3, Highest: 3, Forgotten: true}, Drifted, false},
		{"forgotten", State{Sequence: 2, Features: []Feature{sso}}, Told{Last: 3, Highest: 3, NewerAt: ago(time.Hour), Forgotten: true}, Behind, true},
		{"forgotten, and the newer one is new", State{Sequence: 2, Features: []Feature{sso}}, Told{Last: 3, Highest: 3, NewerAt: ago(time.Second), Forgotten: true}, Behind, false},
	} {
		got := Judge(&c.state, &c.told, noon)
		if got.Outcome != c.want || got.Accepted != c.accepted {
			t.Errorf("%s: %s (accepted %v), want %s (%v)", c.name, got.Outcome, got.Accepted, c.want, c.accepted)
		}
		if repairable := c.want == Drifted || c.accepted || got.GivenUp; got.Repairable() != repairable {
			t.Errorf("%s: repairable is %v", c.name, got.Repairable())
		}
	}
}

// TestLookedAt takes the time that an application names, and now if it names none or one that
// is yet to come: its clock is wrong then.
func TestLookedAt(t *testing.T) {
	for _, c := range []struct {
		at   *time.Time
		want time.Time
	}{{nil, noon}, {ago(time.Hour), *ago(time.Hour)}, {ago(-time.Hour), noon}} {
		if got := (&State{At: c.at}).LookedAt(noon); !got.Equal(c.want) {
			t.Errorf("at %v: %v, want %v", c.at, got, c.want)
		}
	}
}

// TestJudgeGivenUp can repair a tenant whose newest event will not be delivered.
func TestJudgeGivenUp(t *testing.T) {
	state := State{Sequence: 2, Features: []Feature{sso}}
	for _, c := range []struct {
		name    string
		told    Told
		outcome Outcome
		givenUp bool
	}{
		{"it waits", Told{Last: 3, Highest: 2, Waits: true, Features: []Feature{sso}}, Behind, false},
		{"it was given up", Told{Last: 3, Highest: 2, Features: []Feature{sso}}, Behind, true},
		{"it was given up, and an older one was delivered just now", Told{Last: 4, Highest: 3, NewerAt: ago(time.Second), Features: []Feature{sso}}, Behind, true},
		{"it was given up, and acted on all the same", Told{Last: 2, Highest: 1, Features: []Feature{sso}}, InSync, false},
	} {
		got := Judge(&state, &c.told, noon)
		if got.Outcome != c.outcome || got.GivenUp != c.givenUp || got.Repairable() != c.givenUp {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestCompare(t *testing.T) {
	eu, us := Feature{Code: "region", Value: "eu"}, Feature{Code: "region", Value: "us"}
	unlimited := Feature{Code: "seats"}
	got := Compare([]Feature{sso, seats5, eu}, []Feature{{Code: "api"}, us, unlimited})
	want := []Kind{FeatureExtra, WrongValue, WrongQuantity, FeatureMissing}
	var kinds []Kind
	for _, d := range got {
		kinds = append(kinds, d.Kind)
		if (d.Expected == nil) != (d.Kind == FeatureExtra) || (d.Actual == nil) != (d.Kind == FeatureMissing) {
			t.Errorf("%s: the sides are %v and %v", d.Kind, d.Expected, d.Actual)
		}
	}
	if !slices.Equal(kinds, want) {
		t.Errorf("differences are %v, want %v", kinds, want)
	}
	if *got[2].Expected.Quantity != 5 || got[2].Actual.Quantity != nil || got[1].Expected.Value != "eu" || got[1].Actual.Value != "us" {
		t.Errorf("the sides are %v", got)
	}
}

// TestDigest goes by the difference and not by the webhook: after a repair the number
// is another.
func TestDigest(t *testing.T) {
	judge := func(sequence int, has ...Feature) Judgement {
		return Judge(&State{Sequence: sequence, Features: has}, &Told{Last: 9, Highest: 9, Features: []Feature{sso, seats5}}, noon)
	}
	a := judge(3, sso)
	if b := judge(4, sso); a.Digest != b.Digest {
		t.Error("the same difference has two digests")
	}
	if b := judge(3); a.Digest == b.Digest {
		t.Error("two differences have one digest")
	}
	if a, b := judge(3, sso, seats5), judge(4, sso, seats5); a.Outcome != Behind || a.Digest == b.Digest {
		t.Error("who has gone on and is behind again has not stayed behind")
	}
	if missing := JudgeMissing(); !missing.Repairable() || missing.Digest == a.Digest {
		t.Error("a tenant that is not there can be repaired")
	}
}

func TestDecide(t *testing.T) {
	drifted := Judgement{Outcome: Drifted, Digest: "a"}
	for _, c := range []struct {
		name      string
		judgement Judgement
		repaired  Repaired
		sequence  int
		want      Response
	}{
		{"in sync", Judgement{Outcome: InSync}, Repaired{}, 3, Nothing},
		{"new", drifted, Repaired{}, 3, Send},
		{"of another kind", drifted, Repaired{Digest: "b", Sequence: 4, Arrival: Arrival{Delivered: true, At: ago(time.Hour)}}, 4, Send},
		{"the repair waits", drifted, Repaired{Digest: "a", Sequence: 4}, 3, Nothing},
		{"the repair was delivered just now", drifted, Repaired{Digest: "a", Sequence: 4, Arrival: Arrival{Delivered: true, At: ago(time.Second)}}, 3, Nothing},
		{"the repair was not acted on", drifted, Repaired{Digest: "a", Sequence: 4, Arrival: Arrival{Delivered: true, At: ago(time.Hour)}}, 3, Persists},
		{"the repair was delivered, nobody knows when", drifted, Repaired{Digest: "a", Sequence: 4, Arrival: Arrival{Delivered: true}}, 3, Persists},
		{"the repair was given up", drifted, Repaired{Digest: "a", Sequence: 4, Arrival: Arrival{GivenUp: true}}, 3, Send},
		{"the repair was given up, and acted on all the same", drifted, Repaired{Digest: "a", Sequence: 4, Arrival: Arrival{GivenUp: true}}, 4, Persists},
		{"the repair changed nothing", drifted, Repaired{Digest: "a", Sequence: 4, Arrival: Arrival{Delivered: true, At: ago(time.Second)}}, 4, Persists},
	} {
		if got := c.judgement.Decide(c.repaired, c.sequence, noon); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestSuspicious(t *testing.T) {
	for _, c := range []struct {
		counts Counts
		want   bool
	}{
		{Counts{}, false},
		{Counts{InSync: 95, Drifted: 5}, false},
		{Counts{InSync: 94, Drifted: 6}, true},
		{Counts{InSync: 94, Missing: 6}, true},
		{Counts{InSync: 50, Behind: 50}, false},
		{Counts{UnknownTenant: 1_000, InSync: 9, Drifted: 1}, true},
	} {
		if got := c.counts.Suspicious(); got != c.want {
			t.Errorf("%v is suspicious: %v", c.counts, got)
		}
	}
}
