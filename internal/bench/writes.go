package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

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
func measureWrites(r *run) []result {
	tested := r.startServer(r.create("writes_served"))
	direct := r.open(r.create("writes_direct"))
	return []result{r.compare("writes",
		r.newLoad(tested.address).side(createWant, creations(tested.token)), insertsInto(direct))}
}

// codeFormat makes codes of the same length, so that a request can be changed
// in place.
const codeFormat = "W-%09d"

// creations returns requests that each make an account with a code of its own.
func creations(token string) func(client int) []byte {
	const first = "W-000000000"
	variables := map[string]any{"a": map[string]string{"name": createName, "code": first}}
	template := string(graphQL(token, createQuery, variables))
	position := strings.Index(template, first)
	var requests [clients][]byte
	for client := range requests {
		requests[client] = []byte(template)
	}
	var n atomic.Int64
	return func(client int) []byte {
		copy(requests[client][position:], fmt.Sprintf(codeFormat, n.Add(1)))
		return requests[client]
	}
}

// insertsInto is a side: the rows that an accountCreate makes, its audit entry
// among them, straight into the store.
func insertsInto(st *store.Store) side {
	var n atomic.Int64
	return crewSide("bare", func(ctx context.Context, _ int) error {
		code := fmt.Sprintf(codeFormat, n.Add(1))
		return st.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			account := billing.NewAccount(tx.Now.Day())
			account.Name, account.Code = createName, &code
			if err := store.Accounts.Insert(ctx, tx, &account); err != nil {
				return err
			}
			return store.AuditEntries.Insert(ctx, tx, &billing.AuditEntry{
				At: tx.Now, Actor: "client " + clientID, Action: "accountCreate",
				SubjectType: "account", SubjectID: int64(account.ID), Detail: billing.Changes(nil, &account),
			})
		})
	})
}
