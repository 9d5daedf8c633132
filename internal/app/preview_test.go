package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

// impactOf reads what a preview prints with --json.
func impactOf(t *testing.T, text string) (i struct {
	Tenants, Subscriptions, Webhooks int
	Features                         []struct {
		Code               string
		Gain, Lose, Change int
		Tenants            []string
	}
	Money []struct{ Currency, PerMonth string }
}) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &i); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return i
}

// stays checks that a command changes nothing in the database, and leaves nothing beside
// it. It returns what the command came to.
func stays(t *testing.T, data []string, args ...string) outcome {
	t.Helper()
	return staysIn(t, nil, data, args...)
}

// staysIn is stays with variables, for a database that no flags name if there are none.
func staysIn(t *testing.T, e env, data []string, args ...string) outcome {
	t.Helper()
	look := func() string {
		text := mustCommand(t, e, with(data, "export", "--give-codes")...) + mustCommand(t, e, with(data, "events", "list", "--limit", "1000")...)
		if len(data) == 0 {
			return text
		}
		listed, err := os.ReadDir(data[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range listed {
			text += entry.Name() + "\n"
		}
		return text
	}
	before := look()
	done := command(t, e, with(data, args...)...)
	if after := look(); after != before {
		t.Errorf("%q changes\n%s\nto\n%s", args, before, after)
	}
	return done
}

// TestImportPreview says what an import would do, to whom and for how much, and does none
// of it: not even a key for the secrets of new platforms is made or taken.
func TestImportPreview(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		previewImport(t, nil, newData(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		e := env{"TENANTRY_DB": storetest.Postgres(t), "TENANTRY_SECRET_KEY": secretKey}
		mustCommand(t, e, "migrate")
		previewImport(t, e, nil)
	})
}

func previewImport(t *testing.T, e env, data []string) {
	t.Helper()
	done := staysIn(t, e, data, "import", "--webhooks", "on", "--preview", exampleFile)
	if done.code != 0 || !strings.Contains(done.stderr, "nothing was changed") || !strings.Contains(done.stderr, "2 to create") {
		t.Errorf("exits with %d and says %s", done.code, done.stderr)
	}
	for _, part := range []string{"1 tenant gains Single sign-on and Users (25): acme-prod.", "2 webhooks are sent.", "1 customer pays EUR 296.50 more a month."} {
		if !strings.Contains(done.stdout, part) {
			t.Errorf("there is no %q in %s", part, done.stdout)
		}
	}
	i := impactOf(t, staysIn(t, e, data, "import", "--webhooks", "on", "--preview", "--json", exampleFile).stdout)
	if i.Tenants != 2 || i.Webhooks != 2 || i.Subscriptions != 2 || len(i.Features) != 2 || i.Features[0].Gain != 1 || i.Features[0].Tenants[0] != "acme-prod" || len(i.Money) != 1 {
		t.Errorf("the impact is %+v", i)
	}
	if off := impactOf(t, staysIn(t, e, data, "import", "--preview", "--json", exampleFile).stdout); off.Tenants != 2 || off.Webhooks != 0 || off.Subscriptions != 2 || len(off.Features) != 2 {
		t.Errorf("without webhooks it is %+v", off)
	}
	done = staysIn(t, e, data, "import", "--preview", exampleFile)
	for _, part := range []string{"1 tenant gains Single sign-on and Users (25): acme-prod.", "No webhook is sent: applications are taken to have this already."} {
		if !strings.Contains(done.stdout, part) {
			t.Errorf("without webhooks there is no %q in %s", part, done.stdout)
		}
	}
	if e != nil {
		e["TENANTRY_SECRET_KEY"] = "another key that is long enough, too"
	}
	mustCommand(t, e, with(data, "import", "--webhooks", "on", exampleFile)...)
	again := staysIn(t, e, data, "import", "--webhooks", "on", "--preview", exampleFile)
	if !strings.HasPrefix(again.stdout, "No tenant, no subscription and no amount would change.") {
		t.Errorf("a file that is there already: %s", again.stdout)
	}
}

// TestImportPreviewOfACatalog reaches tenants that the file does not name: they are told
// by a job, which a preview does not run.
func TestImportPreviewOfACatalog(t *testing.T) {
	t.Parallel()
	data := driftData(t)
	file := filepath.Join(t.TempDir(), "feature.jsonl")
	writeFile(t, file, `{"type":"feature","product":"crm","code":"api","name":"API"}`+"\n"+`{"type":"planFeature","product":"crm","plan":"pro","feature":"api"}`+"\n")
	done := stays(t, data, "import", "--webhooks", "on", "--preview", file)
	if !strings.Contains(done.stdout, "1 tenant gains API: acme-prod.") {
		t.Errorf("prints %q and says %q", done.stdout, done.stderr)
	}
	writeFile(t, file, `{"type":"plan","product":"none","code":"x","name":"X"}`+"\n")
	if wrong := stays(t, data, "import", "--preview", file); wrong.code != 1 || !strings.Contains(wrong.stderr, "the file has 1 error; nothing was written") {
		t.Errorf("a file with an error: %d, %s", wrong.code, wrong.stderr)
	}
}

// TestPreviewsOfWhatIsSentAgain counts the webhooks of other commands.
func TestPreviewsOfWhatIsSentAgain(t *testing.T) {
	t.Parallel()
	data := driftData(t)
	reports(t, data)
	if done := stays(t, data, "drift", "repair", "acme-prod", "--preview"); done.code != 0 || !strings.Contains(done.stdout, "1 tenant is sent a webhook. Nothing that it may use changes today.") {
		t.Errorf("a repair: %d, %s%s", done.code, done.stdout, done.stderr)
	}
	if done := stays(t, data, "drift", "repair", "zenith", "--preview"); done.code != 1 || !strings.Contains(done.stderr, "none of these tenants differs") {
		t.Errorf("a repair of nothing: %d, %s", done.code, done.stderr)
	}
	log := []string{"--data-dir", logOf(t)}
	if i := impactOf(t, stays(t, log, "events", "resend", "2", "--force", "--preview", "--json").stdout); i.Tenants != 1 || i.Webhooks != 1 {
		t.Errorf("an event: %+v", i)
	}
	if i := impactOf(t, stays(t, log, "events", "resend", "--filter", "tenant:acme", "--all", "--preview", "--json").stdout); i.Webhooks != 3 {
		t.Errorf("several events: %+v", i)
	}
	if done := stays(t, log, "events", "resend", "1", "--preview"); done.code != 1 || !strings.Contains(done.stderr, "back in time") {
		t.Errorf("an event that would be refused: %d, %s", done.code, done.stderr)
	}
}

// TestCopiesLeftBehind finds copies of the database that killed previews have left.
func TestCopiesLeftBehind(t *testing.T) {
	t.Parallel()
	data := newData(t)
	var dirs []string
	for _, age := range []time.Duration{23 * time.Hour, 25 * time.Hour} {
		dir := filepath.Join(data[1], ".tenantry-preview-"+age.String())
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, "copy.db"), "a copy")
		then := time.Now().Add(-age)
		if err := os.Chtimes(dir, then, then); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	mustCommand(t, nil, with(data, "import", "--preview", exampleFile)...)
	if _, err := os.Stat(dirs[0]); err != nil {
		t.Errorf("the copy of a preview that may still run: %v", err)
	}
	if _, err := os.Stat(dirs[1]); !os.IsNotExist(err) {
		t.Errorf("a copy that was left behind is still there: %v", err)
	}
}

func TestPreviewMistakes(t *testing.T) {
	t.Parallel()
	data := newData(t)
	for args, says := range map[string]string{
		"import --check --preview " + exampleFile:      "give --check or --preview, not both",
		"import --json " + exampleFile:                 "--json needs --preview",
		"events resend 1 --json":                       "--json needs --preview",
		"events resend --filter x --dry-run --preview": "give --dry-run or --preview, not both",
		"drift repair a --json":                        "--json needs --preview",
	} {
		if done := command(t, nil, with(data, strings.Fields(args)...)...); done.code != 2 || !strings.Contains(done.stderr, says) {
			t.Errorf("%s exits with %d and says %q", args, done.code, done.stderr)
		}
	}
	if done := command(t, nil, with(data, "resume", "--preview")...); done.code != 0 || !strings.Contains(done.stderr, "nothing was changed") {
		t.Errorf("resume --preview exits with %d and says %q", done.code, done.stderr)
	}
}
