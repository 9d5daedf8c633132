package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Collections keeps collect.Collection.
var Collections = newTable(Table[collect.Collection, billing.PaymentCollectionID]{
	name: "payment_collection",
	id:   func(c *collect.Collection) *billing.PaymentCollectionID { return &c.ID },
	columns: []string{
		"uuid", "account_id", "entity_id", "payment_method_id", "provider", "currency_id", "scale", "amount", "line_text", "state", "attempts",
		"outcome", "code", "message", "hard", "reference", "fee", "payment_id", "next_at", "test_clock_id",
	},
	fields: func(c *collect.Collection) []any {
		return []any{
			&c.UUID, &c.AccountID, &c.EntityID, &c.PaymentMethodID, &c.Provider, column.Currency(&c.Currency), scaleOf(&c.Currency), &c.Amount, &c.LineText, &c.State, &c.Attempts,
			&c.Outcome, &c.Code, &c.Message, &c.Hard, &c.Reference, &c.Fee, &c.PaymentID, column.OptionalMillis(&c.NextAt), &c.TestClockID,
		}
	},
	stamps: func(c *collect.Collection) (*time.Time, *time.Time) { return &c.CreatedAt, &c.UpdatedAt },
	words:  func(c *collect.Collection) []string { return []string{c.LineText} },
	filters: map[string]field{
		"account": {"account_id", refer, []string{"account"}}, "state": {"state", enum, []string{"PENDING", "SUCCEEDED", "FAILED", "REVERSED"}},
	},
})

// ClaimCollections returns collections on real time whose time has come, at most limit
// of them, and puts them off to a later time, so that nobody else asks meanwhile.
func ClaimCollections(ctx context.Context, tx *Tx, until time.Time, limit int) ([]collect.Collection, error) {
	columns, scan := Collections.Projection(nil)
	text := `UPDATE payment_collection SET next_at = $1 WHERE id IN (SELECT id FROM payment_collection
		WHERE next_at <= $2 AND next_at IS NOT NULL AND test_clock_id IS NULL ORDER BY next_at, id LIMIT $3` + tx.Dialect.ForUpdateSkip + `) RETURNING ` + columns
	return Collections.rows(ctx, tx.Queries, text, []any{until.UnixMilli(), tx.Now.UnixMilli(), limit}, 0, scan)
}

// NextCollection is when a provider is to be asked next for collections on real time,
// or on a test clock, and whether that is so.
func NextCollection(ctx context.Context, q Queries, clock *billing.TestClockID) (at time.Time, found bool, err error) {
	if clock != nil {
		found, err = q.One(ctx, `SELECT next_at FROM payment_collection WHERE test_clock_id = $1 AND next_at IS NOT NULL ORDER BY next_at LIMIT 1`,
			[]any{int64(*clock)}, column.Millis(&at))
		return at, found, err
	}
	found, err = q.One(ctx, `SELECT next_at FROM payment_collection WHERE next_at IS NOT NULL AND test_clock_id IS NULL ORDER BY next_at LIMIT 1`, nil, column.Millis(&at))
	return at, found, err
}

// CollectionsOnClock returns the collections on a test clock whose time has come by a
// time, at most limit of them.
func CollectionsOnClock(ctx context.Context, q Queries, clock billing.TestClockID, by time.Time, limit int) ([]collect.Collection, error) {
	columns, scan := Collections.Projection(nil)
	text := `SELECT ` + columns + ` FROM payment_collection WHERE test_clock_id = $1 AND next_at IS NOT NULL AND next_at <= $2 ORDER BY next_at, id LIMIT $3`
	return Collections.rows(ctx, q, text, []any{int64(clock), by.UnixMilli(), limit}, 0, scan)
}

// CollectionByUUID returns the collection with a UUID, nil if there is none.
func CollectionByUUID(ctx context.Context, q Queries, uuid string) (*collect.Collection, error) {
	return Collections.by(ctx, q, "uuid", uuid)
}

// CollectionsOfInvoices returns the collections of invoices with what they ask for
// each, oldest first.
func CollectionsOfInvoices(ctx context.Context, q Queries, invoices []billing.InvoiceID) (rows []collect.Collection, parts []collect.Part, err error) {
	if parts, err = partRows(ctx, q, `invoice_id`, db.JSONList(invoices)); err != nil || len(parts) == 0 {
		return nil, nil, err
	}
	ids := make([]billing.PaymentCollectionID, len(parts))
	for n := range parts {
		ids[n] = parts[n].CollectionID
	}
	rows, err = Collections.ByIDs(ctx, q, ids)
	return rows, parts, err
}

// PartsOfCollections returns what collections ask for which invoices.
func PartsOfCollections(ctx context.Context, q Queries, ids []billing.PaymentCollectionID) ([]collect.Part, error) {
	return partRows(ctx, q, `payment_collection_id`, db.JSONList(ids))
}

func partRows(ctx context.Context, q Queries, by string, list any) (parts []collect.Part, err error) {
	err = q.Each(ctx, `SELECT payment_collection_id, invoice_id, amount FROM payment_collection_invoice WHERE `+by+` IN (SELECT value FROM json_each($1))
		ORDER BY payment_collection_id, invoice_id`, []any{list}, func(rows scanner) error {
		var p collect.Part
		err := rows.Scan(&p.CollectionID, &p.InvoiceID, &p.Amount)
		parts = append(parts, p)
		return err
	})
	return parts, err
}

// LastCollections returns the last collection of each of the invoices that has one: the
// one that is open, or else the one with the last attempt.
func LastCollections(ctx context.Context, q Queries, invoices []billing.InvoiceID) (map[billing.InvoiceID]*collect.Last, error) {
	found := map[billing.InvoiceID]*collect.Last{}
	err := q.Each(ctx, `SELECT part.invoice_id, c.id, c.payment_method_id, c.state, c.outcome, c.hard, attempt.started_at
		FROM payment_collection_invoice part JOIN payment_collection c ON c.id = part.payment_collection_id
		JOIN payment_attempt attempt ON attempt.payment_collection_id = c.id AND attempt.number = c.attempts
		WHERE part.invoice_id IN (SELECT value FROM json_each($1)) ORDER BY part.invoice_id, part.is_open, attempt.started_at, c.id`, []any{db.JSONList(invoices)}, func(rows scanner) error {
		var l collect.Last
		err := rows.Scan(&l.InvoiceID, &l.CollectionID, &l.PaymentMethodID, &l.State, &l.Outcome, &l.Hard, column.Millis(&l.At))
		found[l.InvoiceID] = &l
		return err
	})
	return found, err
}

var insertParts = &db.Batch{
	Columns: []db.Column{{"collection", "BIGINT"}, {"invoice", "BIGINT"}, {"amount", "BIGINT"}},
	Statement: `INSERT INTO payment_collection_invoice (payment_collection_id, invoice_id, amount, is_open)
		SELECT new.collection, new.invoice, new.amount, 1 FROM new WHERE true`,
}

// InsertParts writes what new collections ask for which invoices. The database refuses
// a second collection of an invoice while another one is open.
func InsertParts(ctx context.Context, tx *Tx, parts []collect.Part) error {
	return insertParts.Run(ctx, tx, len(parts), func(n int) []any {
		return []any{int64(parts[n].CollectionID), int64(parts[n].InvoiceID), int64(parts[n].Amount)}
	}, nil)
}

// SaveCollections writes what has become of collections.
func SaveCollections(ctx context.Context, tx *Tx, rows []*collect.Collection) error {
	for _, c := range rows {
		c.UpdatedAt = tx.Now
	}
	err := saveCollections.Run(ctx, tx, len(rows), func(n int) []any {
		c := rows[n]
		return []any{
			int64(c.ID), string(c.State), c.Attempts, string(c.Outcome), c.Code, c.Message, c.Hard, c.Reference, int64(c.Fee), c.PaymentID,
			column.OptionalMillis(&c.NextAt), tx.Now.UnixMilli(),
		}
	}, nil)
	if err != nil {
		return err
	}
	return saveOpenParts.Run(ctx, tx, len(rows), func(n int) []any {
		open := 0
		if rows[n].IsOpen() {
			open = 1
		}
		return []any{int64(rows[n].ID), open}
	}, nil)
}

var saveCollections = &db.Batch{
	Columns: []db.Column{
		{"of", "BIGINT"}, {"state", "TEXT"}, {"attempts", "BIGINT"}, {"outcome", "TEXT"}, {"code", "TEXT"}, {"message", "TEXT"}, {"hard", "BOOLEAN"}, {"reference", "TEXT"},
		{"fee", "BIGINT"}, {"payment", "BIGINT"}, {"next", "BIGINT"}, {"at", "BIGINT"},
	},
	Statement: `UPDATE payment_collection SET state = new.state, attempts = new.attempts, outcome = new.outcome, code = new.code, message = new.message, hard = new.hard,
		reference = new.reference, fee = new.fee, payment_id = new.payment, next_at = new.next, updated_at = new.at FROM new WHERE payment_collection.id = new.of`,
}

var saveOpenParts = &db.Batch{
	Columns:   []db.Column{{"of", "BIGINT"}, {"is_open", "BIGINT"}},
	Statement: `UPDATE payment_collection_invoice SET is_open = new.is_open FROM new WHERE payment_collection_invoice.payment_collection_id = new.of`,
}

// SeeNotice notes that a provider has told something, and reports whether it had not
// before.
func SeeNotice(ctx context.Context, tx *Tx, provider collect.Provider, id string) (fresh bool, err error) {
	rows, err := tx.Exec(ctx, `INSERT INTO payment_notice (provider, id, received_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, string(provider), id, tx.Now.UnixMilli())
	return rows > 0, err
}

// ForgetNotices removes what providers told before a time, after which they repeat
// nothing, at most limit of them.
func ForgetNotices(ctx context.Context, tx *Tx, before time.Time, limit int) (int64, error) {
	return tx.Exec(ctx, `DELETE FROM payment_notice WHERE (provider, id) IN (SELECT provider, id FROM payment_notice WHERE received_at < $1 ORDER BY received_at LIMIT $2)`, before.UnixMilli(), limit)
}
