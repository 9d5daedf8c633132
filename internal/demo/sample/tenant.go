package sample

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/client/webhook"
)

// tenant is what the application knows of a tenant.
type tenant struct {
	id                   int64 // at Tenantry
	platform, code, name string
	sequence             int64
	features             []webhook.Feature
	subscriptions        []webhook.Subscription
	// used is how much of what has a limit is in use. That is the
	// application's own business.
	used      map[string]int64
	changes   []string
	changedAt time.Time
	version   int
	// hand is what became of it since somebody changed it by hand, nil if nobody did;
	// broken is how often that was.
	hand   *hand
	broken int
}

// ability is something that the application can do, if it is bought.
type ability struct{ code, name string }

// abilities are what each platform can do. An application knows that by
// itself; whether a tenant may, it is told.
var abilities = map[string][]ability{
	"harbour": {
		{"users", "Users"}, {"storage", "Storage (GB)"}, {"sso", "Single sign-on"}, {"audit", "Audit log"}, {"automation", "Automations"},
		{"mailboxes", "Mailboxes"}, {"campaigns", "Campaigns"}, {"support", "Support"},
	},
	"beacon": {
		{"events", "Events (million)"}, {"dashboards", "Dashboards"}, {"export", "Data export"}, {"alerts", "Alerts"}, {"retention", "Retention"},
	},
}

// become makes the tenant what a webhook says and returns what that changed, in
// words.
func (t *tenant) become(told *webhook.Change) []string {
	before := *t
	t.id, t.name, t.sequence = told.Tenant.ID, told.Tenant.Name, told.Delivery.Sequence
	t.features, t.subscriptions = told.Features, told.Subscriptions
	for _, f := range t.features {
		if _, seen := t.used[f.Code]; !seen && f.Quantity != nil {
			t.used[f.Code] = t.usual(f)
		}
	}
	if before.sequence == 0 {
		return []string{"is new here"}
	}
	return differences(&before, t)
}

// usual is how much of a limit a tenant has in use when it is first seen, so
// that there is something to see: half of it to nearly all.
func (t *tenant) usual(f webhook.Feature) int64 {
	h := fnv.New32a()
	fmt.Fprint(h, t.platform, t.code, f.Code)
	return *f.Quantity * int64(50+h.Sum32()%45) / 100
}

func (t *tenant) feature(code string) *webhook.Feature {
	for i := range t.features {
		if t.features[i].Code == code {
			return &t.features[i]
		}
	}
	return nil
}

// differences are what is new about a tenant.
func differences(before, after *tenant) (changes []string) {
	if before.name != after.name {
		changes = append(changes, before.name+" → "+after.name)
	}
	for i := range after.features {
		is := &after.features[i]
		was := before.feature(is.Code)
		switch {
		case was == nil:
			changes = append(changes, "+ "+is.Name)
		case amount(was) != amount(is):
			changes = append(changes, fmt.Sprintf("%s %s → %s", is.Name, amount(was), amount(is)))
		}
	}
	for _, was := range before.features {
		if after.feature(was.Code) == nil {
			changes = append(changes, "− "+was.Name)
		}
	}
	was, is := terms(before.subscriptions), terms(after.subscriptions)
	for _, text := range is {
		if !slices.Contains(was, text) {
			changes = append(changes, text)
		}
	}
	if len(changes) == 0 {
		return []string{"nothing new"}
	}
	return changes
}

// amount is how much of a feature there is, in words.
func amount(f *webhook.Feature) string {
	switch {
	case f.Quantity != nil:
		return fmt.Sprint(*f.Quantity)
	case f.Value != "":
		return f.Value
	}
	return "without limit"
}

// terms are subscriptions in words.
func terms(list []webhook.Subscription) (texts []string) {
	for _, s := range list {
		text := s.Product.Name + " " + s.Plan.Name + " is " + strings.ReplaceAll(string(s.State), "_", " ")
		if s.State == webhook.Active {
			text += " to " + string(s.EndDate)
		}
		texts = append(texts, text)
	}
	return texts
}
