package sample

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"

	"github.com/tenantry/tenantry/client/webhook"
)

// fact is a business event in the list of those that came in.
type fact struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Customer string `json:"customer"`
	// About is the number of an invoice, or why a standing has changed.
	About string `json:"about"`
}

// newBooks makes the handler for business events, as any system that is told of invoices
// and payments would.
func (a *App) newBooks() (http.Handler, error) {
	return webhook.NewEventHandler([]string{a.BooksSecret}, a.book, webhook.WithClock(a.Now), webhook.WithLog(slog.New(slog.DiscardHandler)))
}

// book notes a business event once, however often it comes.
func (a *App) book(_ context.Context, e webhook.Event) error {
	f := fact{ID: e.Delivery.ID, Type: e.Type, Customer: e.Account.Name, About: e.Data.Reason}
	if f.About == "" && e.Data.Invoice != nil {
		f.About = e.Data.Invoice.Number
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if slices.ContainsFunc(a.facts, func(known fact) bool { return known.ID == f.ID }) {
		return nil
	}
	a.facts = append(a.facts, f)
	if len(a.facts) > keptEntries {
		a.facts = a.facts[len(a.facts)-keptEntries:]
	}
	return nil
}

// listBooks lists the business events that came in, oldest first.
func (a *App) listBooks(w http.ResponseWriter, _ *http.Request) {
	a.mu.Lock()
	facts := slices.Clone(a.facts)
	a.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string][]fact{"events": facts})
}
