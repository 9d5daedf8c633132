package transfer

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

// Exported is what an export wrote, and what it left out.
type Exported struct {
	Lines int
	// OnTestClocks is how many accounts were left out with all that they have,
	// because their dates are made up.
	OnTestClocks int
	// NotStarted is how many entities were written without the day on which their
	// invoicing starts.
	NotStarted int
	// Behind is how many tenants have applications that do not know the newest
	// state yet.
	Behind int
}

// CodelessError means that some things have no code, and so no identity in a
// file.
type CodelessError struct{ Accounts, Plans, Subscriptions int }

func (e *CodelessError) Error() string {
	have := "have"
	if e.Accounts+e.Plans+e.Subscriptions == 1 {
		have = "has"
	}
	return e.String() + " " + have + " no code, by which a file knows things; give codes with --give-codes, such as account-12"
}

// String counts what there is, such as "2 accounts and 1 plan".
func (e *CodelessError) String() string {
	var parts []string
	for _, kind := range []struct {
		n    int
		noun string
	}{{e.Accounts, "account"}, {e.Plans, "plan"}, {e.Subscriptions, "subscription"}} {
		switch {
		case kind.n == 1:
			parts = append(parts, "1 "+kind.noun)
		case kind.n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", kind.n, kind.noun))
		}
	}
	switch last := len(parts) - 1; {
	case last < 0:
		return "nothing"
	case last == 0:
		return parts[0]
	default:
		return strings.Join(parts[:last], ", ") + " and " + parts[last]
	}
}

// exporter is an export under way.
type exporter struct {
	tx      *store.Tx
	out     *bufio.Writer
	line    bytes.Buffer
	catalog *knownCatalog
	done    Exported
	missing CodelessError
}

// Export writes everything as lines that Import reads, as it was at one moment,
// always in the same order. Secrets are not part of it.
func Export(ctx context.Context, st *store.Store, to io.Writer) (*Exported, error) {
	e := &exporter{out: bufio.NewWriterSize(to, 1<<16)}
	err := st.Frozen(ctx, func(ctx context.Context, tx *store.Tx) error {
		e.tx = tx
		return e.all(ctx)
	})
	if err == nil && e.missing != (CodelessError{}) {
		err = &e.missing
	}
	if err != nil {
		return nil, err
	}
	return &e.done, e.out.Flush()
}

func (e *exporter) all(ctx context.Context) (err error) {
	if e.catalog, err = loadCatalog(ctx, e.tx.Queries); err != nil {
		return err
	}
	for _, k := range rowKinds {
		if err := k.export(ctx, e); err != nil {
			return err
		}
	}
	for _, step := range []func(context.Context) error{e.accounts, e.contacts, e.tenants, e.subscriptions, e.invoices} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// write writes one line.
func (e *exporter) write(kind string, l line) error {
	if e.missing != (CodelessError{}) {
		return nil // the rest is only counted
	}
	e.line.Reset()
	fmt.Fprintf(&e.line, `{"type":%q`, kind)
	fields, names := l.fields(), l.names()
	slices.SortStableFunc(fields, func(a, b field) int { // what identifies it comes first
		return rank(names, a.name) - rank(names, b.name)
	})
	if err := appendFields(&e.line, fields); err != nil {
		return err
	}
	e.line.WriteString("}\n")
	e.done.Lines++
	_, err := e.out.Write(e.line.Bytes())
	return err
}

// rank is where a name is, behind all if it is not among them.
func rank(names []string, name string) int {
	if i := slices.Index(names, name); i >= 0 {
		return i
	}
	return len(names)
}

// each writes a line for each row of a table that line makes one of.
func each[T any, K ~int64](ctx context.Context, e *exporter, table *store.Table[T, K], kind string, make func(*T) line) error {
	return eachPage(ctx, e.tx.Queries, table, func(rows []T) error {
		for i := range rows {
			if l := make(&rows[i]); l != nil {
				if err := e.write(kind, l); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (e *exporter) accounts(ctx context.Context) error {
	return each(ctx, e, store.Accounts, accountKind, func(a *billing.Account) line {
		switch {
		case a.TestClockID != nil:
			e.done.OnTestClocks++
			return nil
		case a.Code == nil:
			e.missing.Accounts++
		}
		return &accountLine{a, e.catalog}
	})
}

// owners returns the accounts of some rows, without those on test clocks.
func owners[T any](ctx context.Context, e *exporter, rows []T, account func(*T) billing.AccountID) (map[billing.AccountID]*billing.Account, error) {
	ids := make([]billing.AccountID, len(rows))
	for i := range rows {
		ids[i] = account(&rows[i])
	}
	found, err := store.Accounts.ByIDs(ctx, e.tx.Queries, ids)
	byID := make(map[billing.AccountID]*billing.Account, len(found))
	for i := range found {
		if found[i].TestClockID == nil {
			byID[found[i].ID] = &found[i]
		}
	}
	return byID, err
}

func (e *exporter) contacts(ctx context.Context) error {
	return eachPage(ctx, e.tx.Queries, store.Contacts, func(rows []billing.Contact) error {
		accounts, err := owners(ctx, e, rows, func(c *billing.Contact) billing.AccountID { return c.AccountID })
		if err != nil {
			return err
		}
		for i := range rows {
			account := accounts[rows[i].AccountID]
			if account == nil {
				continue
			}
			l := &contactLine{row: &rows[i], account: text(account.Code)}
			if account.BillingContactID != nil && *account.BillingContactID == rows[i].ID {
				yes := true
				l.billing = &yes
			}
			if err := e.write(contactKind, l); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e *exporter) tenants(ctx context.Context) error {
	return eachPage(ctx, e.tx.Queries, store.Tenants, func(rows []billing.Tenant) error {
		accounts, err := owners(ctx, e, rows, func(t *billing.Tenant) billing.AccountID { return t.AccountID })
		if err != nil {
			return err
		}
		ids := make([]billing.TenantID, len(rows))
		for i := range rows {
			ids[i] = rows[i].ID
		}
		streams, err := outbox.StreamsOf(ctx, e.tx.Queries, ids)
		if err != nil {
			return err
		}
		for i := range rows {
			account := accounts[rows[i].AccountID]
			if account == nil {
				continue
			}
			l := &tenantLine{row: &rows[i], platform: platforms.of(e.catalog, rows[i].PlatformID).Code, account: text(account.Code)}
			if stream := streams[rows[i].ID]; stream != nil && stream.LastSequence > 0 {
				if l.sequence = &stream.LastSequence; !stream.InSync() {
					e.done.Behind++
				}
			}
			if err := e.write(tenantKind, l); err != nil {
				return err
			}
		}
		return nil
	})
}
