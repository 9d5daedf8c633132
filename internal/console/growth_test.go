package console_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

const (
	// growthEnv says with how many customers pages are compared.
	growthEnv = "TENANTRY_GROWTH"
	// growthDatabaseEnv is the address of a database for them that stays, so
	// that they are made once and compared often.
	growthDatabaseEnv = "TENANTRY_GROWTH_DATABASE"

	mostTime  = 50 * time.Millisecond
	mostRatio = 2
	// noTime is what is quick enough, whatever the ratio.
	noTime = 10 * time.Millisecond
)

// TestPagesDoNotGrow compares what pages take with many customers and with a
// thousand. The two take turns, so that whatever else the machine does meets
// both alike.
func TestPagesDoNotGrow(t *testing.T) {
	many, err := strconv.Atoi(os.Getenv(growthEnv))
	if err != nil {
		t.Skip(growthEnv + " names no number of customers: skipped")
	}
	for _, engine := range storetest.Engines { // one after another
		t.Run(engine, func(t *testing.T) {
			large, small := openLarge(t, engine, many), open(t, engine)
			small.fill()
			small.multiply(1000)
			few, lots := small.as(billing.Admin), large.as(billing.Admin)
			for _, path := range slices.Concat(small.growingPages(), shortWords(), timePages(), stoppingPages) {
				comparePage(t, path, few, lots)
			}
		})
	}
}

// openLarge starts a server with many customers. If they are in a database that
// stays, they are made only if it has none.
func openLarge(t *testing.T, engine string, many int) *site {
	t.Helper()
	address := os.Getenv(growthDatabaseEnv)
	if address == "" {
		s := open(t, engine)
		s.fill()
		s.multiply(many)
		return s
	}
	if strings.HasPrefix(address, "sqlite:") != (engine == "sqlite") {
		t.Skip(growthDatabaseEnv + " names a database of another engine: skipped")
	}
	s := openOn(t, &storetest.Database{Engine: engine, URL: address, Clock: storetest.NewClock()})
	if n := must[int](s)(store.Accounts.Count(s.ctx, s.store.Queries(), billing.Filter{})); n == 0 {
		s.fill()
		s.multiply(many)
	} else if n < many {
		t.Fatalf("the database that %s names has %d customers only, %s asks for %d", growthDatabaseEnv, n, growthEnv, many)
	}
	return s
}

// comparePage fails the test if a page takes too long with lots of customers,
// or too long compared with few, three times in a row: once may be the machine.
func comparePage(t *testing.T, path string, few, lots *visitor) {
	t.Helper()
	var before, after times
	for range 3 {
		before, after = compare(func() { few.wants(few.get(path), 200) }, func() { lots.wants(lots.get(path), 200) })
		ratio := float64(after.median()) / float64(before.median())
		t.Logf("%6.1f ms %6.1f ms  ×%.1f  %s", 1000*before.median().Seconds(), 1000*after.median().Seconds(), ratio, path)
		// A search that stops early has more to look through, up to its bound.
		// What a page takes alone is best told by when it was disturbed least.
		if after.least() <= mostTime && (ratio <= mostRatio || after.median() <= noTime || slices.Contains(stoppingPages, path)) {
			return
		}
	}
	t.Errorf("%s takes %v with many customers, %v at the least, and %v with few", path, after.median(), after.least(), before.median())
}

// searchPages are searches of all kinds that every demo has something for.
var searchPages = []string{"/accounts?q=nordwind", "/subscriptions?q=nordwind", "/tenants?q=nordwind", "/contacts?q=nguyen", "/platforms/1", "/price-lists/3",
	"/events?q=nordwind", "/events?state=exhausted", "/events?q=tenant:t-77", "/events?q=platform:app&state=delivered",
	"/audit?q=at:%3C2000-01-01+nobody", "/lookup/tenants?field=q&platform=1&q=nordwind"}

// growingPages is every page, and searches of all kinds.
func (s *site) growingPages() []string {
	return append(append(s.everyPage(), searchPages...), "/accounts?older=900", "/accounts/1077", "/tenants/1077", "/events?older=900", "/audit?q=subjectType:Account+subjectId:1077",
		"/audit?q=nobody", "/audit?q=action:platformCreate", "/audit?q=accountDelete", "/audit?q=1077", "/accounts?q=code:x-77", "/accounts?q=customer", "/contacts?q=email:kim-77@example.org", "/contacts?q=account:x-77", "/tenants?q=code:t-77",
		"/subscriptions?q=tenant:t-77", "/subscriptions?q=account:x-77", "/subscriptions?q=priceList:team-12", "/subscriptions?q=priceList:starter-1",
		"/subscriptions?state=canceled", "/subscriptions?state=trial", "/price-lists/4", "/subscriptions?q=e&state=trial", "/subscriptions?q=zq&state=active", "/contacts?q=e+account:x-77",
		"/accounts?q=customer+created:%3E=2025-03-01+created:%3C2025-04-01", "/subscriptions?state=active&q=created:%3E=2025-03-01+created:%3C2025-04-01", "/subscriptions?state=active&q=updated:%3E=2025-03-01+updated:%3C2025-04-01",
		"/contacts?q=account:x-77+updated:%3E=2025-03-01", "/accounts?q=customer+updated:%3E=2025-03-01",
	)
}

// timePages are searches by time, in each list, for what is nowhere, somewhere
// and at the end of it.
func timePages() (pages []string) {
	for _, list := range []string{"/accounts", "/contacts", "/tenants", "/subscriptions"} {
		for _, term := range []string{"created:%3C2024-01-01", "created:%3E=2025-03-01+created:%3C2025-04-01", "created:%3E=2025-06-01", "created:%3C2025-03-01",
			"updated:%3C2024-01-01", "updated:%3E=2025-03-01+updated:%3C2025-04-01", "updated:%3E=2025-06-01", "updated:%3E=2026-01-15"} {
			pages = append(pages, list+"?q="+term)
		}
	}
	return pages
}

// shortWords are searches for words of one and two letters that nothing has, a
// few have and all have.
func shortWords() (paths []string) {
	for _, list := range []string{"accounts", "contacts", "tenants", "subscriptions"} {
		for _, word := range []string{"zq", "%25", "w", "e", "er", "en"} {
			paths = append(paths, "/"+list+"?q="+word)
		}
	}
	return paths
}

// stoppingPages are searches that no index helps.
var stoppingPages = []string{"/audit?q=subjectId:%3C2", "/events?q=%22tenant+77%22"}

// times are how long something took each time, the shortest first.
type times []time.Duration

func (t times) least() time.Duration  { return t[0] }
func (t times) median() time.Duration { return t[len(t)/2] }

// compare returns the times of two things that take turns. The first turn does
// not count.
func compare(one, other func()) (times, times) {
	var took [2]times
	for turn := range 10 {
		for i, do := range []func(){one, other} {
			start := time.Now()
			do()
			if turn > 0 {
				took[i] = append(took[i], time.Since(start))
			}
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	return took[0], took[1]
}
