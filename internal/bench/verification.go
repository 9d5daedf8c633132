package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"time"
)

const (
	// verifiedRate is how many documents a second should be verified.
	verifiedRate = 20_000
	// verifiedMonths is how long each subscription was billed, every month.
	verifiedMonths = 12
)

// measureVerification verifies a year of documents with the ledger of their
// subscriptions, and compares that with reading the same rows and hashing them, which
// it cannot do without.
func measureVerification(r *run) []result {
	subs := max(1, r.subs/100/verifiedMonths)
	documents := subs * verifiedMonths
	c := r.newDebtors("verification", subs)
	for month := range verifiedMonths {
		c.moveTo(r.Context(), crowdDue.AddDate(0, month, 0))
		for left := subs; left > 0; {
			billed, _, _ := c.billBatch(r.Context())
			left -= billed
		}
	}
	if r.engine.name == "postgres" {
		r.execute(r.raw(c.database), "VACUUM (ANALYZE)", "CHECKPOINT")
	}
	verify := func(ctx context.Context) error {
		done, err := c.Invoicing.DocumentsVerify(ctx, nil, nil, nil)
		switch {
		case err != nil:
			return err
		case done.Failed > 0:
			return errors.New(done.Findings[0])
		case done.Documents != documents || done.Subscriptions != subs:
			return errors.New("not all documents and subscriptions were verified")
		}
		return nil
	}
	db := must(r.engine.bare(c.database))
	r.closing(db.Close)
	read := func(ctx context.Context) error { return readAll(ctx, db, documents, subs) }
	found := r.compareIn("documents, against reading", 4*turnTime, repeated("verify", documents, verify), repeated("bare", documents, read))
	return []result{r.result("documents verified", "/s", found.Measured, verifiedRate), found}
}

// repeated is a side that does something to so many things again and again.
func repeated(tag string, things int, do func(context.Context) error) side {
	return func(ctx context.Context, d time.Duration) (rate float64, err error) {
		tagged(ctx, tag, func(ctx context.Context) {
			times, start := 0, now()
			for err == nil && now().Sub(start) < d {
				err = do(ctx)
				times++
			}
			rate = float64(times*things) / now().Sub(start).Seconds()
		})
		return rate, err
	}
}

const (
	// rowReaders read rows at once, each so many documents at a time.
	rowReaders = 3
	readBatch  = 250
)

// The rows that are verified, of so many documents or subscriptions from a number on.
var (
	documentRows     = []string{`SELECT * FROM invoice WHERE id BETWEEN $1 AND $2`, `SELECT * FROM invoice_item WHERE invoice_id BETWEEN $1 AND $2`}
	subscriptionRows = []string{`SELECT * FROM subscription WHERE id BETWEEN $1 AND $2`, `SELECT * FROM ledger_key WHERE subscription_id BETWEEN $1 AND $2`}
)

// readAll reads the rows of documents and of subscriptions and hashes them.
func readAll(ctx context.Context, db *sql.DB, documents, subs int) error {
	return errors.Join(readRows(ctx, db, documentRows, documents), readRows(ctx, db, subscriptionRows, subs))
}

func readRows(ctx context.Context, db *sql.DB, texts []string, things int) error {
	batches := make(chan int)
	var wait sync.WaitGroup
	var errs [rowReaders]error
	for n := range errs {
		wait.Go(func() {
			for first := range batches {
				for _, text := range texts {
					errs[n] = errors.Join(errs[n], hashRows(ctx, db, text, first, first+readBatch-1))
				}
			}
		})
	}
	for first := 1; first <= things; first += readBatch {
		batches <- first
	}
	close(batches)
	wait.Wait()
	return errors.Join(errs[:]...)
}

// hashRows hashes every value of some rows.
func hashRows(ctx context.Context, db *sql.DB, text string, first, last int) error {
	rows, err := db.QueryContext(ctx, text, first, last)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
	for n := range values {
		into[n] = &values[n]
	}
	hash, seen := sha256.New(), 0
	for ; rows.Next(); seen++ {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for _, value := range values {
			hash.Write(value)
		}
	}
	if seen == 0 {
		return errors.New("there are no rows: " + strings.TrimSpace(text))
	}
	return rows.Err()
}
