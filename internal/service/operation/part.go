package operation

import (
	"context"
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// partsAtOnce is how many parts of a thing are read with one statement.
const partsAtOnce = 500

// AuditDeletedParts records that the parts of a thing are deleted together with it. field
// is what a filter calls the thing; as a filter finds things by their code
// too, isPart tells which are its own.
func (r Resource[T, K]) AuditDeletedParts(ctx context.Context, tx *store.Tx, field string, id int64, isPart func(*T) bool) error {
	owner := billing.Term{Field: field, Op: billing.Equal, Value: strconv.FormatInt(id, 10)}
	page := store.Page{Filter: billing.Filter{Terms: []billing.Term{owner}}, Limit: partsAtOnce}
	for {
		rows, err := r.Table.List(ctx, tx.Queries, page)
		if err != nil {
			return err
		}
		for i := range rows {
			page.After = int64(r.ID(&rows[i]))
			if !isPart(&rows[i]) {
				continue
			}
			if err := Audit(ctx, tx, r.Name+"Delete", r.Name, page.After, billing.Changes(&rows[i], nil)); err != nil {
				return err
			}
		}
		if len(rows) < page.Limit {
			return nil
		}
	}
}
