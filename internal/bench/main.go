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

	"github.com/tenantry/tenantry/internal/app"
)

func main() { os.Exit(status()) }

// status does what the flags say and returns the exit status. It is apart from
// main so that everything deferred has cleaned up before the process ends.
func status() int {
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
	measure   func(*run) []result
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
		{"invoices", true, measureInvoices},
		{"aged", true, measureAged},
		{"numbering", true, measureNumbering},
		{"verification", true, measureVerification},
		{"documents", true, measureDocuments},
		{"issuing", true, measureIssuing},
		{"dunning", true, measureDunning},
		{"restored", true, measureRestored},
		{"collecting", true, measureCollecting},
		{"impact", true, measureImpact},
		{"drift", true, measureDrift},
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

// measureAll returns what was measured before an error too.
func measureAll(ctx context.Context, o options) (results []result, err error) {
	app.CollectLate() // as the server does, also where none is started
	all := &scope{ctx: ctx}
	err = all.run(func() {
		temp := must(os.MkdirTemp("", "tenantry-bench-"))
		all.Cleanup(func() { os.RemoveAll(temp) })
		if o.cpuProfile != "" {
			startProfile(all, o.cpuProfile)
		}
		say("%s, %d cores", runtime.Version(), runtime.NumCPU())
		engines := openEngines(all, o, temp)
		for _, m := range measurements() {
			if o.only != "" && o.only != m.name {
				continue
			}
			on := engines
			if !m.perEngine {
				on = []*engine{fileEngine(temp)}
			}
			for _, e := range on {
				say("%s on %s", m.name, e.name)
				s := &scope{ctx: ctx}
				r := &run{TB: s, options: o, engine: e, temp: temp}
				if err := s.run(func() { results = append(results, m.measure(r)...) }); err != nil {
					all.Fatalf("%s on %s: %w", m.name, e.name, err)
				}
			}
		}
	})
	return results, err
}
