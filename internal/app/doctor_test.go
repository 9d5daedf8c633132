package app_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/app"
	"github.com/tenantry/tenantry/internal/doctor"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// examine runs the doctor and checks that exit code and report agree.
func examine(t *testing.T, e env, now func() time.Time, args ...string) *doctor.Report {
	t.Helper()
	var stdout, stderr output
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	code := app.Run(ctx, app.Process{Args: append([]string{"doctor", "--json"}, args...), Env: e.lookup, Stdout: &stdout, Stderr: &stderr, Now: now})
	var report doctor.Report
	if err := json.Unmarshal([]byte(stdout.String()), &report); err != nil {
		t.Fatalf("%v in %s%s", err, stdout.String(), stderr.String())
	}
	if want := report.Count(doctor.Problem) > 0; report.OK == want || (code == 1) != want || code > 1 {
		t.Errorf("it exits with %d for %+v", code, report)
	}
	for _, f := range report.Findings {
		if f.Check == "" || f.Subject == "" || f.Message == "" || f.Remedy == "" || !slices.Contains(report.Checks, f.Check) {
			t.Errorf("a finding is not whole: %+v", f)
		}
	}
	return &report
}

// fault is what is wrong and what the doctor must say about it.
type fault struct {
	plant, mend string // SQL; nothing if the fault is elsewhere
	check       string
	level       doctor.Level
	words       []string
}

func (f fault) expect(t *testing.T, report *doctor.Report) {
	t.Helper()
	found := slices.ContainsFunc(report.Findings, func(one doctor.Finding) bool {
		text := one.Subject + ": " + one.Message + "; " + one.Remedy
		return one.Check == f.check && one.Level == f.level && !slices.ContainsFunc(f.words, func(word string) bool { return !strings.Contains(text, word) })
	})
	if !found {
		t.Errorf("no %s of %s with %q in %+v", f.level, f.check, f.words, report.Findings)
	}
}

// faults are planted in the data, one after the other. The platform is called
// app, and the first of all things has the id 1.
var faults = []fault{
	{"INSERT INTO setting (name, value) VALUES ('time_zone', 'Mars/Base')", "DELETE FROM setting WHERE name = 'time_zone'",
		"time zone", doctor.Problem, []string{`"Mars/Base"`, "tenantry timezone"}},
	{"UPDATE webhook_endpoint SET paused_at = 1, pause_reason = 'it answered 410 Gone'", "UPDATE webhook_endpoint SET paused_at = NULL, pause_reason = NULL",
		"endpoints", doctor.Problem, []string{"platform app", "paused", "410 Gone", "Resume"}},
	{"UPDATE workflow SET enabled = false", "UPDATE workflow SET enabled = true", "endpoints", doctor.Warning, []string{"platform app", "workflow is switched off"}},
	{"UPDATE webhook_endpoint SET open_until = 1, failures = 12", "UPDATE webhook_endpoint SET open_until = NULL, failures = 0",
		"endpoints", doctor.Warning, []string{"platform app", "failed 12 times"}},
	{"UPDATE webhook_stream SET delivered_sequence = 0", "UPDATE webhook_stream SET delivered_sequence = last_sequence",
		"tenants out of sync", doctor.Problem, []string{"platform app", "1 tenant is out of sync", "tenantry events resend"}},
	{"UPDATE webhook_stream SET delivered_sequence = 0, due_at = 4000000000000, attempts = 2", "UPDATE webhook_stream SET delivered_sequence = last_sequence, due_at = NULL, attempts = 0",
		"tenants out of sync", doctor.Warning, []string{"platform app", "the last attempt failed"}},
	{"UPDATE webhook_stream SET delivered_sequence = 0, due_at = 1", "UPDATE webhook_stream SET delivered_sequence = last_sequence, due_at = NULL",
		"webhooks waiting", doctor.Problem, []string{"platform app", "1970-01-01", "start the server"}},
	{"UPDATE webhook_delivery SET state = 'exhausted'", "UPDATE webhook_delivery SET state = 'delivered'",
		"events given up", doctor.Warning, []string{"platform app", "1 event is given up", "state:exhausted"}},
	{"UPDATE subscription SET problem = 'its price list is gone'", "UPDATE subscription SET problem = NULL",
		"subscriptions set aside", doctor.Problem, []string{"subscription 1", "its price list is gone", "console"}},
	{"UPDATE account SET billing_problem = 'The account has no country.'", "UPDATE account SET billing_problem = NULL",
		"accounts that are not billed", doctor.Problem, []string{"account 1", "no country", "console"}},
	{collectionFault, "DELETE FROM payment_collection; DELETE FROM payment_method; DELETE FROM entity WHERE code = 'doctor'",
		"collections", doctor.Problem, []string{"collection 1", "EUR 119.00", "INV-7", "settle it under Collections"}},
	{`INSERT INTO job (kind, state, total, done, failed, params, cursor, claim, claimed_until, created_at, updated_at, finished_at, error, search)
		VALUES ('fan_out', 'failed', 9, 4, 0, 'null', 0, '', 0, 1, 1, 1, 'out of luck', '')`, "DELETE FROM job WHERE error = 'out of luck'",
		"jobs", doctor.Warning, []string{"job ", "fan_out", "4 of 9", "out of luck"}},
	{"UPDATE platform SET webhook_url = NULL", "", "endpoints", doctor.Warning, []string{"platform app", "no URL"}},
	{"UPDATE platform SET webhook_url = 'http://127.0.0.1:1/hook'", "", "reachability", doctor.Problem, []string{"platform app", "127.0.0.1:1", "refused", "start the receiver"}},
	{"UPDATE platform SET webhook_url = 'https://nowhere.invalid/hook'", "", "reachability", doctor.Problem, []string{"nowhere.invalid", "DNS"}},
	{"UPDATE platform SET webhook_url = 'https://169.254.169.254/hook'", "", "reachability", doctor.Problem, []string{"169.254.169.254", "may not go", "--webhook-allow"}},
}

// collectionFault is a collection that the payment provider was asked about for a day.
const collectionFault = `INSERT INTO entity (id, code, name, country, oss, accepts_unchecked_tax_numbers, net_payment_days, invoice_number_format, credit_note_number_format, invoice_time,
		grace_hours, created_at, updated_at, search) VALUES (1, 'doctor', 'Seller', 'DE', false, false, 14, 'I-{000}', 'C-{000}', '00:00', 0, 1, 1, '');
	INSERT INTO payment_method (id, account_id, provider, kind, token_sealed, token_hash, brand, last4, mandate, state, created_at, updated_at, search)
		VALUES (1, 1, 'TEST', 'TEST', '', '', '', 'ok', '', 'ACTIVE', 1, 1, '');
	INSERT INTO payment_collection (id, uuid, account_id, entity_id, payment_method_id, provider, currency_id, scale, amount, line_text, state, attempts, outcome, code, message, hard,
		reference, fee, created_at, updated_at, search)
		VALUES (1, 'u', 1, 1, 1, 'TEST', 'EUR', 100, 11900, 'INV-7', 'PENDING', 1, 'UNKNOWN', '', '', false, '', 0, 1, 1, '')`

// installation is a server's database, and an application that takes its
// webhooks.
func installation(t *testing.T, e env) (*receiving, *sql.DB) {
	t.Helper()
	application := newReceiving(t)
	s := inside(t, known.with(e))
	subscribeWith(t, s, application.URL)
	for _, code := range []string{"second", "third"} {
		ask(t, s.url, s.firstToken(t), `mutation ($code: String!, $url: String) {
			platformCreate(attributes: {code: $code, name: $code, provisioningEnabled: true, webhookUrl: $url}) { platform { id } } }`,
			map[string]any{"code": code, "url": application.URL}).text(t, "data", "platformCreate", "platform", "id")
	}
	eventually(t, patience, "the webhook at the application", func() bool { return application.got() == 1 })
	if report := examine(t, e, nil); len(report.Findings) > 0 {
		t.Errorf("beside a healthy server: %+v", report.Findings)
	}
	s.stop(t)
	if n := application.got(); n != 1 {
		t.Errorf("the application was sent %d webhooks, want 1: the doctor sends none", n)
	}
	return application, openDB(t, e)
}

func execute(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// inDirectory is an installation on SQLite as it is without any settings.
func inDirectory(t *testing.T) (e env, dir string) {
	dir = filepath.Join(t.TempDir(), "data")
	return env{"TENANTRY_DB": "sqlite:" + filepath.Join(dir, "tenantry.db")}, dir
}

// durable is an installation on a PostgreSQL that belongs to the test alone,
// and has the settings that it comes with.
func durable(t *testing.T) env {
	return env{"TENANTRY_DB": storetest.PostgresServer(t, storetest.Durable()).URL("postgres"), "TENANTRY_SECRET_KEY": secretKey}
}

func TestDoctorOnSQLite(t *testing.T) {
	t.Parallel()
	e, dir := inDirectory(t)
	application, db := installation(t, e)
	plantFaults(t, e, application, db)
	db.Close()
	before := listing(t, dir)
	if report := examine(t, e, nil); len(report.Findings) > 0 {
		t.Errorf("all was mended, and it finds %+v", report.Findings)
	}
	if after := listing(t, dir); after != before {
		t.Errorf("the doctor changed the directory from\n%s\nto\n%s", before, after)
	}
	keyFaults(t, e, dir)
	fileFaults(t, e, dir)
}

func TestDoctorOnPostgreSQL(t *testing.T) {
	t.Parallel()
	e := durable(t)
	application, db := installation(t, e)
	plantFaults(t, e, application, db)
	for _, f := range []fault{
		{"ALTER SYSTEM SET fsync = off", "ALTER SYSTEM RESET fsync", "PostgreSQL durability", doctor.Problem, []string{"fsync is off", "postgresql.conf"}},
		{"ALTER SYSTEM SET full_page_writes = off", "ALTER SYSTEM RESET full_page_writes", "PostgreSQL durability", doctor.Problem, []string{"full_page_writes is off"}},
		{"ALTER SYSTEM SET synchronous_commit = off", "ALTER SYSTEM RESET synchronous_commit", "PostgreSQL durability", doctor.Warning, []string{"synchronous_commit is off"}},
		{"ALTER DATABASE postgres CONNECTION LIMIT 3", "ALTER DATABASE postgres CONNECTION LIMIT -1", "PostgreSQL connections", doctor.Problem, []string{"3 connections", "up to 5"}},
		{"ALTER ROLE postgres CONNECTION LIMIT 5", "ALTER ROLE postgres CONNECTION LIMIT -1", "PostgreSQL connections", doctor.Warning, []string{"of 5 connections", "other programs"}},
	} {
		execute(t, db, f.plant)
		execute(t, db, "SELECT pg_reload_conf()")
		f.eventually(t, e)
		execute(t, db, f.mend)
		execute(t, db, "SELECT pg_reload_conf()")
	}
	wrong := e.with(env{"TENANTRY_SECRET_KEY": "another key that is long enough"})
	for _, check := range []string{"secret key", "signing keys", "webhook secrets"} {
		fault{check: check, level: doctor.Problem, words: []string{"used with before"}}.expect(t, examine(t, wrong, nil))
	}
	none := env{"TENANTRY_DB": e["TENANTRY_DB"]}
	fault{check: "configuration", level: doctor.Problem, words: []string{"PostgreSQL needs TENANTRY_SECRET_KEY"}}.expect(t, examine(t, none, nil))
	eventually(t, patience, "nothing is found when all is mended", func() bool { return len(examine(t, e, nil).Findings) == 0 })
}

// eventually waits for a setting that PostgreSQL reads again.
func (f fault) eventually(t *testing.T, e env) {
	t.Helper()
	soon(t, patience, func() bool {
		return slices.ContainsFunc(examine(t, e, nil).Findings, func(one doctor.Finding) bool { return one.Check == f.check })
	})
	f.expect(t, examine(t, e, nil))
}

// plantFaults plants one fault after the other, and then those of the clock and
// the schema.
func plantFaults(t *testing.T, e env, application *receiving, db *sql.DB) {
	t.Helper()
	right := "UPDATE platform SET webhook_url = '" + application.URL + "'"
	for _, f := range faults {
		execute(t, db, f.plant)
		f.expect(t, examine(t, e, nil))
		if f.mend == "" {
			f.mend = right
		}
		execute(t, db, f.mend)
	}
	tlsFaults(t, e, db)
	execute(t, db, right)
	clockFaults(t, e)
	execute(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)")
	fault{check: "schema", level: doctor.Problem, words: []string{"9999", "newer tenantry"}}.expect(t, examine(t, e, nil))
	execute(t, db, "DELETE FROM goose_db_version WHERE version_id = 9999")
	execute(t, db, "UPDATE goose_db_version SET version_id = version_id - 1000 WHERE version_id > 0")
	fault{check: "schema", level: doctor.Problem, words: []string{"schema version 0", "tenantry migrate"}}.expect(t, examine(t, e, nil))
	execute(t, db, "UPDATE goose_db_version SET version_id = version_id + 1000 WHERE version_id < 0")
}

// tlsFaults are receivers whose certificate nobody knows, and that never say a
// word. Both are found in bounded time.
func tlsFaults(t *testing.T, e env, db *sql.DB) {
	t.Helper()
	unknown := httptest.NewUnstartedServer(http.NotFoundHandler())
	unknown.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that are broken off
	unknown.StartTLS()
	defer unknown.Close()
	execute(t, db, "UPDATE platform SET webhook_url = '"+unknown.URL+"'")
	fault{check: "reachability", level: doctor.Problem, words: []string{"certificate", "authority"}}.expect(t, examine(t, e, nil))
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	execute(t, db, "UPDATE platform SET webhook_url = 'https://"+silent.Addr().String()+"'")
	began := time.Now()
	fault{check: "reachability", level: doctor.Problem, words: []string{silent.Addr().String(), "firewalls"}}.expect(t, examine(t, e, nil))
	if took := time.Since(began); took > 14*time.Second {
		t.Errorf("it took %s for three endpoints of five seconds each: one after the other", took)
	}
}

func clockFaults(t *testing.T, e env) {
	t.Helper()
	off := func(d time.Duration) func() time.Time { return func() time.Time { return time.Now().Add(d) } }
	fault{check: "clock", level: doctor.Problem, words: []string{"differ by 10m", "NTP"}}.expect(t, examine(t, e, off(10*time.Minute)))
	fault{check: "clock", level: doctor.Warning, words: []string{"differ by 1", "NTP"}}.expect(t, examine(t, e, off(12*time.Second)))
	fault{check: "last write", level: doctor.Problem, words: []string{"still to come"}}.expect(t, examine(t, e, off(-time.Hour)))
	fault{check: "clock", level: doctor.Problem, words: []string{"believes that it is 1970"}}.expect(t, examine(t, e, func() time.Time { return time.Unix(86400, 0) }))
}

func keyFaults(t *testing.T, e env, dir string) {
	t.Helper()
	key := filepath.Join(dir, "secret.key")
	wrong := e.with(env{"TENANTRY_SECRET_KEY": "another key that is long enough"})
	for _, check := range []string{"secret key", "signing keys", "webhook secrets"} {
		fault{check: check, level: doctor.Problem, words: []string{"used with before"}}.expect(t, examine(t, wrong, nil))
	}
	for _, path := range []string{key, filepath.Join(dir, "tenantry.db")} {
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		fault{check: "files", level: doctor.Problem, words: []string{path, "other users", "chmod 600"}}.expect(t, examine(t, e, nil))
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(key, key+".away"); err != nil {
		t.Fatal(err)
	}
	fault{check: "secret key", level: doctor.Problem, words: []string{key, "missing", "put the file back"}}.expect(t, examine(t, e, nil))
	if err := os.Rename(key+".away", key); err != nil {
		t.Fatal(err)
	}
}

// fileFaults damages the SQLite file, so it comes last.
func fileFaults(t *testing.T, e env, dir string) {
	t.Helper()
	db := openDB(t, e)
	execute(t, db, "PRAGMA journal_mode = DELETE")
	var page, size int // of a table that is not read to open the database
	if err := db.QueryRow("SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = 'contact'").Scan(&page, &size); err != nil {
		t.Fatal(err)
	}
	db.Close()
	fault{check: "journal", level: doctor.Warning, words: []string{"not in WAL mode", "local disk"}}.expect(t, examine(t, e, nil))
	path := filepath.Join(dir, "tenantry.db")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := (page - 1) * size; i < page*size; i++ {
		content[i] = 0xa5
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	fault{check: "integrity", level: doctor.Problem, words: []string{path, "damaged", "backup"}}.expect(t, examine(t, e, nil))
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fault{check: "schema", level: doctor.Problem, words: []string{"no tables of Tenantry", "--data-dir"}}.expect(t, examine(t, e, nil))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	fault{check: "database", level: doctor.Problem, words: []string{"no database", "--data-dir"}}.expect(t, examine(t, e, nil))
}

func TestDoctorLooksAtTheSettings(t *testing.T) {
	t.Parallel()
	e := env{"TENANTRY_DATA_DIR": t.TempDir()}
	mustCommand(t, e, "migrate")
	for _, c := range []struct {
		args []string
		want fault
	}{
		{[]string{"--base-url", "nonsense"}, fault{check: "configuration", level: doctor.Problem, words: []string{"--base-url", "tenantry help serve"}}},
		{[]string{"--listen", "0.0.0.0:8080"}, fault{check: "base URL", level: doctor.Warning, words: []string{"no base URL", "TENANTRY_BASE_URL"}}},
		{[]string{"--listen", "0.0.0.0:8080", "--base-url", "http://billing.example.com"}, fault{check: "base URL", level: doctor.Warning, words: []string{"plain text", "TLS"}}},
	} {
		c.want.expect(t, examine(t, e, nil, c.args...))
	}
	s := inside(t, e)
	if done := command(t, e, "doctor", "--listen", s.address); done.code != 0 || !strings.Contains(done.stdout, "server   one runs at "+s.url+"\n") {
		t.Errorf("beside a server it prints %q", done.stdout)
	}
	failed := command(t, e, "doctor", "--listen", "127.0.0.1:1", "--base-url", "nonsense")
	if text := failed.stdout + failed.stderr; strings.Count(text, "1 problem and 0 warnings in ") != 1 || !strings.Contains(text, "server   none answers at http://127.0.0.1:1\n") {
		t.Errorf("it prints %q and says %q", failed.stdout, failed.stderr)
	}
	done := command(t, e, "doctor", "--listen", "0.0.0.0:8080")
	for _, want := range []string{"warning  0.0.0.0:8080: ", "\n         to do: set --base-url", "\n0 problems and 1 warning in "} {
		if done.code != 0 || !strings.Contains(done.stdout, want) {
			t.Errorf("it exits with %d and prints %q, want %q in it", done.code, done.stdout, want)
		}
	}
}

// listing is what is in a directory, with the sizes and contents that matter.
func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%s %x\n", entry.Name(), sha256.Sum256(content))
	}
	return text.String()
}
