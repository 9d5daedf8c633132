package main

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// A page of a word must be as long on little data as on much, or the growth of
// its time means nothing.
func TestWordsAreAsFrequentAsTheyClaim(t *testing.T) {
	for _, n := range []int{fewAccounts, 3 * fewAccounts} {
		found := map[string]int{}
		all := newCompanies(n)
		for i := range n {
			name := all.name(i)
			for _, word := range []string{rareWord, hardWord, shortWord, middleWord, commonWord} {
				if strings.Contains(billing.Fold(name), billing.Fold(word)) {
					found[word]++
				}
			}
		}
		want := map[string]int{rareWord: rareCount, hardWord: rareCount, shortWord: 0, middleWord: n / middleEvery, commonWord: n / commonEvery}
		for word, count := range want {
			if found[word] != count {
				t.Errorf("of %d accounts, %d have %s, want %d", n, found[word], word, count)
			}
		}
	}
}

func TestRunsHaveTheSameData(t *testing.T) {
	a, b := newCompanies(fewAccounts), newCompanies(fewAccounts)
	for i := range 1000 {
		if x, y := a.row(i), b.row(i); x[0] != y[0] || x[1] != y[1] {
			t.Fatalf("account %d is %v once and %v again", i, x, y)
		}
	}
}

// Seeding goes around the store; what it writes must be what the store would.
func TestSearchTextIsTheStores(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tenantry.db")
	st, err := store.Open(t.Context(), store.Options{URL: "sqlite:" + path, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	name, code := "Schönström and Ashford Solar", "C-0000001"
	err = st.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return store.Accounts.Insert(ctx, tx, &billing.Account{Name: name, Code: &code, BillingDay: 1})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var stored string
	if err := db.QueryRow("SELECT search FROM account").Scan(&stored); err != nil {
		t.Fatal(err)
	}
	if made := searchText(name, code); made != stored {
		t.Errorf("seeding writes %q, the store %q", made, stored)
	}
}

// A renewal writes what free words match again. If that came out as something
// else than what was seeded, the benchmark would measure the search index.
func TestCopiesAreAsTheStoreMakesThem(t *testing.T) {
	temp := t.TempDir()
	r := &run{TB: t, engine: fileEngine(temp), temp: temp}
	const n = 1100 // more than there are accounts
	c := r.newCrowd("copies", n)
	db := r.raw(r.create("copies"))
	texts := func() (all []string) {
		rows, err := db.Query(`SELECT search FROM subscription ORDER BY id`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				t.Fatal(err)
			}
			all = append(all, text)
		}
		return all
	}
	before := texts()
	for left := n; left > 0; {
		moved, _, _ := c.renewBatch(t.Context())
		left -= moved
	}
	after := texts()
	if len(before) != n || len(after) != n {
		t.Fatalf("%d subscriptions before, %d after, want %d", len(before), len(after), n)
	}
	for i := range after {
		if before[i] != after[i] {
			t.Fatalf("the words of subscription %d were %q and became %q", i+1, before[i], after[i])
		}
	}
}
