// Package doctor examines an installation: its configuration, database, clock,
// keys, disk and endpoints, and data that needs a decision. It changes nothing;
// each finding says what to do about it.
//
// A check is a small function, listed in checks. The package contains no SQL and no
// rules: it asks the store and the packages responsible.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/delivery/send"
	"github.com/tenantry/tenantry/internal/store"
)

// Level says how bad a finding is.
type Level string

// A problem keeps something from working or puts data at risk. A warning should
// be looked at.
const (
	Problem Level = "problem"
	Warning Level = "warning"
)

// Finding is one thing that is not as it should be.
type Finding struct {
	Check string `json:"check"`
	Level Level  `json:"level"`
	// Subject is the thing that is meant, such as a file or a platform's code.
	Subject string `json:"subject"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
}

// Report is the outcome of an examination.
type Report struct {
	OK       bool      `json:"ok"` // there are no problems
	Checks   []string  `json:"checks"`
	Findings []Finding `json:"findings"`
	// Server says whether one answers at the address of these settings.
	Server string `json:"server"`
}

// Patient is the installation that is examined.
type Patient struct {
	// Settings is why a server would refuse to start with its settings, nil if
	// it would not.
	Settings error
	Listen   string
	BaseURL  string
	// Open opens the database to be read only.
	Open func(context.Context) (*store.Store, error)
	// SecretKey is TENANTRY_SECRET_KEY; KeyFile is where the key is without it.
	SecretKey string
	KeyFile   string
	// DatabaseFile is the SQLite file, empty on PostgreSQL.
	DatabaseFile string
	// MaxDowntime is how long the lifecycle may have stood still before somebody
	// has to resume it.
	MaxDowntime time.Duration
	// MailServer connects to the mail server, nil if none is set up.
	MailServer func(context.Context) error
	// Sender connects to endpoints under the rules that the server has.
	Sender *send.Sender
	Now    func() time.Time

	store *store.Store
}

// check looks for faults of one kind. A failure to look is a finding too.
type check struct {
	name string
	find func(context.Context, *Patient) ([]Finding, error)
}

// before are the checks that need no database.
var before = []check{{"configuration", checkSettings}, {"base URL", checkBaseURL}, {"disk", checkDisk}, {"mail server", checkMailServer}}

// onDatabase are those that need one whose schema may be any.
var onDatabase = []check{
	{"schema", checkSchema}, {"files", checkFiles}, {"integrity", checkIntegrity}, {"journal", checkJournal},
	{"PostgreSQL version", checkPostgresVersion}, {"PostgreSQL durability", checkPostgresDurability},
	{"PostgreSQL connections", checkPostgresConnections}, {"clock", checkClock},
}

// onData are those that read Tenantry's tables. A rule about data that needs
// somebody's decision is one more line here.
var onData = []check{
	{"last write", checkLastWrite}, {"lifecycle", checkLifecycle}, {"time zone", checkTimeZone}, {"secret key", checkSecretKey}, {"signing keys", checkSigningKeys}, {"webhook secrets", checkWebhookSecrets},
	{"endpoints", checkEndpoints}, {"reachability", checkReachability}, {"webhooks waiting", checkWaiting},
	{"tenants out of sync", checkBehind}, {"events given up", checkGivenUp},
	{"subscriptions set aside", checkSetAside}, {"accounts that are not billed", checkNotBilled}, {"collections", checkCollections}, {"jobs", checkJobs}, {"e-mail", checkEmail},
}

// Examine runs all checks that can be run.
func Examine(ctx context.Context, p *Patient) *Report {
	r := &Report{OK: true, Findings: []Finding{}}
	r.run(ctx, p, before)
	r.examineDatabase(ctx, p)
	return r
}

func (r *Report) examineDatabase(ctx context.Context, p *Patient) {
	st, err := p.Open(ctx)
	r.Checks = append(r.Checks, "database")
	if err != nil {
		r.add("database", fromError(err))
		return
	}
	defer st.Close()
	p.store = st
	r.run(ctx, p, onDatabase)
	if have, known, err := st.SchemaVersions(ctx); err == nil && have == known {
		r.run(ctx, p, onData)
	}
}

func (r *Report) run(ctx context.Context, p *Patient, checks []check) {
	for _, c := range checks {
		found, err := c.find(ctx, p)
		r.Checks = append(r.Checks, c.name)
		for _, f := range found {
			r.add(c.name, f)
		}
		if err != nil {
			r.add(c.name, Finding{Level: Problem, Subject: c.name, Message: "it could not be checked: " + err.Error(),
				Remedy: "mend the other problems first; if it stays, the database may be damaged or the user may lack rights"})
		}
	}
}

func (r *Report) add(check string, f Finding) {
	f.Check = check
	r.OK = r.OK && f.Level != Problem
	r.Findings = append(r.Findings, f)
}

// Count returns how many findings there are of a level.
func (r *Report) Count(level Level) (n int) {
	for _, f := range r.Findings {
		if f.Level == level {
			n++
		}
	}
	return n
}

// fromError makes a problem of an error that says what to do behind a semicolon.
func fromError(err error) Finding {
	message, remedy, _ := strings.Cut(err.Error(), "; ")
	return Finding{Level: Problem, Subject: "database", Message: message, Remedy: remedy}
}

func problem(subject, remedy, format string, args ...any) Finding {
	return Finding{Level: Problem, Subject: subject, Remedy: remedy, Message: fmt.Sprintf(format, args...)}
}

func warning(subject, remedy, format string, args ...any) Finding {
	f := problem(subject, remedy, format, args...)
	f.Level = Warning
	return f
}

// one is a check's answer of a single finding.
func one(f Finding) ([]Finding, error) { return []Finding{f}, nil }

// isOver says whether an error is that a bounded time is over.
func isOver(err error) bool { return errors.Is(err, context.DeadlineExceeded) }
