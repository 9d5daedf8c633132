// Command bench measures the running server against the minimum that the same
// work can cost: a bare handler, the bare store, or itself with less data. The two
// sides alternate within one run, so that a slow machine is slow for both, and
// the verdict depends on ratios, never on times.
//
// It owns the load, the data and the verdict. The server is the real one, started
// through package app.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
)

func main() { os.Exit(run()) }

// run does what the flags say and returns the exit code. It is apart from main
// so that everything deferred has cleaned up before the process ends.
func run() int {
	o, err := readOptions(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer release()
	context.AfterFunc(ctx, release) // a second Ctrl-C does not wait for the cleaning up
	results, err := measureAll(ctx, o)
	if err == nil || len(results) > 0 {
		printTable(os.Stdout, results)
	}
	if err == nil && o.json != "" {
		err = writeJSON(o.json, results)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	if slices.ContainsFunc(results, func(r result) bool { return !r.ok() }) {
		return 1
	}
	return 0
}

// measurement is one thing that is measured, on each engine or once.
type measurement struct {
	name string
	// perEngine says that it depends on the database.
	perEngine bool
	run       func(ctx context.Context, b *bench, e *engine) ([]result, error)
}

func measurements() []measurement {
	return []measurement{
		{"token", false, measureToken},
		{"accounts", true, measureAccounts},
		{"growth", true, measureGrowth},
		{"memory", false, measureMemory},
		{"overload", true, measureOverload},
		{"previews", true, measurePreviews},
		{"writes", true, measureWrites},
		{"subscriptions", true, measureSubscriptions},
		{"renewals", true, measureRenewals},
		{"features", true, measureFeatures},
		{"import", true, measureImport},
		{"deliveries", true, measureDeliveries},
		{"latency", true, measureLatency},
		{"hanging", true, measureHanging},
		{"claims", true, measureClaims},
		{"pending", true, measurePending},
	}
}

func names() []string {
	var all []string
	for _, m := range measurements() {
		all = append(all, m.name)
	}
	return all
}

// bench is one run.
type bench struct {
	options
	temp string // everything it keeps on disk, but for PostgreSQL
}

// measureAll returns what was measured before an error too.
func measureAll(ctx context.Context, o options) (results []result, err error) {
	temp, err := os.MkdirTemp("", "tenantry-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	if o.cpuProfile != "" {
		stop, err := startProfile(o.cpuProfile)
		if err != nil {
			return nil, err
		}
		defer stop()
	}
	say("%s, %d cores", runtime.Version(), runtime.NumCPU())
	b := &bench{options: o, temp: temp}
	engines, closeEngines, err := openEngines(ctx, b)
	defer func() { err = errors.Join(err, closeEngines()) }()
	if err != nil {
		return nil, err
	}
	for _, m := range measurements() {
		if o.only != "" && o.only != m.name {
			continue
		}
		on := engines
		if !m.perEngine {
			on = []*engine{fileEngine(b)}
		}
		for _, e := range on {
			say("%s on %s", m.name, e.name)
			found, err := m.run(ctx, b, e)
			if err != nil {
				return results, fmt.Errorf("%s on %s: %w", m.name, e.name, err)
			}
			results = append(results, found...)
		}
	}
	return results, nil
}
