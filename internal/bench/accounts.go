package main

const (
	pageSize      = 100
	accountsQuery = "{ accounts(limit: 100) { id name code billingDay createdAt } }"
	accountsWant  = `{"data":{"accounts":[{"id":"`
)

// measureAccounts compares a page of a large table through the API with a
// handler that runs the same SQL and marshals the same rows.
func measureAccounts(r *run) []result {
	database := r.seeded(r.accounts)
	tested := r.startServer(database)
	bare := r.startBare(r.bareAccounts(database))
	request := graphQL(tested.token, accountsQuery, nil)
	r.sameAnswer(tested.address, bare, request)
	return []result{r.compare("accounts",
		r.newLoad(tested.address).side(accountsWant, always(request)),
		r.newLoad(bare).side(accountsWant, always(request))).atLeast(0.5)}
}

// sameAnswer makes sure that both sides do the same work: their answers are
// the same to the byte.
func (r *run) sameAnswer(a, b string, request []byte) {
	one := string(must(r.dial(a).do(request, accountsWant)))
	other := string(must(r.dial(b).do(request, accountsWant)))
	if one != other {
		r.Fatalf("the two answers differ:\n%.300s\n%.300s", one, other)
	}
}
