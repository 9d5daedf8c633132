// Package apitest tests the API from outside: it starts the whole server on a
// real database and talks to it over HTTP.
//
// What every operation answers is written down in testdata/scenarios, requests
// and answers together, and runs on every engine; go test -run Scenarios -update
// fills in the answers of new steps, to be read before they are believed. What
// does not fit into a script (limits, retries, people acting at once, the number
// of SQL statements) is in the tests beside this file. There is nothing here but
// tests.
package apitest
