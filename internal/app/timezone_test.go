package app_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Two zones that never have the same date: one is 25 hours ahead of the other.
const (
	west = "Pacific/Pago_Pago"
	east = "Pacific/Kiritimati"
)

func dateIn(t testing.TB, zone string) string {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	return time.Now().In(location).Format(time.DateOnly)
}

// sell makes something to subscribe to and an account, and returns its id.
func sell(t testing.TB, s *server, token string) (account string) {
	t.Helper()
	product := ask(t, s.url, token, `mutation { productCreate(attributes: {code: "crm", name: "CRM"}) { product { id } } }`, nil).
		text(t, "data", "productCreate", "product", "id")
	plan := ask(t, s.url, token, `mutation ($p: ID!) { planCreate(attributes: {productId: $p, name: "Pro"}) { plan { id } } }`, map[string]any{"p": product}).
		text(t, "data", "planCreate", "plan", "id")
	ask(t, s.url, token, `mutation ($p: ID!) { priceListCreate(attributes: {planId: $p, code: "monthly", name: "Monthly", currencyId: "EUR"}) { priceList { id } } }`, map[string]any{"p": plan}).
		text(t, "data", "priceListCreate", "priceList", "id")
	return ask(t, s.url, token, `mutation { accountCreate(attributes: {name: "Acme"}) { account { id } } }`, nil).
		text(t, "data", "accountCreate", "account", "id")
}

// subscribe makes a subscription that ends on a day, or is renewed if that is
// empty, and returns its id and its first day.
func subscribe(t testing.TB, s *server, token, account, end string) (id, start string) {
	t.Helper()
	attributes := map[string]any{"accountId": account, "priceListCode": "monthly"}
	if end != "" {
		attributes["endDate"], attributes["evergreen"] = end, false
	}
	a := ask(t, s.url, token, `mutation ($a: SubscriptionAttributes!) { subscriptionCreate(attributes: $a) { subscription { id startDate } errors } }`, map[string]any{"a": attributes})
	return a.text(t, "data", "subscriptionCreate", "subscription", "id"), a.text(t, "data", "subscriptionCreate", "subscription", "startDate")
}

func TestATimeZoneSetBesideAServerIsFollowedWithinASecond(t *testing.T) {
	t.Parallel()
	besideServer(t, func(t *testing.T, s *server, e env, database []string) {
		set := func(zone string) outcome {
			t.Helper()
			done := command(t, e, append(append([]string{"timezone"}, database...), zone)...)
			if done.code != 0 || done.stdout != zone+"\n" || !strings.Contains(done.stderr, "within a second") {
				t.Fatalf("exits with %d, prints %q and says %q", done.code, done.stdout, done.stderr)
			}
			return done
		}
		token := s.firstToken(t)
		account := sell(t, s, token)
		set(west)
		before := dateIn(t, west)
		_, start := subscribe(t, s, token, account, "")
		if start != before && start != dateIn(t, west) {
			t.Errorf("in %s it is %s, and a subscription starts on %s", west, before, start)
		}
		last, _ := subscribe(t, s, token, account, dateIn(t, west))
		state := func() string {
			return ask(t, s.url, token, `query ($s: ID!) { subscription(id: $s) { state } }`, map[string]any{"s": last}).text(t, "data", "subscription", "state")
		}
		if now := state(); now != "ACTIVE" && dateIn(t, west) == before {
			t.Errorf("on its last day it is %s", now)
		}
		set(east)
		// Its last day is over in the east. The engine hears of it and moves it.
		eventually(t, patience, "a subscription ends at midnight of the new zone", func() bool { return state() == "EXPIRED" })
		if _, start := subscribe(t, s, token, account, ""); start != dateIn(t, east) && start <= before {
			t.Errorf("in %s it is %s, and a subscription starts on %s", east, dateIn(t, east), start)
		}
		audit := ask(t, s.url, token, `{ auditEntries(filter: "action:timeZoneSet") { actor detail } }`, nil)
		for _, want := range []string{west, east, "command by "} {
			if !strings.Contains(audit.body, want) {
				t.Errorf("the audit log does not say %q: %s", want, audit.body)
			}
		}
	})
}

func TestTimeZoneIsShown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if said := mustFail(t, nil, "timezone", "--data-dir", dir); !strings.Contains(said, "there is no database to work on") {
		t.Errorf("without a database it says %q", said)
	}
	mustCommand(t, nil, "migrate", "--data-dir", dir)
	for _, zone := range []string{"UTC", "Europe/Zurich", "Asia/Kolkata"} {
		if zone != "UTC" {
			mustCommand(t, nil, "timezone", zone, "--data-dir", dir)
		}
		done := command(t, nil, "timezone", "--data-dir", dir)
		if done.code != 0 || done.stdout != zone+"\n" || !regexp.MustCompile(`the next one is at \d{4}-\d\d-\d\dT00:00:00\S+ \(\S+Z\)\n$`).MatchString(done.stderr) {
			t.Errorf("%s: exits with %d, prints %q and says %q", zone, done.code, done.stdout, done.stderr)
		}
	}
	for _, wrong := range []string{"Mars/Olympus", "Local", ""} {
		done := command(t, nil, "timezone", "--data-dir", dir, wrong)
		if done.code != 2 || done.stdout != "" || !strings.Contains(done.stderr, fmt.Sprintf("There is no time zone %q", wrong)) || !strings.Contains(done.stderr, "Europe/Berlin") {
			t.Errorf("%q: exits with %d, prints %q and says %q", wrong, done.code, done.stdout, done.stderr)
		}
	}
	if now := mustCommand(t, nil, "timezone", "--data-dir", dir); now != "Asia/Kolkata\n" {
		t.Errorf("after mistakes the time zone is %q", now)
	}
}
