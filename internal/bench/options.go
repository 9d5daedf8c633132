package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// options are what the flags say.
type options struct {
	accounts   int
	subs       int
	events     int
	engines    []string
	seconds    float64
	only       string
	json       string
	cpuProfile string
	// most bounds what is otherwise repeated as often as a measurement needs it,
	// for those who only want to know that it runs; 0 is no bound.
	most int
}

// fewAccounts is how many accounts the small set of data has: enough for a
// full page of the words that are looked for.
const fewAccounts = pageSize * middleEvery

// leastSubs makes every set of data that follows from it large enough to
// measure anything.
const leastSubs = 20_000

func readOptions(args []string) (options, error) {
	var o options
	set := flag.NewFlagSet("bench", flag.ContinueOnError)
	set.IntVar(&o.accounts, "accounts", 1_000_000, "how many accounts the large set of data has; the small one has 10,000")
	set.IntVar(&o.subs, "subscriptions", 1_000_000, "how many subscriptions are due in the large set of data; others follow from it")
	set.IntVar(&o.events, "events", 2_000_000, "how many finished events the long webhook log has; half as many wait in the long backlog")
	engines := set.String("engines", "sqlite,postgres", "the databases to measure on")
	set.Float64Var(&o.seconds, "seconds", 8, "how long each side of a measurement runs in all")
	set.StringVar(&o.only, "only", "", "run one measurement: "+strings.Join(names(), ", "))
	set.StringVar(&o.json, "json", "", "also write the results to this file")
	set.StringVar(&o.cpuProfile, "cpuprofile", "", "write a CPU profile; its samples are tagged side=server, bare or load")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	o.engines = strings.Split(*engines, ",")
	return o, o.check(set)
}

func (o options) check(set *flag.FlagSet) error {
	wrong := ""
	for _, engine := range o.engines {
		if engine != "sqlite" && engine != "postgres" {
			wrong = fmt.Sprintf("-engines: there is no engine %q", engine)
		}
	}
	switch {
	case set.NArg() > 0:
		wrong = fmt.Sprintf("unexpected argument %q", set.Arg(0))
	case o.only != "" && !slices.Contains(names(), o.only):
		wrong = fmt.Sprintf("-only: there is no measurement %q", o.only)
	case o.accounts <= fewAccounts:
		wrong = fmt.Sprintf("-accounts: more than the %d of the small set of data", fewAccounts)
	case o.subs < leastSubs:
		wrong = fmt.Sprintf("-subscriptions: at least %d", leastSubs)
	case o.events < 2*backlogTenants:
		wrong = fmt.Sprintf("-events: at least %d", 2*backlogTenants)
	case o.seconds <= 0:
		wrong = "-seconds: must be above 0"
	}
	if wrong == "" {
		return nil
	}
	fmt.Fprintln(os.Stderr, "bench:", wrong)
	return errors.New(wrong)
}

// repeats is how often something is repeated that a measurement needs n times.
func (o options) repeats(n int) int {
	if o.most > 0 {
		return min(n, o.most)
	}
	return n
}

func (o options) duration() time.Duration { return time.Duration(o.seconds * float64(time.Second)) }
