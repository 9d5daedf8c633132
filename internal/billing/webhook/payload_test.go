package webhook

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"pgregory.net/rapid"
)

// exampleState is a tenant with one contact and no subscription yet.
func exampleState() *ProvisioningState {
	return &ProvisioningState{
		Tenant:   billing.Tenant{ID: 31, Code: "acme", Name: "Acme"},
		Platform: Platform{ID: 2, Code: "crm", Name: "CRM"},
		Account:  billing.Account{ID: 5, Name: "Acme Ltd", BillingDay: 15},
		Contacts: []billing.Contact{{ID: 8, FirstName: "Ann", LastName: new("Lee"), Email: new("ann@acme.example")}},
	}
}

// date is the date of a text that is known to be one.
func date(text string) *billing.Date {
	d, err := billing.ParseDate(text)
	if err != nil {
		panic(err)
	}
	return &d
}

// subscribed is a subscription on a plan with a feature of each kind. Its dates
// are those of the first term, and those of a trial if there was one.
func subscribed(id billing.SubscriptionID, state subscription.State, users int, dates ...string) ProvisioningSubscription {
	s := ProvisioningSubscription{
		Subscription: subscription.Subscription{ID: id, ProductID: 1, State: state, StartDate: *date(dates[0]), EndDate: *date(dates[1])},
		Plan:         catalog.Plan{Code: new("pro"), Name: "Pro"},
		PriceList:    catalog.PriceList{Code: "monthly", Name: "Monthly"},
		Product:      catalog.Product{Code: "suite", Name: "Suite"},
	}
	if len(dates) > 2 {
		s.TrialStartDate, s.TrialEndDate = date(dates[2]), date(dates[3])
	}
	if state.Live() {
		s.Features = []subscription.ProvisionedFeature{
			{Code: "users", Name: "USERS", Kind: catalog.Quantity, Position: 1, Quantity: &users},
			{Code: "storage", Name: "STORAGE", Kind: catalog.Quantity, Position: 2},
			{Code: "sso", Name: "SSO", Kind: catalog.Boolean, Position: 3},
			{Code: "region", Name: "REGION", Kind: catalog.Value, Position: 4, Value: "eu"},
		}
	}
	return s
}

// example is an example of a subscription in each state.
func example(id billing.SubscriptionID, state subscription.State) ProvisioningSubscription {
	switch state {
	case subscription.StatePending:
		return subscribed(id, state, 1, "2026-04-01", "2026-04-30")
	case subscription.StateTrial:
		return subscribed(id, state, 1, "2026-03-15", "2026-04-14", "2026-03-01", "2026-03-14")
	case subscription.StateExpired:
		return subscribed(id, state, 1, "2026-02-01", "2026-02-28")
	case subscription.StateTrialExpired:
		return subscribed(id, state, 1, "2026-02-15", "2026-03-14", "2026-02-01", "2026-02-14")
	case subscription.StateCanceled:
		return canceledOn(id, "2026-03-05")
	}
	return subscribed(id, state, 1, "2026-03-01", "2026-03-31")
}

func canceledOn(id billing.SubscriptionID, on string) ProvisioningSubscription {
	s := subscribed(id, subscription.StateCanceled, 1, "2026-03-01", "2026-03-31")
	s.CancellationDate = date(on)
	return s
}

func withSeats(id billing.SubscriptionID) ProvisioningSubscription {
	return subscribed(id, subscription.StateActive, 5, "2026-01-01", "2026-01-31")
}

func trialing(id billing.SubscriptionID) ProvisioningSubscription {
	return subscribed(id, subscription.StateTrial, 5, "2026-01-15", "2026-02-14", "2026-01-01", "2026-01-14")
}

// ofProduct moves a subscription to another product.
func ofProduct(s ProvisioningSubscription, id billing.ProductID, code string) ProvisioningSubscription {
	s.ProductID, s.Product = id, catalog.Product{Code: code, Name: strings.ToUpper(code)}
	return s
}

// bodies are the cases of the golden files.
func bodies() map[string]*ProvisioningState {
	cases := map[string]*ProvisioningState{"no-subscription": exampleState()}
	add := func(name string, subscriptions ...ProvisioningSubscription) *ProvisioningState {
		cases[name] = exampleState()
		cases[name].Subscriptions = subscriptions
		return cases[name]
	}
	for _, state := range []subscription.State{subscription.StatePending, subscription.StateTrial, subscription.StateActive, subscription.StateCanceled, subscription.StateExpired, subscription.StateTrialExpired} {
		add(strings.ReplaceAll(state.Wire(), "_", "-"), example(12, state))
	}
	add("pending-trial", subscribed(12, subscription.StatePending, 1, "2026-02-15", "2026-03-14", "2026-02-01", "2026-02-14"))
	add("active-after-trial", subscribed(12, subscription.StateActive, 5, "2026-01-15", "2026-03-14", "2026-01-01", "2026-01-14"))
	add("canceled-in-trial", subscribed(12, subscription.StateCanceled, 5, "2026-01-15", "2026-02-14", "2026-01-01", "2026-01-14"))
	add("canceled-while-pending", subscribed(12, subscription.StateCanceled, 1, "2026-04-01", "2026-04-30"))
	add("quantity-set", withSeats(12))
	add("quantity-zero", subscribed(12, subscription.StateActive, 0, "2026-01-01", "2026-01-31"))
	add("several-products",
		ofProduct(example(14, subscription.StateExpired), 2, "analytics"),
		withSeats(13), example(15, subscription.StatePending),
		example(11, subscription.StateCanceled),
		ofProduct(example(10, subscription.StateCanceled), 2, "analytics"),
		ofProduct(trialing(16), 3, "backup"),
	)
	add("no-contacts", example(12, subscription.StateActive)).Contacts = nil
	add("contacts-without-strings", example(12, subscription.StateActive)).Contacts = []billing.Contact{
		{ID: 8}, {ID: 9, FirstName: "Bo", LastName: new("")}, {ID: 1<<53 - 1, FirstName: "Cy", Email: new("cy@acme.example")},
	}
	for name, text := range map[string]string{
		"quotes": `say "hi" \ to/it's`, "html": "<a href='x'>&amp;</a>", "emoji": "👩‍👩‍👧 🏳️‍🌈 é e\u0301",
		"separators": "line\u2028paragraph\u2029end\u0085\u00a0\ufeff", "controls": "\x01\b\t\n\v\f\r\x1b\x1f\x7f",
		"not-utf8": "a\xffb\xed\xa0\x80c",
	} {
		s := add("names-with-"+name, withSeats(12))
		s.Tenant.Code, s.Tenant.Name, s.Platform.Code, s.Platform.Name, s.Account.Name = text, text, text, text, text
		s.Contacts[0] = billing.Contact{ID: 8, FirstName: text, LastName: &text, Email: &text}
		told := &s.Subscriptions[0]
		told.Plan, told.PriceList, told.Product = catalog.Plan{Name: text}, catalog.PriceList{Code: text, Name: text}, catalog.Product{Code: text, Name: text}
		told.Features = []subscription.ProvisionedFeature{{Code: text, Name: text, Value: text, Kind: catalog.Value}}
	}
	return cases
}

// The golden files are written anew with
//
//	TENANTRY_UPDATE=1 go test -run TestBodies ./internal/billing/webhook
func TestBodies(t *testing.T) {
	cases := bodies()
	for name, state := range cases {
		path, body := filepath.Join("testdata", "bodies", name+".json"), state.Body()
		if os.Getenv("TENANTRY_UPDATE") == "1" {
			if err := os.WriteFile(path, body, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(body, want) {
			t.Errorf("%s: body is\n%s\nwant\n%s", name, body, want)
		}
		if !json.Valid(body) || !utf8.Valid(body) {
			t.Errorf("%s is not JSON in UTF-8", name)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "bodies", "*"))
	if err != nil || len(files) != len(cases) {
		t.Errorf("there are %d files for %d cases: %v", len(files), len(cases), err)
	}
}

// The whole of a body, to be read beside the documentation.
func TestBodyHasItsFieldsInOrder(t *testing.T) {
	state := exampleState()
	s := trialing(12)
	s.Features = s.Features[:2]
	state.Subscriptions = []ProvisioningSubscription{s}
	want := `{"type":"TenantProvisioningChange","payload":{` +
		`"tenant":{"id":31,"code":"acme","name":"Acme",` +
		`"platform":{"id":2,"code":"crm","name":"CRM"},` +
		`"account":{"id":5,"name":"Acme Ltd","billing_day":15,` +
		`"contacts":[{"id":8,"first_name":"Ann","last_name":"Lee","email":"ann@acme.example"}]}},` +
		`"change":{"features":[{"code":"users","name":"USERS","value":"","quantity":5},{"code":"storage","name":"STORAGE","value":"","quantity":null}],` +
		`"subscriptions":[{"id":12,"state":"trial","start_date":"2026-01-15","end_date":"2026-02-14",` +
		`"trial_start_date":"2026-01-01","trial_end_date":"2026-01-14",` +
		`"plan":{"code":"pro","name":"Pro"},"price_list":{"code":"monthly","name":"Monthly"},"product":{"code":"suite","name":"Suite"},` +
		`"features":[{"code":"users","name":"USERS","value":"","quantity":5},{"code":"storage","name":"STORAGE","value":"","quantity":null}]}]}}}`
	if got := string(state.Body()); got != want {
		t.Errorf("body is\n%s\nwant\n%s", got, want)
	}
	if got := string(FeaturesJSON(s.Features[:1])); got != `[{"code":"users","name":"USERS","value":"","quantity":5}]` {
		t.Errorf("features are %s", got)
	}
	if got := string(FeaturesJSON(nil)); got != "[]" {
		t.Errorf("no features are %s", got)
	}
}

func TestWhichSubscriptionsAreTold(t *testing.T) {
	end := func(id billing.SubscriptionID, product billing.ProductID, day string) ProvisioningSubscription {
		return ofProduct(canceledOn(id, day), product, "p")
	}
	open := func(id billing.SubscriptionID, product billing.ProductID, state subscription.State) ProvisioningSubscription {
		return ofProduct(example(id, state), product, "p")
	}
	for _, c := range []struct {
		name          string
		subscriptions []ProvisioningSubscription
		want          []billing.SubscriptionID
	}{
		{"none", nil, nil},
		{"all that are open, by id", []ProvisioningSubscription{open(3, 1, subscription.StateActive), open(1, 1, subscription.StatePending), open(2, 1, subscription.StateTrial)}, []billing.SubscriptionID{1, 2, 3}},
		{"an open one hides those that ended", []ProvisioningSubscription{end(1, 1, "2026-01-10"), open(2, 1, subscription.StatePending), end(3, 1, "2026-01-20")}, []billing.SubscriptionID{2}},
		{"of those that ended the last", []ProvisioningSubscription{end(1, 1, "2026-01-10"), end(2, 1, "2026-01-20"), end(3, 1, "2026-01-15")}, []billing.SubscriptionID{2}},
		{"of two on one day the younger", []ProvisioningSubscription{end(2, 1, "2026-01-10"), end(1, 1, "2026-01-10")}, []billing.SubscriptionID{2}},
		{"each product for itself", []ProvisioningSubscription{end(1, 1, "2026-01-10"), open(2, 2, subscription.StateActive), end(3, 2, "2026-01-10"), end(4, 3, "2026-01-05")}, []billing.SubscriptionID{1, 2, 4}},
		{"an expired one ended after its last day", []ProvisioningSubscription{open(1, 1, subscription.StateExpired), end(2, 1, "2026-01-10")}, []billing.SubscriptionID{1}},
	} {
		state := exampleState()
		state.Subscriptions = c.subscriptions
		var got []billing.SubscriptionID
		for _, s := range state.told() {
			got = append(got, s.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: told of %v, want %v", c.name, got, c.want)
		}
	}
}

// One that was brought to a later day after it ended did not end later.
func TestEndedLastGoesByTheDayItEnded(t *testing.T) {
	state := exampleState()
	state.Subscriptions = []ProvisioningSubscription{canceledOn(2, "2026-03-04"), canceledOn(1, "2026-03-05")}
	state.Subscriptions[0].AsOf = *date("2026-12-31")
	if told := state.told(); len(told) != 1 || told[0].ID != 1 {
		t.Errorf("told of %d", told[0].ID)
	}
}

func TestTenantFeaturesComeFromWhatIsLive(t *testing.T) {
	state := exampleState()
	state.Subscriptions = []ProvisioningSubscription{
		withSeats(2), ofProduct(trialing(1), 2, "p"), example(3, subscription.StateCanceled),
	}
	state.Subscriptions[2].Features = []subscription.ProvisionedFeature{{Code: "ghost"}}
	state.Subscriptions[1].Features[3].Value = "of the oldest"
	got := state.Features()
	if len(got) != 4 || *got[0].Quantity != 10 || got[3].Value != "of the oldest" {
		t.Errorf("%+v", got)
	}
	if state.Subscriptions[0].ID != 2 {
		t.Error("the order of the subscriptions was changed")
	}
}

func encoded(text string) []byte { return (&bodyWriter{}).text(text).body }

// What is written reads back as it was, with each byte that is no text replaced.
func TestTextReadsBack(t *testing.T) {
	runes := rapid.OneOf(rapid.RuneFrom([]rune("\"\\/<>&\b\f\n\r\t\x00\x1f\x7f\u2028\u2029\ufeff\ufffd")), rapid.Rune())
	texts := rapid.OneOf(rapid.StringOf(runes), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		text := texts.Draw(t, "text")
		body := encoded(text)
		var back string
		if err := json.Unmarshal(body, &back); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if want := string([]rune(text)); back != want {
			t.Fatalf("%q was written as %s, which is %q", text, body, back)
		}
		if bytes.ContainsFunc(body, func(r rune) bool { return r < ' ' }) {
			t.Fatalf("control characters in %q", body)
		}
	})
}

// rewrite has Node parse and print each of the lines again.
const rewrite = `const text = require("fs").readFileSync(0, "utf8");
process.stdout.write(text.split("\n").map((line) => JSON.stringify(JSON.parse(line))).join("\n"));`

// Receivers that verify a body after parsing it depend on this.
func TestBodiesSurviveJavaScript(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("Node is not installed")
		}
		t.Skip("Node is not installed: bodies were not taken through JSON.parse and JSON.stringify")
	}
	names, lines := []string{}, [][]byte{}
	cases := bodies()
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		names, lines = append(names, name), append(lines, cases[name].Body())
	}
	var text []rune
	for r := rune(0); r <= utf8.MaxRune; r++ { // every character there is
		if text = append(text, r); len(text) == 1<<14 || r == utf8.MaxRune {
			names, lines = append(names, "characters up to "+string(r)), append(lines, encoded(string(text)))
			text = text[:0]
		}
	}
	command := exec.Command(node, "-e", rewrite)
	command.Stdin, command.Stderr = bytes.NewReader(bytes.Join(lines, []byte("\n"))), os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	again := bytes.Split(out, []byte("\n"))
	if len(again) != len(lines) {
		t.Fatalf("%d lines came back of %d", len(again), len(lines))
	}
	for i, name := range names {
		if !bytes.Equal(again[i], lines[i]) {
			t.Errorf("%s comes back changed", name)
		}
	}
}
