package webhook

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/tenantry/tenantry/client"
)

// TenantState is what a tenant has in your application.
type TenantState struct {
	// Code is the tenant's, as in Change.Tenant.
	Code string
	// ID is the tenant's, as in Change.Tenant. It is needed if the Reporter has
	// Sequences, and not used otherwise.
	ID int64
	// Sequence is the highest Delivery.Sequence that was applied to the tenant, 0 if
	// none was. It is read from Sequences if the Reporter has them.
	Sequence int64
	// Features are all that the tenant has; their names do not matter. They are asked
	// for with Reporter.Features if the Reporter has Sequences.
	Features []Feature
	// At is when your application looked. If it is zero, it is when the report began
	// or, with Sequences, when the tenant's turn came.
	At time.Time
}

// Reporter tells Tenantry what tenants have in your application, so that it finds
// what differs from what the application was told, and repairs it if the platform's
// drift policy says so.
//
// Sequence and features of a tenant must be of one moment. If a webhook is applied
// between reading the one and the other, the tenant looks wrong. There are two ways:
//
//   - Tenants yields both, read in one statement or one transaction. An SQLStore keeps
//     sequences in the table tenantry_tenant of your database, which can be joined.
//     This is the fast way, and the one for many tenants.
//   - Sequences is the Store of the Handler. Tenants yields codes and IDs, and the
//     reporter calls Features for each tenant inside Store.Update, where no webhook is
//     applied to that tenant. This works with every Store, and writes to it.
//
// Set the fields before the first use, and do not change them.
type Reporter struct {
	// Client sends the reports. It needs the scope standard:write.
	Client *client.Client
	// Platform is the code of the platform whose tenants these are.
	Platform string

	// Tenants yields every tenant that the application has, once. If it yields an
	// error, the report is not completed, and nothing counts as missing: yield the
	// error if reading tenants fails, and do not just end.
	//
	// With Sequences, a tenant is looked at while Tenants waits in yield: do not hold the
	// only connection to the database there.
	Tenants func(ctx context.Context) iter.Seq2[TenantState, error]

	// Sequences is the Store of the Handler, if Tenants does not yield sequences. A
	// MemoryStore is right only if features are forgotten together with it.
	Sequences Store
	// Features returns all that a tenant has. It is needed with Sequences. In an
	// SQLStore, Tx gives it the transaction. If it fails with ErrNoTenant, the tenant
	// is left out.
	Features func(ctx context.Context, tenant TenantState) ([]Feature, error)

	// OnReport is told what came of each report of Run: either the report or an error.
	// By default errors go to slog.Default.
	OnReport func(report *Report, err error)

	// MaxTenants and MaxBytes bound a request, for proxies that accept less than
	// Tenantry does: 10,000 tenants and 8 MiB by default.
	MaxTenants, MaxBytes int

	// Now and Wait replace the clock and the pauses of Run, in tests. Wait returns early,
	// with an error, when the context is over.
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration) error

	running sync.Mutex
}

// Report is what came of a report.
type Report struct {
	// ID names a full report, in Platform.driftReports and in the console; empty for
	// a report of some tenants.
	ID string
	// Tenants is how many were reported, in so many Requests.
	Tenants, Requests int
	// Outcomes says how many tenants had each outcome.
	Outcomes client.DriftOutcomes
	// Differing are the first 100 tenants that are not in sync. Those that are missing
	// are only counted: Client.Tenants finds them with the filter "drift:missing".
	Differing []client.DifferingTenant
	// Repaired is how many tenants were told their state again.
	Repaired int
	// Held says that too much of a full report differs for it to be believed, so that
	// nothing is repaired until a person does it.
	Held bool
}

var (
	// ErrNoTenant is for Reporter.Features: the tenant is gone.
	ErrNoTenant = errors.New("webhook: the tenant is not there any more")
	// ErrRunning is what Report returns while another report of the Reporter runs.
	ErrRunning = errors.New("webhook: another report is under way")
)

// Report makes one full report: it sends every tenant and completes the report, so that
// tenants that are not in it count as missing. If anything fails, the report is never
// completed, and the next one has another id.
func (r *Reporter) Report(ctx context.Context) (*Report, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if r.Tenants == nil {
		return nil, errors.New("webhook: a Reporter needs Tenants for a full report")
	}
	if !r.running.TryLock() {
		return nil, ErrRunning
	}
	defer r.running.Unlock()
	id, err := newReportID()
	if err != nil {
		return nil, err
	}
	s := r.start(ctx, id)
	for tenant, err := range r.Tenants(ctx) {
		if err == nil {
			err = s.add(tenant)
		}
		if err != nil {
			return nil, fmt.Errorf("webhook: report %s is not complete: %w", id, err)
		}
	}
	if err := s.flush(true); err != nil {
		return nil, fmt.Errorf("webhook: report %s is not complete: %w", id, err)
	}
	return s.report, nil
}

// ReportTenants reports some tenants only, for example after something was repaired. The
// others do not count as missing. With Sequences it must not be called by what a Handler
// calls, because the tenant's turn is taken then.
func (r *Reporter) ReportTenants(ctx context.Context, tenants ...TenantState) (*Report, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	s := r.start(ctx, "")
	for _, tenant := range tenants {
		if err := s.add(tenant); err != nil {
			return nil, err
		}
	}
	if err := s.flush(false); err != nil {
		return nil, err
	}
	return s.report, nil
}

func (r *Reporter) check() error {
	switch {
	case r.Client == nil || r.Platform == "":
		return errors.New("webhook: a Reporter needs a Client and a Platform")
	case (r.Sequences == nil) != (r.Features == nil):
		return errors.New("webhook: a Reporter needs Sequences and Features, or none of them")
	case r.MaxTenants < 0 || r.MaxBytes < 0:
		return errors.New("webhook: MaxTenants and MaxBytes of a Reporter must not be negative")
	}
	return nil
}

func (r *Reporter) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}

// newReportID makes an id that no other report of any process has.
func newReportID() (string, error) {
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", fmt.Errorf("webhook: the system has no random numbers: %w", err)
	}
	return hex.EncodeToString(random[:]), nil
}
