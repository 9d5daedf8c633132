package invoicing_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/payment"
	provider "github.com/tenantry/tenantry/internal/payment/test"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// What a process that collects is told: the database, and the file in which the payment
// provider counts.
const (
	collectorDB   = "TENANTRY_TEST_COLLECTOR_DB"
	collectorFile = "TENANTRY_TEST_COLLECTOR_FILE"
	// collectorTimes are the times of the database and of the machine, in milliseconds,
	// when the test began.
	collectorTimes = "TENANTRY_TEST_COLLECTOR_TIMES"
)

// haste is how much faster time passes for those who collect, because of outcomes that
// are looked up after some seconds.
const haste = 10

// countingFile notes every movement of money in a file that processes share. A key that
// is there twice is counted twice: this provider does not know that it is the same.
type countingFile struct{ path string }

func (f countingFile) Move(_ context.Context, m provider.Movement) error { return f.note(m.Key) }

func (f countingFile) note(line string) error {
	file, err := os.OpenFile(f.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(line + "\n") // one write, which is whole or not there
	return errors.Join(err, file.Close())
}

// countingProvider also counts the charges that it says were made: the process that sent
// the request may have been killed before the provider for tests noted it.
type countingProvider struct {
	file countingFile
	*provider.Provider
}

func (p countingProvider) Lookup(ctx context.Context, c payment.Charge) (payment.Outcome, error) {
	found, err := p.Provider.Lookup(ctx, c)
	if err == nil && found.State == payment.Succeeded {
		err = p.file.note(lookedUp + c.Key)
	}
	return found, err
}

// lookedUp is before the keys of charges that were found, not sent.
const lookedUp = "found:"

// openFast opens the operations of a process on a database whose time passes faster.
// times are those of the database and of the machine when the test began.
func openFast(ctx context.Context, url, times string, speed time.Duration) (*service.Service, error) {
	var database, machine int64
	if _, err := fmt.Sscan(times, &database, &machine); err != nil {
		return nil, err
	}
	now := func() time.Time {
		return time.UnixMilli(database).UTC().Add(speed * time.Since(time.UnixMilli(machine)))
	}
	st, err := store.Open(ctx, store.Options{URL: url, Now: now})
	if err != nil {
		return nil, err
	}
	box, err := secret.NewBox("a secret key that is long enough")
	if err != nil {
		return nil, err
	}
	return service.New(st, box, nil), nil
}

// collectUntilKilled is what the other processes of a test do.
func collectUntilKilled(url string) error {
	ctx := context.Background()
	svc, err := openFast(ctx, url, os.Getenv(collectorTimes), haste)
	if err != nil {
		return err
	}
	svc.Invoicing.Payments.ClaimFor = haste * time.Second
	file := countingFile{os.Getenv(collectorFile)}
	svc.Invoicing.Payments.Providers = map[collect.Provider]payment.Provider{collect.Test: countingProvider{file, &provider.Provider{
		Now: svc.Store.Now, Ledger: file,
		Wait: func(context.Context, time.Duration) error {
			<-time.After(time.Duration(rand.IntN(20)) * time.Millisecond)
			return nil
		},
	}}}
	fmt.Println("collecting")
	for {
		if _, _, err := svc.Invoicing.RunCollections(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// TestKilledCollectorsChargeOnce kills three processes that collect, again and again. In
// the end every invoice was charged exactly once, and each charge is a payment.
// TENANTRY_COLLECTIONS says how many invoices there are; if there are many, a process is
// killed every two seconds, which leaves them time to get on.
func TestKilledCollectorsChargeOnce(t *testing.T) {
	t.Parallel()
	const few = 150
	invoices, pace := few, time.Millisecond
	if n, err := strconv.Atoi(os.Getenv("TENANTRY_COLLECTIONS")); err == nil {
		if invoices = n; n > few {
			pace = 2 * time.Second
		}
	}
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		o := openOffice(servicetest.NewWorld(t, db))
		o.Invoicing.Payments.AllowTest = true
		accounts := make([]*billing.Account, max(2, invoices/100))
		for n := range accounts {
			accounts[n] = o.customer(fmt.Sprint("firm-", n))
		}
		tokens := []string{"ok", "unknown:ok", "slow:1s"}
		for n := range invoices {
			a := accounts[n%len(accounts)]
			if n < len(accounts) || n/len(accounts)%5 == 0 {
				o.method(a.ID, tokens[rand.IntN(len(tokens))])
			}
			made := servicetest.Must[*invoicing.Outcome](o.World)(o.Invoicing.InvoiceCreate(o.Ctx, a.ID, invoicing.InvoiceAttributes{
				CurrencyID: "EUR", Items: []invoicing.ItemAttributes{{LineText: "Setup", Amount: "10.00"}},
			}))
			if _, err := o.Invoicing.InvoiceCollect(o.Ctx, made.Invoices[0]); err != nil {
				t.Fatal(err)
			}
		}
		times := fmt.Sprint(o.Clock.Now().UnixMilli(), " ", time.Now().UnixMilli())
		counted := filepath.Join(t.TempDir(), "charges")
		processes := make([]*exec.Cmd, 3)
		for n := range processes {
			processes[n] = startCollector(t, db.URL, counted, times)
		}
		defer func() {
			for _, p := range processes {
				stopCollector(p)
			}
		}()
		kills := 0
		for deadline := time.Now().Add(10 * time.Minute); o.QueryText(`SELECT count(*) FROM payment_collection WHERE state <> 'SUCCEEDED'`) != "0"; kills++ {
			if time.Now().After(deadline) {
				t.Fatalf("not all was collected: %s", o.QueryText(`SELECT count(*) FROM payment_collection WHERE state <> 'SUCCEEDED'`))
			}
			<-time.After(pace)
			n := kills % len(processes)
			stopCollector(processes[n])
			processes[n] = startCollector(t, db.URL, counted, times)
		}
		keys := map[string]int{}
		for _, line := range linesOf(t, counted) {
			if key, found := strings.CutPrefix(line, lookedUp); found {
				keys[key] += 0
			} else {
				keys[key]++
			}
		}
		for key, times := range keys {
			if times > 1 {
				t.Errorf("the request %s was sent %d times", key, times)
			}
		}
		o.Equal("charges", len(keys), invoices)
		o.Equal("payments", o.QueryText(`SELECT count(*) FROM payment`), strconv.Itoa(invoices))
		o.Equal("invoices that are not paid exactly once", o.QueryText(`SELECT count(*) FROM invoice WHERE amount_paid <> amount`), "0")
		for _, a := range accounts {
			o.balanced(a.ID)
		}
		t.Logf("%d invoices, %d processes were killed", invoices, kills)
	})
}

// startCollector returns when the process collects.
func startCollector(t *testing.T, db, file, times string) *exec.Cmd {
	t.Helper()
	p := exec.Command(os.Args[0])
	p.Env = append(os.Environ(), collectorDB+"="+db, collectorFile+"="+file, collectorTimes+"="+times)
	p.Stderr = os.Stderr
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "collecting" {
	}
	go io.Copy(io.Discard, out) //nolint:errcheck // it ends with the process
	return p
}

func stopCollector(p *exec.Cmd) {
	_ = p.Process.Kill() // SIGKILL: nothing can be tidied up
	_ = p.Wait()
}

func linesOf(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}
