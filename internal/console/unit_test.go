package console

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/forwarded"
	"github.com/tenantry/tenantry/internal/service"
)

// TestDifferencesAreWhole takes the lines of a difference apart again: what is
// gone and what stayed is the old text, what is new and what stayed the new one.
func TestDifferencesAreWhole(t *testing.T) {
	line := rapid.SampledFrom([]string{"a", "b", "c", "d", ""})
	rapid.Check(t, func(t *rapid.T) {
		before, after := rapid.SliceOfN(line, 0, 12).Draw(t, "before"), rapid.SliceOfN(line, 0, 12).Draw(t, "after")
		var old, fresh []string
		changed := 0
		for _, l := range diffLines(before, after) {
			if l.Sign != "+" {
				old = append(old, l.Text)
			}
			if l.Sign != "-" {
				fresh = append(fresh, l.Text)
			}
			if l.Sign != " " {
				changed++
			}
		}
		if !slices.Equal(old, before) || !slices.Equal(fresh, after) {
			t.Fatalf("%q and %q become %q and %q", before, after, old, fresh)
		}
		if slices.Equal(before, after) && changed > 0 {
			t.Fatalf("%q has changed by itself", before)
		}
	})
}

func TestDifferencesAreShort(t *testing.T) {
	body := func(n int) string {
		return fmt.Sprintf(`{"a":%s,"n":%d,"b":%s}`, "["+strings.Repeat("1,", 50)+"1]", n, "["+strings.Repeat("2,", 50)+"2]")
	}
	lines := diffJSON(body(1), body(2))
	var text []string
	for _, l := range lines {
		text = append(text, l.Sign+strings.TrimSpace(l.Text))
	}
	want := []string{"…", " 1,", " 1", " ],", `-"n": 1,`, `+"n": 2,`, ` "b": [`, " 2,", " 2,", "…"}
	if !slices.Equal(text, want) {
		t.Errorf("the difference is %q, want %q", text, want)
	}
	if same := diffJSON(body(1), body(1)); same != nil {
		t.Errorf("the same differs by %q", same)
	}
	for _, l := range diffJSON("", body(1)) {
		if l.Sign != "+" {
			t.Fatalf("of a first body, %q is not new", l)
		}
	}
	huge := "[" + strings.Repeat("1,", 3*maxCompared) + "1]"
	if lines := diffJSON(strings.ReplaceAll(huge, "1", "3"), huge); len(lines) < 6*maxCompared {
		t.Errorf("a huge difference has %d lines", len(lines))
	}
}

// TestChangesOfBodies lists values that differ, whatever moved.
func TestChangesOfBodies(t *testing.T) {
	const before = `{"type":"T","payload":{"tenant":{"name":"Acme","contacts":[{"id":1,"first_name":"Ann","last_name":"Lee","email":"a@x"}]},
		"change":{"features":[{"code":"a","name":"Seats","quantity":5},{"code":"b","name":"Storage","quantity":1},{"code":"c","name":"Gone","value":"","quantity":null}],"list":[1,2]}}}`
	for _, c := range []struct {
		after string
		want  []string
	}{
		{before, nil},
		{`{"type":"T","payload":{"tenant":{"name":"Acme 2","contacts":[{"id":1,"first_name":"Ann","last_name":"Lee","email":"b@x"}]},
			"change":{"features":[{"code":"b","name":"Storage","quantity":null},{"code":"a","name":"Seats","quantity":9007199254740993},{"code":"d","name":"New","value":"x"}],"list":[1,3]}}}`,
			[]string{
				"Features › Storage › quantity|1|—", "Features › Seats › quantity|5|9007199254740993", "Features › New|—|code d, name New, value x", "Features › Gone|code c, name Gone|—",
				"List › 2|2|3", "Tenant › contacts › Ann Lee › email|a@x|b@x", "Tenant › name|Acme|Acme 2",
			}},
		{`{"payload":7}`, []string{"Payload|change features Seats, Storage, Gone, list 1, 2, tenant contacts Ann Lee, name Acme|7", "Type|T|—"}},
		{"no JSON", nil},
	} {
		var got []string
		for _, row := range bodyChanges(before, c.after).Rows {
			got = append(got, row[0].Text+"|"+row[1].Text+"|"+row[2].Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s changes\n%q, want\n%q", c.after, got, c.want)
		}
	}
	// Days are written as on every page; the lines below have them as they were sent.
	for _, row := range bodyChanges(`{"end_date":"2026-01-14"}`, `{"end_date":"2026-02-14"}`).Rows {
		if row[1].Text != "14 Jan 2026" || row[2].Text != "14 Feb 2026" {
			t.Errorf("a day changes from %q to %q", row[1].Text, row[2].Text)
		}
	}
	many := strings.Repeat("1,", 3*maxChanges) + "1"
	rows := bodyChanges("["+many+"]", "["+strings.ReplaceAll(many, "1", "2")+"]").Rows
	if len(rows) != maxChanges+1 || rows[maxChanges][0].Text != fmt.Sprintf("and %d further values", 2*maxChanges+1) {
		t.Errorf("many changes are %d rows, the last %v", len(rows), rows[len(rows)-1])
	}
}

// TestTimeLinesFit draws subscriptions of all kinds: nothing is outside of the
// picture, and no two labels stand on each other.
func TestTimeLinesFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		day := func(name string, from, to int) billing.Date {
			return billing.Date{Year: 2026, Month: time.January, Day: 15}.AddDays(rapid.IntRange(from, to).Draw(t, name))
		}
		start := day("start", -800, 60)
		s := billing.Subscription{StartDate: start, TermStartDate: start, EndDate: start.AddDays(rapid.IntRange(0, 800).Draw(t, "length")), State: rapid.SampledFrom(states).Draw(t, "state")}
		if rapid.Bool().Draw(t, "trial") {
			first, last := start.AddDays(-rapid.IntRange(1, 60).Draw(t, "trial")), start.AddDays(-1)
			s.TrialStartDate, s.TrialEndDate = &first, &last
		}
		if rapid.Bool().Draw(t, "canceled") {
			on := day("on", -60, 60)
			s.CancellationDate = &on
		}
		if rapid.Bool().Draw(t, "next") {
			s.NextPriceList = &billing.NextPriceList{ID: 1, On: s.EndDate}
		}
		var scheduled []scheduledItem
		for i := range rapid.IntRange(0, 4).Draw(t, "scheduled") {
			kind := rapid.SampledFrom([]billing.ScheduledKind{billing.ScheduledPlan, billing.ScheduledQuantity}).Draw(t, "kind")
			scheduled = append(scheduled, scheduledItem{Kind: kind, On: day("scheduled", -60, 900), Short: strings.Repeat("Seats", i+1)})
		}
		line := lineOf(&s, day("today", -900, 900), scheduled)
		for i, m := range line.Marks {
			if m.X < 0 || m.X > lineWidth {
				t.Fatalf("%s is at %v", m.Text, m.X)
			}
			for _, other := range line.Marks[:i] {
				if other.Level == m.Level && max(other.TextX-m.TextX, m.TextX-other.TextX) < 140 {
					t.Fatalf("%s and %s stand on each other", m.Text, other.Text)
				}
			}
		}
		for _, b := range line.Bands {
			if b.X < 0 || b.Width <= 0 || b.X+b.Width > lineWidth+0.001 {
				t.Fatalf("%s is from %v, %v wide", b.Text, b.X, b.Width)
			}
		}
	})
}

// TestTimeLinesTellTheTruth reads time lines: none promises what will not come.
func TestTimeLinesTellTheTruth(t *testing.T) {
	day := func(text string) billing.Date {
		d, err := billing.ParseDate(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	at := func(text string) *billing.Date { d := day(text); return &d }
	expire, activate := billing.TrialCancel, billing.TrialActivate
	term := billing.Subscription{ID: 7, State: billing.StateActive, Evergreen: true, RenewalTermMonths: 1, AnchorDay: 1,
		StartDate: day("2026-01-01"), TermStartDate: day("2026-01-01"), EndDate: day("2026-01-31"), AsOf: day("2026-01-10")}
	trial := term
	trial.State, trial.TrialStartDate, trial.TrialEndDate, trial.TrialExpirationAction = billing.StateTrial, at("2026-01-08"), at("2026-01-21"), &activate
	trial.StartDate, trial.TermStartDate, trial.EndDate = day("2026-01-22"), day("2026-01-22"), day("2026-02-21")
	with := func(s billing.Subscription, change func(*billing.Subscription)) billing.Subscription {
		change(&s)
		return s
	}
	for _, c := range []struct {
		name         string
		sub          billing.Subscription
		marks, bands string
		renewal      string
	}{
		{"a term", term, "Term starts 1 Jan 2026, Renews 1 Feb 2026", "Term", "Renews for 1 month"},
		{"one that ends", with(term, func(s *billing.Subscription) { s.Evergreen = false }), "Term starts 1 Jan 2026, Expires 1 Feb 2026", "Term", "Expires at the end of the term"},
		{"a scheduled cancellation", with(term, func(s *billing.Subscription) { s.CancellationDate = at("2026-02-01") }), "Term starts 1 Jan 2026, Ends 1 Feb 2026", "Term", "None: it ends on 1 Feb 2026"},
		{"canceled", with(term, func(s *billing.Subscription) { s.State, s.CancellationDate = billing.StateCanceled, at("2026-01-09") }), "Term starts 1 Jan 2026, Ended 9 Jan 2026", "Term", "None: it has ended"},
		{"a trial", trial, "Trial starts 8 Jan 2026, Paid term starts 22 Jan 2026, Renews 22 Feb 2026", "Trial Term", "Renews for 1 month"},
		{"a trial that expires", with(trial, func(s *billing.Subscription) { s.TrialExpirationAction = &expire }), "Trial starts 8 Jan 2026, Expires with its trial 22 Jan 2026", "Trial", "None: it ends with its trial"},
		{"a trial that is canceled", with(trial, func(s *billing.Subscription) { s.CancellationDate = at("2026-01-22") }), "Trial starts 8 Jan 2026, Ends 22 Jan 2026", "Trial", "None: it ends on 22 Jan 2026"},
		{"an expired trial", with(trial, func(s *billing.Subscription) { s.State, s.TrialEndDate = billing.StateTrialExpired, at("2026-01-09") }), "Trial starts 8 Jan 2026, Expired 10 Jan 2026", "Trial", "None: it has ended"},
		{"a number that its end comes before", with(term, func(s *billing.Subscription) {
			five := 5
			s.PriceListID, s.CancellationDate = 1, at("2026-02-01")
			s.Charges = []billing.SubscriptionCharge{
				{PriceListID: 1, ChargeID: 1, Code: "seats", Quantity: &five, StartDate: day("2026-01-01"), EndDate: day("2026-01-31")},
				{PriceListID: 1, ChargeID: 1, Code: "seats", Quantity: &five, StartDate: day("2026-02-01"), EndDate: day("2026-02-28")},
			}
		}), "Term starts 1 Jan 2026, Ends 1 Feb 2026", "Term", "None: it ends on 1 Feb 2026"},
		{"schedules", with(term, func(s *billing.Subscription) {
			s.PriceListID, s.NextPriceList = 1, &billing.NextPriceList{ID: 2, On: day("2026-02-01"), Quantities: []billing.PlannedQuantity{{Code: "seats", Quantity: new(int)}}}
			five := 5
			s.Charges = []billing.SubscriptionCharge{
				{PriceListID: 1, ChargeID: 1, Code: "seats", Quantity: &five, StartDate: day("2026-01-01"), EndDate: day("2026-01-19")},
				{PriceListID: 1, ChargeID: 1, Code: "seats", Quantity: &five, StartDate: day("2026-01-20"), EndDate: day("2026-01-31")},
			}
		}), "Term starts 1 Jan 2026, Renews 1 Feb 2026, Seats 5 20 Jan 2026, Plan Team 1 Feb 2026", "Term", "Continues with the next price list"},
	} {
		items := scheduledItems(c.sub.ScheduledChanges(), map[string]string{"seats": "Seats"}, "Team: Yearly")
		line := lineOf(&c.sub, day("2026-01-10"), items)
		var bands []string
		for _, b := range line.Bands {
			bands = append(bands, b.Text)
		}
		if want := "Today 10 Jan 2026, " + c.marks; line.Words != want || strings.Join(bands, " ") != c.bands {
			t.Errorf("%s: %s with %q, want %s with %q", c.name, line.Words, bands, want, c.bands)
		}
		// A telephone shows them as a list, in the order of their days.
		if !slices.IsSortedFunc(line.Days, func(a, b timeDay) int { return dayShown(t, a.Date).Compare(dayShown(t, b.Date)) }) || len(line.Days) != len(line.Marks) {
			t.Errorf("%s: the list is %v", c.name, line.Days)
		}
		if got := renewalWords(&c.sub); got != c.renewal {
			t.Errorf("%s: %s, want %s", c.name, got, c.renewal)
		}
		if term := termCell(&c.sub).Text; strings.Contains(c.bands, "Term") == (term == "no paid term") && (!c.sub.State.Ended() || c.sub.State == billing.StateTrialExpired) {
			t.Errorf("%s: the term is %s", c.name, term)
		}
	}
}

func dayShown(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse("2 Jan 2006", text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestPlansAreNamedOnce: many a price list has the plan in its own name.
func TestPlansAreNamedOnce(t *testing.T) {
	for list, want := range map[string]string{"Monthly": "Team: Monthly", "Team, monthly": "Team, monthly", "team (yearly)": "team (yearly)"} {
		if got := planAndList("Team", list); got != want {
			t.Errorf("%s is %q, want %q", list, got, want)
		}
	}
}

func TestWhatComesUp(t *testing.T) {
	for to, want := range map[billing.SubscriptionState]string{
		billing.StateActive: "becomes active", billing.StateTrial: "trial starts", billing.StateTrialExpired: "trial expires", billing.StateCanceled: "ends", billing.StateExpired: "expires",
	} {
		if got := nextWord(billing.KindStateChanged, to); got != want {
			t.Errorf("%s is coming up as %q, want %q", to, got, want)
		}
	}
}

// TestProblemsNameTheLabel: nobody in the console knows currencyId.
func TestProblemsNameTheLabel(t *testing.T) {
	for message, want := range map[string]string{
		"currencyId must not be empty.": "Currency must not be empty.", "The code is taken.": "The code is taken.", "\"x\" is not a code.": "\"x\" is not a code.",
	} {
		if got := byLabel(message, "Currency"); got != want {
			t.Errorf("%s is told as %q, want %q", message, got, want)
		}
	}
}

func TestBrowsersHaveNames(t *testing.T) {
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36":                           "Chrome 156 on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36 Edg/124.0.2478.51":       "Edge 124 on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 14.4; rv:125.0) Gecko/20100101 Firefox/125.0":                                                     "Firefox 125 on macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1": "Safari 17 on iPhone",
		"Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36":                   "Chrome 124 on Android",
		"Go-http-client/1.1": "Go-http-client/1.1", "": "",
	} {
		if got := browserWords(agent); got != want {
			t.Errorf("%s is %q, want %q", agent, got, want)
		}
	}
}

// TestPlaceOfAProxy: a request that only a proxy is known of is nobody's.
func TestPlaceOfAProxy(t *testing.T) {
	c := &Console{proxies: forwarded.Trust{netip.MustParsePrefix("10.0.0.0/8")}}
	for address, shared := range map[string]bool{"10.0.0.1": true, "192.0.2.1": false} {
		r := httptest.NewRequest(http.MethodPost, "/sign-in", nil)
		r.RemoteAddr = address
		if at := (&call{Console: c, r: r}).source(); at.Network != address || at.Shared != shared {
			t.Errorf("the place of %s is %+v", address, at)
		}
	}
}

// TestOutagesPass: only what passes is to be tried again.
func TestOutagesPass(t *testing.T) {
	for code, status := range map[string]int{"57P01": http.StatusServiceUnavailable, "53300": http.StatusServiceUnavailable, "42P01": http.StatusInternalServerError} {
		if shown := (&call{}).explain(&pgconn.PgError{Code: code}); shown.status != status {
			t.Errorf("%s is shown as %d", code, shown.status)
		}
	}
}

func TestThrottle(t *testing.T) {
	now := time.Duration(0)
	th := newThrottle(func() time.Duration { return now })
	from := func(email, network string) budget { return budgetOf(email, service.SignInSource{Network: network}) }
	take := func(email, network string) time.Duration { return th.take(from(email, network)) }
	for range pairPace.burst {
		if wait := take("ann", "192.0.2.1"); wait != 0 {
			t.Fatalf("wait %v", wait)
		}
	}
	if wait := take("ann", "192.0.2.1"); wait != pairPace.interval {
		t.Errorf("too many have to wait %v", wait)
	}
	if take("ann", "192.0.2.2") != 0 || take("bob", "192.0.2.1") != 0 {
		t.Error("others have to wait")
	}
	now += pairPace.interval
	if take("ann", "192.0.2.1") != 0 || take("ann", "192.0.2.1") == 0 {
		t.Error("there is not one more after the interval")
	}
	th.forgive(from("ann", "192.0.2.1"))
	if take("ann", "192.0.2.1") != 0 {
		t.Error("nothing was forgiven")
	}
	for i := range maxAttempts + 1000 {
		take(fmt.Sprint(i), fmt.Sprintf("host %d", i))
	}
	if n := len(th.whole); n > maxAttempts+3 {
		t.Errorf("%d are remembered", n)
	}
}

// TestThrottleOfMany has many addresses guess the password of one user: they
// get slow, and the places that the user knows have their budgets whole.
func TestThrottleOfMany(t *testing.T) {
	th := newThrottle(func() time.Duration { return 0 })
	passed := 0
	for i := range 1000 {
		if th.take(budgetOf("ann", service.SignInSource{Network: fmt.Sprint(i)})) == 0 {
			passed++
		}
	}
	if passed != userPace.burst {
		t.Errorf("%d guesses at once, want %d", passed, userPace.burst)
	}
	for known, burst := range map[service.Acquaintance]int{service.KnownNetwork: networkPace.burst, service.KnownDevice: devicePace.burst} {
		for i := range burst + 1 {
			wait := th.take(budgetOf("ann", service.SignInSource{Network: "7", Device: "own", Known: known}))
			if (wait > 0) != (i == burst) {
				t.Errorf("attempt %d from a place of kind %d has to wait %v", i+1, known, wait)
			}
		}
	}
	if th.take(ownBudget("ann")) != 0 {
		t.Error("who is signed in has to wait for others")
	}
}

func TestLocalPaths(t *testing.T) {
	for text, want := range map[string]string{
		"/accounts?q=a%20b": "/accounts?q=a%20b", "/": "/", "": "/", "accounts": "/", "//evil": "/", `/\evil`: "/", "https://evil/x": "/",
		"javascript:x": "/", "/a#b": "/a", "/%2F/evil": "/", "http:/x": "/", "/a\nb": "/",
	} {
		if got := localPath(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is %s", n, got)
		}
	}
}

func TestAccountsInAField(t *testing.T) {
	for typed, want := range map[string]billing.AccountID{"": 0, "#12": 12, "12": 12, " #12 Acme Inc ": 12, "#12 7 Dwarfs": 12, "#x": -1, "#": -1, "#0": -1, "12 Acme": -1, "#-3 Acme": -1, "Acme": -1} {
		id, e := parseAccount("accountId", typed)
		if e != nil {
			id = -1
		}
		if id != want {
			t.Errorf("%q is account %d, want %d (%v)", typed, id, want, e)
		}
	}
}

func TestTextsAreShortened(t *testing.T) {
	long := strings.Repeat("ä", longest+1)
	for _, c := range []struct{ given, want cell }{
		{plain("short"), plain("short")},
		{plain(long[:2*longest]), plain(long[:2*longest])},
		{plain(long).sub(long), plain(long[:2*longest] + "…").sub(long[:2*longest] + "…")},
		{to(long, "/"), to(long, "/")}, // the style sheet ends it
		{sentence(long), sentence(long)},
	} {
		if got := c.given.Short(); got != c.want {
			t.Errorf("%+v becomes %+v", c.given, got)
		}
	}
}
