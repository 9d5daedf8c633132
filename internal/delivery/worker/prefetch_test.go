package worker

import (
	"testing"
	"time"
)

// TestPrefetch: as long as requests run out before a batch is over more streams are
// taken beforehand, up to a bound; if many are left over, fewer.
func TestPrefetch(t *testing.T) {
	t.Parallel()
	var p prefetch
	if got := p.streams(32); got != 32 {
		t.Errorf("at first it is %d", got)
	}
	for range 10 {
		p.learn(0, 32)
	}
	if got := p.streams(32); got != mostPrefetch*32 {
		t.Errorf("for a quick receiver it is %d", got)
	}
	if got := p.streams(1000); got != prefetchStreams {
		t.Errorf("with many requests at once it is %d", got)
	}
	p.learn(mostPrefetch*32/2, 32)
	if got := p.streams(32); got != mostPrefetch*32 {
		t.Errorf("when about the right number is left it becomes %d", got)
	}
	for range 10 {
		p.learn(mostPrefetch*32, 32)
	}
	if got := p.streams(32); got != leastPrefetch*32 {
		t.Errorf("for a slow receiver it is %d", got)
	}
}

// TestLeaseEnd: a lease is never shorter than its request and the slack, not
// much longer, and the same for all that are taken at about the same time.
func TestLeaseEnd(t *testing.T) {
	t.Parallel()
	const timeout = 10 * time.Second
	for _, slack := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 999 * time.Millisecond, slack} {
		ends := map[time.Time]bool{}
		for i := range 1000 {
			now := time.UnixMilli(1_700_000_000_000 + int64(i)).UTC()
			end := leaseEnd(now, timeout, slack)
			if lasts := end.Sub(now); lasts < timeout+slack || lasts > timeout+slack+max(slack/4, time.Millisecond) {
				t.Fatalf("a lease with a slack of %s lasts %s", slack, lasts)
			}
			ends[end] = true
		}
		if slack >= 30*time.Second && len(ends) > 2 {
			t.Errorf("leases of one second have %d ends", len(ends))
		}
	}
}
