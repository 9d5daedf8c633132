package impact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

const (
	mostSentences = 6 // about features; the data has all
	mostInWords   = 3 // tenants that a sentence names
)

// IsNothing says that nobody would be told anything, and nothing would cost more or less.
func (i *Impact) IsNothing() bool {
	return i.Tenants == 0 && i.Webhooks == 0 && i.Subscriptions == 0 && len(i.Money) == 0
}

// Sentences say for people what would happen.
func (i *Impact) Sentences() (said []string) {
	if i.IsNothing() {
		return []string{"No tenant, no subscription and no amount would change."}
	}
	said = i.Reach()
	for _, m := range i.Money {
		said = append(said, m.sentences()...)
	}
	return said
}

// Reach says what would happen to tenants and subscriptions.
func (i *Impact) Reach() (said []string) {
	groups := alike(i.Features)
	for n, g := range groups {
		if n == mostSentences {
			said = append(said, "Something changes for "+counted(len(groups)-n, "more feature", "more features")+" as well.")
			break
		}
		said = append(said, g.sentence())
	}
	if told := i.told(); told != "" {
		said = append(said, told)
	}
	return said
}

// told says how many are sent a webhook, and what for if they neither gain nor lose anything.
func (i *Impact) told() string {
	of := counted(i.Subscriptions, "subscription", "subscriptions")
	switch {
	case i.Tenants == 0 && i.Subscriptions == 0:
		return ""
	case i.Tenants == 0:
		return capital(of) + verb(i.Subscriptions, " changes", " change") + ", and no webhook is sent."
	case i.Webhooks == 0:
		return "No webhook is sent: applications are taken to have this already."
	case len(i.Features) == 0:
		return capital(counted(i.Tenants, "tenant", "tenants")) + verb(i.Tenants, " is", " are") + " sent a webhook. Nothing that" + verb(i.Tenants, " it", " they") + " may use changes today."
	case i.Webhooks == 1:
		return "" // it goes without saying
	case i.Seconds > 1:
		return capital(counted(i.Webhooks, "webhook is", "webhooks are")) + " sent, which takes about " + counted(i.Seconds, "second", "seconds") + "."
	}
	return capital(counted(i.Webhooks, "webhook is", "webhooks are")) + " sent."
}

// sentences say what is paid by the month, and what is billed today.
func (m *Money) sentences() (said []string) {
	if text, less := m.amount(m.PerMonth); text != "" {
		who := capital(counted(m.Customers, "customer pays ", "customers pay "))
		if m.Customers == 0 {
			who = "Customers pay "
		}
		said = append(said, who+text+" "+verb(less, "less", "more")+" a month.")
	}
	if text, less := m.amount(m.Now); text != "" {
		said = append(said, text+" is "+verb(less, "credited", "invoiced")+" today.")
	}
	return said
}

// amount is an amount without its sign, empty if it is nothing; less is 1 if it is below
// nothing.
func (m *Money) amount(text string) (words string, less int) {
	if strings.Trim(text, "-0.") == "" {
		return "", 0
	}
	if rest, below := strings.CutPrefix(text, "-"); below {
		text, less = rest, 1
	}
	whole, fraction, point := strings.Cut(text, ".")
	if words = m.Currency + " " + billing.Grouped(whole); point {
		words += "." + fraction
	}
	return words, less
}

// group is features to which the same happens, as far as is known.
type group struct {
	Feature
	names []string
}

// alike are features that the same tenants gain, lose or have differently.
func alike(features []Feature) (groups []group) {
	for n := range features {
		f := &features[n]
		at := slices.IndexFunc(groups, func(g group) bool {
			return g.Gain == f.Gain && g.Lose == f.Lose && g.Change == f.Change && slices.Equal(g.Tenants, f.Tenants)
		})
		if at < 0 {
			at, groups = len(groups), append(groups, group{Feature: *f})
		}
		groups[at].names = append(groups[at].names, f.title())
	}
	return groups
}

func (f *Feature) title() string {
	if f.Name == "" {
		return f.Code
	}
	return f.Name
}

func (g *group) sentence() string {
	it := "it"
	if len(g.names) > 1 {
		it = "them"
	}
	var parts []string
	add := func(tenants int, one, many string) {
		if tenants == 0 {
			return
		}
		who, what := counted(tenants, "tenant", "tenants"), enumerated(g.names)
		if len(parts) > 0 {
			who, what = billing.Grouped(strconv.Itoa(tenants)), it
		}
		parts = append(parts, who+" "+verb(tenants, one, many)+" "+what)
	}
	add(g.Gain, "gains", "gain")
	add(g.Lose, "loses", "lose")
	add(g.Change, "has another quantity or value of", "have another quantity or value of")
	return capital(enumerated(parts)) + g.who() + "."
}

// who names some of the tenants.
func (g *group) who() string {
	all := g.Gain + g.Lose + g.Change
	if len(g.Tenants) == 0 {
		return ""
	}
	some := slices.Clone(g.Tenants[:min(mostInWords, len(g.Tenants))])
	if all > len(some) {
		some = append(some, counted(all-len(some), "other", "others"))
	}
	return ": " + enumerated(some)
}

// counted is a number with its noun.
func counted(n int, one, many string) string {
	return billing.Grouped(strconv.Itoa(n)) + " " + verb(n, one, many)
}

// verb is a word in the singular or the plural.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// enumerated lists words in a sentence: "a, b and c".
func enumerated(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// capital is the beginning of a sentence.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
