package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	createQuery = "mutation ($a: AccountAttributes!) { accountCreate(attributes: $a) { account { id } userErrors { message } } }"
	createWant  = `{"data":{"accountCreate":{"account":{"id":"`
	createName  = "Lindenfeld and Marshwood Shipping"
)

// measureWrites compares accountCreate through the API with the same rows
// straight through the store, each on an empty database of its own.
func measureWrites(ctx context.Context, b *bench, e *engine) (_ []result, err error) {
	served, err := e.create(ctx, "writes_served")
	if err != nil {
		return nil, err
	}
	direct, err := e.create(ctx, "writes_direct")
	if err != nil {
		return nil, err
	}
	tested, err := startServer(ctx, served)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tested.stop()) }()
	toTested, err := newLoad(ctx, tested.address, createWant, creations(tested.token))
	if err != nil {
		return nil, err
	}
	defer toTested.close()
	st, err := store.Open(ctx, store.Options{URL: direct, Now: now})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()

	c, err := compare(ctx, b.duration(), toTested.run, insertsInto(st))
	if err != nil {
		return nil, err
	}
	return []result{rates("writes", e.name, c)}, nil
}

// codeFormat makes codes of the same length, so that a request can be changed
// in place.
const codeFormat = "W-%09d"

// creations returns requests that each make an account with a code of its own.
func creations(token string) func(client int) []byte {
	const first = "W-000000000"
	variables := map[string]any{"a": map[string]string{"name": createName, "code": first}}
	template := string(graphQL(token, createQuery, variables))
	place := strings.Index(template, first)
	var requests [clients][]byte
	for client := range requests {
		requests[client] = []byte(template)
	}
	var n atomic.Int64
	return func(client int) []byte {
		copy(requests[client][place:], fmt.Sprintf(codeFormat, n.Add(1)))
		return requests[client]
	}
}

// insertsInto is a side: the rows that an accountCreate makes, its audit entry
// among them, straight into the store.
func insertsInto(st *store.Store) side {
	var n atomic.Int64
	return func(ctx context.Context, d time.Duration) (rate float64, err error) {
		tagged(ctx, "bare", func(ctx context.Context) {
			rate, err = crew(ctx, d, func(int) error {
				code := fmt.Sprintf(codeFormat, n.Add(1))
				return st.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
					account := billing.Account{Name: createName, Code: &code, BillingDay: tx.Now.Day()}
					if err := store.Accounts.Insert(ctx, tx, &account); err != nil {
						return err
					}
					return store.AuditEntries.Insert(ctx, tx, &billing.AuditEntry{
						At: tx.Now, Actor: "client " + clientID, Action: "accountCreate",
						SubjectType: "account", SubjectID: int64(account.ID), Detail: billing.Changes(nil, &account),
					})
				})
			})
		})
		return rate, err
	}
}
