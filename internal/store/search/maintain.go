package search

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/store/db"
)

const (
	// fragments is from how many segments on a search table is merged: every
	// lookup asks each of them.
	fragments = 4
	// mergePages is how much one transaction merges, so that writers wait for
	// milliseconds only.
	mergePages = 100
)

// Maintain tidies up the words of those tables, which many writes scatter, in
// small transactions. PostgreSQL does so by itself.
func Maintain(ctx context.Context, d *db.DB, tables ...string) error {
	if d.Engine() != "sqlite" {
		return nil
	}
	if err := settleLeft(ctx, d); err != nil {
		return err
	}
	for _, table := range tables {
		if err := mergeSegments(ctx, d, table+"_search"); err != nil {
			return fmt.Errorf("merge %s_search: %w", table, err)
		}
	}
	return nil
}

// settleLeft has the search tables told what somebody else wrote to the file.
// This process leaves nothing.
func settleLeft(ctx context.Context, d *db.DB) error {
	left, err := d.Queries().Number(ctx, "SELECT count(*) FROM search_change")
	if err != nil || left == 0 {
		return err
	}
	return d.Write(ctx, func(context.Context, *db.Tx) error { return nil })
}

// mergeSegments brings a search table that has many segments back to one.
func mergeSegments(ctx context.Context, d *db.DB, table string) error {
	segments, err := d.Queries().Number(ctx, fmt.Sprintf("SELECT count(DISTINCT segid) FROM %s_idx", table))
	if err != nil || segments < fragments {
		return err
	}
	// A negative number starts to merge everything, positive ones go on; when
	// there is nothing left to do, a step changes less than two rows.
	for pages, more := -mergePages, true; more && ctx.Err() == nil; pages = mergePages {
		err := d.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
			before, err := tx.Number(ctx, "SELECT total_changes()")
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, fmt.Sprintf("INSERT INTO %s (%s, rank) VALUES ('merge', $1)", table, table), pages); err != nil {
				return err
			}
			after, err := tx.Number(ctx, "SELECT total_changes()")
			more = after-before >= 2
			return err
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
