package doctor

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/store"
)

// checkCollections finds collections whose outcome nobody knows and nobody asks for any
// more: what they are for cannot be charged until a person says what became of them.
func checkCollections(ctx context.Context, p *Patient) ([]Finding, error) {
	waiting, err := store.CollectionsForPerson(ctx, p.store.Queries(), shown+1)
	const remedy = "look at the payment provider whether it was charged, and settle it under Collections in the console, or with paymentCollectionSettle"
	var found []Finding
	for n := range waiting[:min(len(waiting), shown)] {
		c := &waiting[n]
		found = append(found, problem(fmt.Sprintf("collection %d", c.ID), remedy,
			"nobody knows whether %s %s was charged for %s, and nothing more is charged for it until a person says so", c.Currency.Code, c.Currency.Format(c.Amount), c.LineText))
	}
	return append(found, further(waiting, "collection", remedy)...), err
}
