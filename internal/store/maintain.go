package store

import (
	"context"
	"fmt"
)

const (
	// fragments is from how many segments on a search table is merged: every
	// lookup asks each of them.
	fragments = 4
	// mergePages is how much one transaction merges, so that writers wait for
	// milliseconds only.
	mergePages = 100
)

// searchTables are the tables of words that SQLite keeps beside the tables
// they belong to.
var searchTables = []string{"account_search", "contact_search", "tenant_search", "subscription_search"}

// Maintain tidies up what grows untidy with many writes, in small
// transactions. PostgreSQL does so by itself.
func (s *Store) Maintain(ctx context.Context) error {
	if s.Engine() != "sqlite" {
		return nil
	}
	if err := s.settleLeft(ctx); err != nil {
		return err
	}
	for _, table := range searchTables {
		if err := s.mergeSearch(ctx, table); err != nil {
			return fmt.Errorf("merge %s: %w", table, err)
		}
	}
	return nil
}

// settleLeft has the search tables told what somebody else wrote to the file.
// A Store leaves nothing.
func (s *Store) settleLeft(ctx context.Context) error {
	left, err := s.Queries().Number(ctx, "SELECT count(*) FROM search_change")
	if err != nil || left == 0 {
		return err
	}
	return s.Write(ctx, func(context.Context, *Tx) error { return nil })
}

// mergeSearch brings a search table that has many segments back to one.
func (s *Store) mergeSearch(ctx context.Context, table string) error {
	segments, err := s.Queries().Number(ctx, fmt.Sprintf("SELECT count(DISTINCT segid) FROM %s_idx", table))
	if err != nil || segments < fragments {
		return err
	}
	// A negative number starts to merge everything, positive ones go on; when
	// there is nothing left to do, a step changes less than two rows.
	for pages, more := -mergePages, true; more && ctx.Err() == nil; pages = mergePages {
		err := s.Write(ctx, func(ctx context.Context, tx *Tx) error {
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
