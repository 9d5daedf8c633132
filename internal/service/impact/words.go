package impact

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

const (
	mostSentences = 6 // about features; the data has all
	mostInWords   = 3 // tenants that a sentence names
	mostSteps     = 3 // days from which on customers pay something else; the data has all
)

// IsNothing says that nobody would be told anything, and nothing would cost more or less.
func (i *Impact) IsNothing() bool {
	return i.Tenants == 0 && i.Webhooks == 0 && i.Subscriptions == 0 && len(i.Money) == 0
}

// Sentence says for people one thing that would happen.
type Sentence struct {
	Text string
	// Tenants are the codes of those it is about, as far as they are known, and Others
	// how many more there are; none if the text names them all.
	Tenants []string
	Others  int
	// Accounts are those that a sentence about money is about, in place of tenants.
	Accounts []billing.AccountID
	// Suspended says that it is about tenants that are suspended.
	Suspended bool
}

// Sentences say for people what would happen.
func (i *Impact) Sentences() []Sentence {
	if i.IsNothing() {
		return []Sentence{{Text: "No tenant, no subscription and no amount would change."}}
	}
	said := i.Reach()
	for _, m := range i.Money {
		said = append(said, m.sentences()...)
	}
	return said
}

// Reach says what would happen to tenants and subscriptions.
func (i *Impact) Reach() (said []Sentence) {
	groups := alike(i.Features)
	for n, g := range groups {
		if n == mostSentences {
			said = append(said, Sentence{Text: "Something changes for " + counted(len(groups)-n, "more feature", "more features") + " as well."})
			break
		}
		said = append(said, g.sentence())
	}
	if text := i.suspended(); text != "" {
		said = append(said, Sentence{Text: text, Suspended: true})
	}
	if text := i.told(); text != "" {
		said = append(said, Sentence{Text: text})
	}
	return said
}

// suspended says for how many tenants nothing changes yet.
func (i *Impact) suspended() string {
	if i.Suspended == 0 {
		return ""
	}
	return "For " + counted(i.Suspended, "tenant", "tenants") + " nothing changes yet: suspended until" + verb(i.Suspended, " its", " their") + " invoices are paid."
}

// untouched says that some of those that are sent a webhook have the same as before.
func (i *Impact) untouched() bool {
	touched := 0
	for n := range i.Features {
		touched += i.Features[n].all()
	}
	return i.Tenants > touched
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
	}
	said := capital(counted(i.Webhooks, "webhook is", "webhooks are")) + " sent"
	if i.untouched() {
		said += ", also to tenants for which nothing changes"
	}
	if i.Seconds > 1 {
		return said + ". This takes about " + counted(i.Seconds, "second", "seconds") + "."
	}
	return said + "."
}

// sentences say what is paid by the month, today and later, and what is billed today.
func (m *Money) sentences() (said []Sentence) {
	if m.Customers > 0 {
		said = append(said, m.recurs(&m.Recurring, ""))
	}
	if text, less := m.amount(m.Now); text != "" {
		said = append(said, Sentence{Text: text + " is " + verb(less, "credited", "invoiced") + " today."})
	}
	for n := range m.Later {
		if l := &m.Later[n]; n < mostSteps-1 || n == len(m.Later)-1 {
			said = append(said, m.recurs(&l.Recurring, l.From.Start(time.UTC).Format("2 Jan 2006")))
		}
	}
	return said
}

// recurs says what is paid by the month, from a day on if it is given.
func (m *Money) recurs(r *Recurring, from string) Sentence {
	text, less := m.amount(r.PerMonth)
	switch {
	case r.Customers == 0:
		return Sentence{Text: "From " + from + " on, all pay what they would pay anyway."}
	case text == "":
		text = "more or less a month, and as much together"
	default:
		text += " " + verb(less, "less", "more") + " a month"
	}
	if from != "" {
		text += " from " + from + " on"
	}
	return Sentence{Text: capital(counted(r.Customers, "customer pays ", "customers pay ")) + text + ".", Accounts: r.Accounts, Others: r.Customers - len(r.Accounts)}
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

// alike are features that the same tenants gain, lose or have differently. What changes from
// one value to another is said for each feature by itself.
func alike(features []Feature) (groups []group) {
	for n := range features {
		f := &features[n]
		at := slices.IndexFunc(groups, func(g group) bool {
			return f.Change == 0 && g.Change == 0 && g.Gain == f.Gain && g.Lose == f.Lose && slices.Equal(g.Tenants, f.Tenants)
		})
		if at < 0 {
			at, groups = len(groups), append(groups, group{Feature: *f})
		}
		groups[at].names = append(groups[at].names, f.gained())
	}
	return groups
}

func (f *Feature) all() int { return f.Gain + f.Lose + f.Change }

func (f *Feature) title() string {
	if f.Name == "" {
		return f.Code
	}
	return f.Name
}

// gained is the feature with how much of it is gained, if that is the same for all.
func (f *Feature) gained() string {
	if f.Change == 0 && len(f.Values) == 1 && f.Values[0].After != "" {
		return f.title() + " (" + f.Values[0].After + ")"
	}
	return f.title()
}

func (g *group) sentence() Sentence {
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
	if g.Change > 0 {
		parts = append(parts, g.changes(len(parts) > 0))
	}
	names, others := g.who()
	said := Sentence{Text: capital(enumerated(parts)) + names + "."}
	if others > 0 && len(g.Tenants) > mostInWords {
		said.Tenants, said.Others = g.Tenants, g.all()-len(g.Tenants)
	}
	return said
}

// changes says from what to what a feature changes. Known says that the sentence has named
// it.
func (g *group) changes(known bool) string {
	who, what := counted(g.Change, "tenant", "tenants"), g.title()
	if known {
		who, what = billing.Grouped(strconv.Itoa(g.Change)), "it"
	}
	moved := slices.DeleteFunc(slices.Clone(g.Values), func(v Values) bool { return v.Before == "" || v.After == "" })
	switch len(moved) {
	case 0:
		return "for " + who + " the quantity or value of " + what + " changes"
	case 1:
		return "for " + who + " " + what + " changes from " + moved[0].Before + " to " + moved[0].After
	}
	var ways []string
	rest := g.Change
	for _, v := range moved[:min(len(moved), mostInWords)] {
		ways = append(ways, "from "+v.Before+" to "+v.After+" for "+billing.Grouped(strconv.Itoa(v.Tenants)))
		rest -= v.Tenants
	}
	if rest > 0 {
		ways = append(ways, "otherwise for "+billing.Grouped(strconv.Itoa(rest)))
	}
	return "for " + who + " " + what + " changes (" + enumerated(ways) + ")"
}

// who names some of the tenants, and says how many others there are.
func (g *group) who() (names string, others int) {
	if len(g.Tenants) == 0 {
		return "", 0
	}
	some := slices.Clone(g.Tenants[:min(mostInWords, len(g.Tenants))])
	if others = g.all() - len(some); others > 0 {
		some = append(some, counted(others, "other", "others"))
	}
	return ": " + enumerated(some), others
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
