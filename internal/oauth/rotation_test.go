package oauth

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
)

// kid returns the key that signs at the moment.
func (r *replica) kid(a app) string {
	header, _ := parts(r.world.t, r.token(a))
	return header["kid"].(string)
}

// tend runs the background work as if its time had come.
func (r *replica) tend() {
	r.world.t.Helper()
	r.world.clock.pass(keysEvery)
	if err := r.runOnce(r.world.t.Context()); err != nil {
		r.world.t.Fatal(err)
	}
}

func TestKeyIsPublishedBeforeItSignsAndStaysWhileItsTokensLive(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	pass := r.world.clock.pass
	first := r.kid(a)

	pass(rotateAfter - 2*keysEvery)
	r.tend()
	if n := len(publicKeys(t, r)); n != 1 {
		t.Fatalf("%d keys before the time for another", n)
	}
	r.tend()
	keys := publicKeys(t, r)
	if len(keys) != 2 {
		t.Fatalf("%d keys when there should be another", len(keys))
	}
	pass(publishedBefore - time.Millisecond)
	if r.kid(a) != first {
		t.Error("the new key signs before everybody can have seen it")
	}
	long := r.issue(a, billing.StandardRead, billing.MaxTokenSeconds)
	pass(time.Millisecond)
	second := r.kid(a)
	if second == first || keys[second] == nil {
		t.Errorf("the new key does not sign: %s", second)
	}

	pass(billing.MaxTokenSeconds*time.Second - time.Second) // the last token of the first key still lives
	r.world.clock.pass(-keysEvery)
	r.tend()
	wantPassed(t, r.present(long), a)
	if !verifies(t, publicKeys(t, r), long) {
		t.Error("the last token of the first key cannot be verified any more")
	}
	pass(retireMargin + time.Second)
	r.tend()
	left := slices.Collect(maps.Keys(publicKeys(t, r)))
	if slices.Contains(left, first) || !slices.Contains(left, second) {
		t.Errorf("keys in the end: %v; the first was %s, the second %s", left, first, second)
	}
	wantPassed(t, r.present(r.token(a)), a)
}

// TestAClockThatIsNotBelievedRotatesNothing: neither at the start nor later, but
// the first key is made.
func TestAClockThatIsNotBelievedRotatesNothing(t *testing.T) {
	w := sqliteWorld(t)
	st := w.open()
	st.Clock().Distrust(true)
	start := func() *replica {
		s, err := New(t.Context(), w.options(st))
		if err != nil {
			t.Fatal(err)
		}
		return &replica{Server: s, world: w}
	}
	if n := len(publicKeys(t, start())); n != 1 {
		t.Fatalf("%d keys at the first start", n)
	}
	w.clock.set(rotateAfter)
	r := start()
	r.tend()
	if n := len(publicKeys(t, r)); n != 1 {
		t.Errorf("%d keys by a clock that is not believed", n)
	}
	st.Clock().Distrust(false)
	r.tend()
	if n := len(publicKeys(t, r)); n != 2 {
		t.Errorf("%d keys once it is believed", n)
	}
}

// TestTokensOfAWrongClock: what was issued while the clock was ahead is refused
// when it is right again, also where it is remembered.
func TestTokensOfAWrongClock(t *testing.T) {
	w := sqliteWorld(t)
	r, other := w.replica(), w.replica()
	a := r.createClient()
	token := r.token(a)
	wantPassed(t, r.present(token), a)
	w.clock.set(-billing.MaxAhead)
	wantPassed(t, r.present(token), a)
	w.clock.set(-time.Second)
	for _, there := range []*replica{r, other} {
		wantRefused(t, there.present(token), "The access token is invalid")
	}
}

func TestKeysStayFewOverYears(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	seen := map[string]bool{}
	for range 24 * 30 {
		r.world.clock.pass(24 * time.Hour)
		r.tend()
		seen[r.kid(a)] = true
		if n := len(publicKeys(t, r)); n > 4 {
			t.Fatalf("%d keys at once", n)
		}
	}
	if len(seen) < 20 || len(seen) > 30 {
		t.Errorf("%d keys in two years", len(seen))
	}
}

// TestRestart finds the key of the process before, also with the clock a
// little behind.
func TestRestart(t *testing.T) {
	w := sqliteWorld(t)
	before := w.replica()
	a := before.createClient()
	token := before.token(a)
	w.clock.pass(-time.Minute)
	after := w.replica()
	if before.kid(a) != after.kid(a) {
		t.Error("the key is another after a restart")
	}
	wantPassed(t, after.present(token), a)
}

func TestWrongSecretKeyIsRefusedAtStart(t *testing.T) {
	w := sqliteWorld(t)
	w.replica()
	var err error
	if w.box, err = secret.NewBox("quite another secret key"); err != nil {
		t.Fatal(err)
	}
	_, err = New(t.Context(), w.options(w.open()))
	if err == nil || !strings.Contains(err.Error(), "the secret key is wrong") {
		t.Errorf("got %v", err)
	}
}
