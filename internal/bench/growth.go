package main

import (
	"bytes"
	"context"
	"errors"
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
func measureGrowth(ctx context.Context, b *bench, e *engine) (found []result, err error) {
	var databases [2]string
	for i, n := range []int{fewAccounts, b.accounts} {
		if databases[i], err = e.accounts(ctx, n); err != nil {
			return nil, err
		}
	}
	var callers [2]*caller
	for i, database := range databases {
		if callers[i], err = newCaller(ctx, database); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, callers[i].close()) }()
	}
	times := make([][2][]time.Duration, len(growthCases))
	end := now().Add(b.duration() * time.Duration(len(growthCases)))
	for round := 0; now().Before(end) || round < 2*warmUpRounds; round++ {
		for c := range growthCases {
			for i, caller := range callers {
				took, err := caller.ask(c)
				if err = errors.Join(err, ctx.Err()); err != nil {
					return nil, err
				}
				if round >= warmUpRounds {
					times[c][i] = append(times[c][i], took)
				}
			}
		}
	}
	for c, one := range growthCases {
		small, large := milliseconds(median(times[c][0])), milliseconds(median(times[c][1]))
		found = append(found, newResult(one.name, e.name, "ms", large, small).atMost(one.atMost))
	}
	return found, nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// caller asks one server one question after another.
type caller struct {
	server   *server
	conn     *conn
	requests [][]byte
}

func newCaller(ctx context.Context, database string) (*caller, error) {
	s, err := startServer(ctx, database)
	if err != nil {
		return nil, err
	}
	c := &caller{server: s}
	for _, one := range growthCases {
		variables := map[string]any{}
		if one.word != "" {
			variables["filter"] = one.word
		}
		c.requests = append(c.requests, graphQL(s.token, growthQuery, variables))
	}
	if c.conn, err = dial(ctx, s.address); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return c, nil
}

func (c *caller) close() error {
	c.conn.close()
	return c.server.stop()
}

// ask returns how long the answer took. Both sizes must give as many rows, or
// their times could not be compared.
func (c *caller) ask(question int) (time.Duration, error) {
	start := now()
	body, err := c.conn.do(c.requests[question], `{"data":{"accounts":[`)
	took := now().Sub(start)
	if err != nil {
		return 0, err
	}
	if rows, want := bytes.Count(body, []byte(`{"id":`)), growthCases[question].rows; rows != want {
		return 0, fmt.Errorf("%s: the answer has %d accounts, want %d", growthCases[question].name, rows, want)
	}
	return took, nil
}
