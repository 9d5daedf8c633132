package main

import (
	"context"
	"errors"
	"fmt"
)

const (
	pageSize      = 100
	accountsQuery = "{ accounts(limit: 100) { id name code billingDay createdAt } }"
	accountsWant  = `{"data":{"accounts":[{"id":"`
)

// measureAccounts compares a page of a large table through the API with a
// handler that runs the same SQL and marshals the same rows.
func measureAccounts(ctx context.Context, b *bench, e *engine) (_ []result, err error) {
	database, err := e.accounts(ctx, b.accounts)
	if err != nil {
		return nil, err
	}
	tested, err := startServer(ctx, database)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tested.stop()) }()
	db, err := e.bare(database)
	if err != nil {
		return nil, err
	}
	defer db.close()
	bare, err := startBare(ctx, db.accounts)
	if err != nil {
		return nil, err
	}
	defer bare.close()

	request := graphQL(tested.token, accountsQuery, nil)
	if err := sameAnswer(ctx, tested.address, bare.address, request); err != nil {
		return nil, err
	}
	toTested, err := newLoad(ctx, tested.address, accountsWant, always(request))
	if err != nil {
		return nil, err
	}
	defer toTested.close()
	toBare, err := newLoad(ctx, bare.address, accountsWant, always(request))
	if err != nil {
		return nil, err
	}
	defer toBare.close()
	c, err := compare(ctx, b.duration(), toTested.run, toBare.run)
	if err != nil {
		return nil, err
	}
	return []result{rates("accounts", e.name, c).atLeast(0.25)}, nil
}

// sameAnswer makes sure that both sides do the same work: their answers are
// the same to the byte.
func sameAnswer(ctx context.Context, a, b string, request []byte) error {
	var bodies [2]string
	for i, address := range []string{a, b} {
		c, err := dial(ctx, address)
		if err != nil {
			return err
		}
		defer c.close()
		body, err := c.do(request, accountsWant)
		if err != nil {
			return err
		}
		bodies[i] = string(body)
	}
	if bodies[0] != bodies[1] {
		return fmt.Errorf("the two answers differ:\n%.300s\n%.300s", bodies[0], bodies[1])
	}
	return nil
}
