package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// maxEvents is how many events one list shows at the most.
const maxEvents = 1000

func eventsList(ctx context.Context, p Process, args []string) error {
	f := newFlags(p, "events list")
	text := f.String("filter", "", "words and terms such as \"platform:cloud state:exhausted tenant:acme created:>=2026-01-31\"")
	limit := f.number("limit", 50, "how many to show at most")
	after := f.number("after", 0, "show those behind the event of this id")
	return task{flags: f, do: func(st *store.Store, _ []string) error {
		if *limit < 1 || *limit > maxEvents {
			return usage("--limit must be from 1 to %d, not %d", maxEvents, *limit)
		}
		filter, err := billing.ParseFilter(*text)
		if err != nil {
			return eventProblems(err)
		}
		events, err := log.ListEvents(ctx, st.Queries(), store.Page{Filter: filter, After: int64(*after), Limit: int(*limit) + 1})
		if err != nil {
			return eventProblems(err)
		}
		more := len(events) > int(*limit)
		events = events[:min(len(events), int(*limit))]
		if err := printEvents(ctx, p.Stdout, st, events); err != nil {
			return err
		}
		if more {
			fmt.Fprintf(p.Stderr, "there are more: go on with --after %d\n", events[len(events)-1].ID)
		}
		return nil
	}}.run(ctx, p, args)
}

// eventProblems says what is wrong with a filter or an event in words.
func eventProblems(err error) error {
	if problems, known := billing.AsProblems(err); known {
		return errors.New(problemTexts(problems, nil))
	}
	return err
}

// problemTexts are problems in a line, each with the flag that sets its field.
func problemTexts(problems billing.Problems, flagOf map[string]string) string {
	texts := make([]string, len(problems))
	for i, problem := range problems {
		texts[i] = strings.TrimSuffix(problem.Message, ".")
		if name := flagOf[strings.Join(problem.Field, ".")]; name != "" {
			texts[i] = name + ": " + texts[i]
		}
	}
	return strings.Join(texts, "; ")
}

// standings finds out where events stand and whom they are about.
type standings struct {
	streams   map[billing.StreamID]*webhook.Stream
	endpoints map[billing.PlatformID]webhook.EndpointState
	platforms map[billing.PlatformID]string
	subjects  map[webhook.Subject]string
}

func standingsOf(ctx context.Context, st *store.Store, events []log.LoggedEvent) (s standings, err error) {
	s = standings{
		endpoints: map[billing.PlatformID]webhook.EndpointState{}, platforms: map[billing.PlatformID]string{}, subjects: map[webhook.Subject]string{},
	}
	var platforms []billing.PlatformID
	var streams []billing.StreamID
	var tenants []billing.TenantID
	var accounts []billing.AccountID
	for _, e := range events {
		platforms, streams = append(platforms, e.PlatformID), append(streams, e.Delivery.StreamID)
		tenants, accounts = append(tenants, e.Subject.Tenant()), append(accounts, e.Subject.Account())
	}
	if s.streams, err = outbox.Streams(ctx, st.Queries(), streams); err != nil {
		return s, err
	}
	routes, err := outbox.RoutesOf(ctx, st.Queries(), platforms)
	if err != nil {
		return s, err
	}
	for i := range routes {
		s.endpoints[routes[i].Platform.ID], s.platforms[routes[i].Platform.ID] = routes[i].State(), routes[i].Platform.Code
	}
	rows, err := store.Tenants.ByIDs(ctx, st.Queries(), tenants)
	if err != nil {
		return s, err
	}
	for _, t := range rows {
		s.subjects[webhook.OfTenant(t.ID)] = t.Code
	}
	owners, err := store.Accounts.ByIDs(ctx, st.Queries(), accounts)
	for _, a := range owners {
		s.subjects[webhook.OfAccount(a.ID)] = a.Name
	}
	return s, err
}

func (s standings) state(e *log.LoggedEvent) string {
	return strings.ToLower(string(e.Delivery.Stage(s.streams[e.Delivery.StreamID], s.endpoints[e.PlatformID])))
}

// subject is the code of an event's tenant, or the name of its account; a test has
// neither.
func (s standings) subject(e *log.LoggedEvent) string {
	if e.Delivery.StreamID == 0 {
		return "(test)"
	}
	return s.subjects[e.Subject]
}

func printEvents(ctx context.Context, out io.Writer, st *store.Store, events []log.LoggedEvent) error {
	s, err := standingsOf(ctx, st, events)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tRECORDED\tPLATFORM\tTENANT\tNUMBER\tSTATE\tREASON")
	for i := range events {
		e := &events[i]
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%d\t%s\t%s\n", e.ID, e.CreatedAt.Format(time.RFC3339),
			oneLine(s.platforms[e.PlatformID]), oneLine(s.subject(e)), e.Sequence, s.state(e), oneLine(e.Reason))
	}
	return table.Flush()
}

// eventNumbered reads the argument that names an event.
func eventNumbered(text string) (billing.EventID, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		return 0, usage("an event is named by its number, such as 12, not %q; \"tenantry events list\" shows them", text)
	}
	return billing.EventID(id), nil
}

func eventsShow(ctx context.Context, p Process, args []string) error {
	return task{flags: newFlags(p, "events show"), arguments: []string{"EVENT"}, do: func(st *store.Store, arguments []string) error {
		id, err := eventNumbered(arguments[0])
		if err != nil {
			return err
		}
		events, err := log.LoggedEvents(ctx, st.Queries(), []billing.EventID{id})
		if err != nil {
			return err
		}
		if len(events) == 0 {
			return fmt.Errorf("there is no webhook event %d; \"tenantry events list\" shows them", id)
		}
		if err := printEvents(ctx, p.Stdout, st, events); err != nil {
			return err
		}
		if err := printAttempts(ctx, p.Stdout, st, id); err != nil {
			return err
		}
		return printBody(ctx, p.Stdout, st, &events[0])
	}}.run(ctx, p, args)
}

func printAttempts(ctx context.Context, out io.Writer, st *store.Store, id billing.EventID) error {
	deliveries, err := outbox.DeliveriesOf(ctx, st.Queries(), []billing.EventID{id})
	if err != nil {
		return err
	}
	ids := make([]billing.DeliveryID, len(deliveries))
	causes := map[billing.DeliveryID]string{}
	for i, d := range deliveries {
		ids[i], causes[d.ID] = d.ID, d.Cause
	}
	attempts, err := outbox.AttemptsOf(ctx, st.Queries(), ids)
	if err != nil {
		return err
	}
	if len(attempts) == 0 {
		fmt.Fprintln(out, "\nno request was made yet")
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nSTARTED\tBECAUSE OF\tATTEMPT\tOUTCOME\tSTATUS\tTOOK\tADDRESS\tERROR")
	for _, a := range attempts {
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", a.StartedAt.Format(time.RFC3339), causes[a.DeliveryID], a.Number, a.Outcome,
			status(a.Status), took(&a), oneLine(a.URL), oneLine(orDash(a.Error)))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if last := attempts[len(attempts)-1]; last.ResponseBody != nil && *last.ResponseBody != "" {
		fmt.Fprintf(out, "\nthe last answer:\n%s\n", printable(*last.ResponseBody))
	}
	return nil
}

func status(code *int) string {
	if code == nil {
		return "-"
	}
	return strconv.Itoa(*code)
}

func took(a *webhook.Attempt) string {
	if a.FinishedAt == nil {
		return "-"
	}
	return a.FinishedAt.Sub(a.StartedAt).String()
}

func orDash(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}

// printable keeps a text from taking over the terminal, line by line.
func printable(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, oneLine(line))
	}
	return strings.Join(lines, "\n")
}

func printBody(ctx context.Context, out io.Writer, st *store.Store, e *log.LoggedEvent) error {
	bodies, err := log.EventBodies(ctx, st.Queries(), []billing.EventID{e.ID})
	if err != nil {
		return err
	}
	body := bodies[e.ID]
	if body.Previous != nil {
		differences, err := webhook.Differences([]byte(*body.Previous), []byte(body.Body))
		if err != nil {
			return err
		}
		fmt.Fprintln(out, "\ndifference to the event before:")
		for _, d := range differences {
			fmt.Fprintf(out, "  %s: %s -> %s\n", oneLine(d.Path), oneLine(jsonOrNothing(d.From)), oneLine(jsonOrNothing(d.To)))
		}
		if len(differences) == 0 {
			fmt.Fprintln(out, "  none")
		}
	}
	sent := body.Body
	if e.Delivery.Body != nil {
		sent = *e.Delivery.Body
	}
	fmt.Fprintf(out, "\nbody:\n%s\n", printable(sent))
	return nil
}

func jsonOrNothing(value json.RawMessage) string {
	if value == nil {
		return "nothing"
	}
	return string(value)
}

func eventsResend(ctx context.Context, p Process, args []string) error {
	f := newFlags(p, "events resend")
	filter := f.String("filter", "", "send all that match again, such as \"platform:cloud state:exhausted\", instead of one EVENT")
	all := f.choice("all", "with --filter: send every match, and not only the newest of each tenant")
	dry := f.choice("dry-run", "with --filter: only count")
	force := f.choice("force", "send an EVENT even if that takes its tenant back in time")
	shown := f.preview()
	return task{flags: f, arguments: []string{"[EVENT]"}, do: func(st *store.Store, arguments []string) error {
		svc := service.New(st, nil, nil)
		switch {
		case len(arguments) == 0 && *filter == "":
			return usage("name an EVENT, or give --filter")
		case len(arguments) == 1 && *filter != "":
			return usage("name an EVENT or give --filter, not both")
		case bool(*dry) && bool(*shown.on):
			return usage("give --dry-run or --preview, not both: a preview counts too")
		}
		if err := shown.check(); err != nil {
			return err
		}
		if bool(*shown.on) {
			return shown.show(byCommand(ctx), p, svc.Impact.Foretell, func(ctx context.Context) error {
				if len(arguments) == 1 {
					return resendOne(ctx, io.Discard, svc, arguments[0], bool(*force))
				}
				_, err := svc.Delivery.WebhookEventsResend(ctx, *filter, !bool(*all), false)
				return eventProblems(err)
			})
		}
		if len(arguments) == 1 {
			return resendOne(byCommand(ctx), p.Stdout, svc, arguments[0], bool(*force))
		}
		many, err := svc.Delivery.WebhookEventsResend(byCommand(ctx), *filter, !bool(*all), bool(*dry))
		if err != nil {
			return eventProblems(err)
		}
		if many.Job == nil {
			fmt.Fprintf(p.Stdout, "%s\n", matching(many.Count))
			return nil
		}
		fmt.Fprintf(p.Stdout, "%s; job %d sends them\n", matching(many.Count), many.Job.ID)
		return nil
	}}.run(ctx, p, args)
}

func resendOne(ctx context.Context, out io.Writer, svc *service.Service, argument string, force bool) error {
	id, err := eventNumbered(argument)
	if err != nil {
		return err
	}
	if _, err := svc.Delivery.WebhookEventResend(ctx, id, force); err != nil {
		return eventProblems(err)
	}
	fmt.Fprintf(out, "event %d is queued again\n", id)
	return nil
}

// matching says how many events match.
func matching(n int) string {
	if n == 1 {
		return "1 event matches"
	}
	return counted(n, "event") + " match"
}
