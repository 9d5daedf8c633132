// Package apitest tests the API from outside: it starts the whole server on a
// real database and talks to it over HTTP.
//
// The behavior of every operation is recorded in testdata/scenarios, as requests
// with their responses, and runs on both engines; go test -run Scenarios -update
// fills in the responses of new steps, which must then be reviewed. Whatever does
// not fit into a scenario (limits, retries, concurrency, the number of SQL
// statements) is tested in the files of this directory. The package contains only
// tests.
package apitest
