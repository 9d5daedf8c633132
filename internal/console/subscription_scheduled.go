package console

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// scheduledItem is a scheduled change for people.
type scheduledItem struct {
	ID   string
	Kind subscription.ScheduledKind
	On   billing.Date
	// Short fits on the time line; What says all of it, but for the day.
	Short, What string
	// Moot says that the subscription ends first.
	Moot bool
}

// Words is the change with its day.
func (i scheduledItem) Words() string {
	if i.Kind == subscription.ScheduledCancellation {
		return i.What + " on " + ui.DayText(i.On)
	}
	return i.What + " from " + ui.DayText(i.On)
}

// Day is its day for people.
func (i scheduledItem) Day() string { return ui.DayText(i.On) }

// scheduledOf is what is scheduled for a subscription.
func scheduledOf(c *call, s *subscription.Subscription) ([]scheduledItem, error) {
	changes := s.ScheduledChanges()
	if len(changes) == 0 {
		return nil, nil
	}
	names, list := map[string]string{}, ""
	for _, line := range s.Charges {
		names[line.Code] = line.Name
	}
	if s.NextPriceList != nil {
		next, err := store.LoadOffer(c.ctx(), c.q(), s.NextPriceList.ID)
		if err != nil {
			return nil, err
		}
		if next != nil {
			for _, charge := range next.Charges {
				names[charge.Code] = charge.Name
			}
			if list, err = listName(c, &next.PriceList); err != nil {
				return nil, err
			}
		}
	}
	return scheduledItems(changes, names, list), nil
}

// scheduledItems writes changes for people. names are those of charges by code,
// list that of the next price list.
func scheduledItems(changes []subscription.ScheduledChange, names map[string]string, list string) []scheduledItem {
	items := make([]scheduledItem, len(changes))
	for i, change := range changes {
		var numbers []string
		for _, q := range change.Quantities {
			name := names[q.Code]
			if name == "" {
				name = q.Code
			}
			numbers = append(numbers, name+" "+numberWord(q.Quantity))
		}
		item := scheduledItem{ID: change.ID, Kind: change.Kind, On: change.On}
		switch change.Kind {
		case subscription.ScheduledCancellation:
			item.What = "Ends"
		case subscription.ScheduledPlan:
			item.What = "Plan " + list
			if len(numbers) > 0 {
				item.What += ", " + strings.Join(numbers, ", ")
			}
			plan, _, _ := strings.Cut(list, ": ")
			item.Short = "Plan " + ui.Shortened(plan, 24)
		default:
			item.What = strings.Join(numbers, ", ")
			if item.Short = ui.Shortened(numbers[0], 24); len(numbers) > 1 {
				item.Short = ui.Plural(len(numbers), "quantity", "quantities") + " change"
			}
		}
		if change.Unused == subscription.KeepUnused {
			item.What += ", with unused days kept,"
		}
		items[i] = item
	}
	if i := slices.IndexFunc(items, func(item scheduledItem) bool { return item.Kind == subscription.ScheduledCancellation }); i >= 0 {
		for j := range items {
			items[j].Moot = j != i && !items[j].On.Before(items[i].On)
		}
	}
	return items
}

// numberWord is a quantity for people.
func numberWord(n *int) string {
	if n == nil {
		return "taken off"
	}
	return ui.Grouped(*n)
}

// takeBack takes a scheduled change back, if it is still what the page showed.
func takeBack(c *call, s *subscription.Subscription) error {
	items, err := scheduledOf(c, s)
	if err != nil {
		return err
	}
	here, id := subscriptionHref(s.ID), c.value("change")
	i := slices.IndexFunc(items, func(item scheduledItem) bool { return item.ID == id })
	if i < 0 {
		text := "The change has happened, or was taken back or replaced, and nothing was done."
		for _, item := range items {
			text += " Now scheduled: " + item.Words() + "."
		}
		return &pageError{status: http.StatusConflict, title: "There is nothing to take back", text: text, back: &ui.Link{Text: "Back to the subscription", Href: here}}
	}
	_, err = c.service.Subscriptions.SubscriptionScheduledChangeCancel(c.ctx(), id)
	if problems, known := billing.AsProblems(err); known {
		return &pageError{status: http.StatusConflict, title: "That cannot be taken back now",
			text: forPeople(problems[0].Message), back: &ui.Link{Text: "Back to the subscription", Href: here}}
	}
	if err != nil {
		return err
	}
	return c.goTo(here, "Taken back: "+items[i].Words()+".")
}

// scheduledSection asks what becomes of changes that are scheduled already, if
// there are any. keep says what keeping them means.
func scheduledSection(items []scheduledItem, keep string, required bool) []ui.Section[order] {
	if len(items) == 0 {
		return nil
	}
	var words []string
	for _, item := range items {
		words = append(words, item.Words())
	}
	in := ui.Choice("scheduled", "What is scheduled", func(o *order) *subscription.Scheduled { return &o.Scheduled },
		ui.Option{Value: "", Text: "Choose…"}, ui.Option{Value: string(subscription.KeepScheduled), Text: "Keep it" + keep}, ui.Option{Value: string(subscription.ReplaceScheduled), Text: "Drop it"})
	in.Field.Required = required
	return []ui.Section[order]{{Title: "Already scheduled", Help: strings.Join(words, "; ") + ".", Inputs: []ui.Input[order]{in.Wide()}}}
}

// ofKinds are the changes of some kinds.
func ofKinds(items []scheduledItem, kinds ...subscription.ScheduledKind) (of []scheduledItem) {
	for _, item := range items {
		if slices.Contains(kinds, item.Kind) {
			of = append(of, item)
		}
	}
	return of
}

// formWords has what messages say about the API in the words of the forms.
var formWords = strings.NewReplacer(
	"Give scheduled: KEEP", "Choose “Keep it”", "give scheduled: KEEP", "choose “Keep it”",
	"give scheduled: REPLACE", "choose “Drop it”", "scheduled: REPLACE", "“Drop it”",
	"give term: KEEP", "let the term keep its end", " for it in quantities", " for it",
	"Leave trial out, or give trialAgain: true to allow another one.", "Start without a trial, or allow another one.",
)

var isoDay = regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`)

// forPeople writes a message of an operation as a form says it.
func forPeople(message string) string {
	return daysInWords(formWords.Replace(message))
}

// fieldNames are the fields of forms for arguments of operations that are
// called something else.
var fieldNames = map[string]string{"atTermEnd": "when", "priceListCode": "priceListId"}

// forForm puts problems beside the fields of a form, in its words. sent are the
// quantities that the operation got.
func forForm(problems billing.Problems, sent []subscription.QuantityOrder) billing.Problems {
	shown := make(billing.Problems, len(problems))
	for i, p := range problems {
		told := *p
		told.Message = forPeople(p.Message)
		path := strings.Split(strings.Join(p.Field, "."), ".")
		switch other := fieldNames[path[0]]; {
		case other != "":
			told.Field = []string{other}
		case path[0] == "quantities" && len(path) > 1:
			if n, err := strconv.Atoi(path[1]); err == nil && n < len(sent) {
				told.Field = []string{"quantity:" + sent[n].Code}
			}
		}
		shown[i] = &told
	}
	return shown
}
