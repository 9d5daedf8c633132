package demo

import "github.com/tenantry/tenantry/internal/billing/webhook"

// books is the code of the event endpoint that is told of invoices and payments.
const books = "books"

// makeBooks has business events sent from now on, and returns the secret that signs them.
// What happened before is not told: nobody would wait for it.
func (y *year) makeBooks() (signing string, err error) {
	endpoint, err := y.service.Delivery.EventEndpointCreate(y.ctx, func(e *webhook.EventEndpoint) error {
		e.Code, e.Name, e.URL, e.Types, e.TestClocks = books, "Books", y.WebhookURL(books), webhook.BusinessTypes(), true
		return nil
	})
	if err != nil {
		return "", err
	}
	return y.service.Delivery.EventSigningSecret(endpoint)
}
