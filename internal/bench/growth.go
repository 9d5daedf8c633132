package main

import (
	"bytes"
	"fmt"
	"time"
)

// growthQuery is the accounts query with a filter.
const growthQuery = "query ($filter: String) { accounts(limit: 100, filter: $filter) { id name code billingDay createdAt } }"

// growthCases are the filters: what they are called in the table, the word,
// how many accounts a page of them has, and how much slower it may become.
var growthCases = []struct {
	name, word string
	rows       int
	atMost     float64
}{
	{"growth, no filter", "", pageSize, 1.5},
	{"growth, rare word", rareWord, rareCount, 1.5},
	{"growth, one in 100", middleWord, pageSize, 1.5},
	{"growth, one in 10", commonWord, pageSize, 1.5},
	{"growth, hard word", hardWord, rareCount, 1.5},
	{"growth, four letters", shortWord, 0, 1.5},
	{"growth, code", "C-0004711", 1, 1.5},
}

// warmUpRounds are not counted. They are more than the five after which
// PostgreSQL decides whether to plan a statement anew for each value.
const warmUpRounds = 10

// measureGrowth compares the time of a query on much data with its time on
// little, one caller at a time. The filters take turns too, because a database
// that has planned for one word may use the plan for the next.
func measureGrowth(r *run) (found []result) {
	few, many := r.seeded(fewAccounts), r.seeded(r.accounts)
	callers := []*caller{r.newCaller(few), r.newCaller(many)}
	times := make([][2][]time.Duration, len(growthCases))
	end := now().Add(r.duration() * time.Duration(len(growthCases)))
	for round := 0; now().Before(end) || round < 2*warmUpRounds; round++ {
		for c := range growthCases {
			for i, caller := range callers {
				check(r.Context().Err())
				took := caller.ask(c)
				if round >= warmUpRounds {
					times[c][i] = append(times[c][i], took)
				}
			}
		}
	}
	for c, one := range growthCases {
		small, large := milliseconds(median(times[c][0])), milliseconds(median(times[c][1]))
		found = append(found, r.result(one.name, "ms", large, small).atMost(one.atMost))
	}
	return found
}

// caller asks one server one question after another.
type caller struct {
	conn     *conn
	requests [][]byte
}

func (r *run) newCaller(database string) *caller {
	s := r.startServer(database)
	c := &caller{conn: r.dial(s.address)}
	for _, one := range growthCases {
		variables := map[string]any{}
		if one.word != "" {
			variables["filter"] = one.word
		}
		c.requests = append(c.requests, graphQL(s.token, growthQuery, variables))
	}
	return c
}

// ask returns how long the answer took. Both sizes must give as many rows, or
// their times could not be compared.
func (c *caller) ask(question int) time.Duration {
	start := now()
	body := must(c.conn.do(c.requests[question], `{"data":{"accounts":[`))
	took := now().Sub(start)
	if rows, want := bytes.Count(body, []byte(`{"id":`)), growthCases[question].rows; rows != want {
		check(fmt.Errorf("%s: the answer has %d accounts, want %d", growthCases[question].name, rows, want))
	}
	return took
}
