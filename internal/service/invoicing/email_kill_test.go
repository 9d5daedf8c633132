package invoicing_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/mail"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// What a process that sends e-mail is told: the database, and the file that is its mail
// server.
const (
	mailerDB   = "TENANTRY_TEST_MAILER_DB"
	mailerFile = "TENANTRY_TEST_MAILER_FILE"
	mailerTime = "TENANTRY_TEST_MAILER_TIME"
)

// hurry is how much faster time passes for those who send: what one of them has taken
// is free again after half a second.
const hurry = 600

// deadlyPost is a mail server that sometimes kills whoever hands it a message, after it
// has taken it and before it says so.
type deadlyPost struct{ path string }

func (p deadlyPost) Send(_ context.Context, m mail.Message) mail.Outcome {
	file, err := os.OpenFile(p.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return mail.Outcome{State: mail.Deferred, Message: err.Error()}
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return mail.Outcome{State: mail.Deferred, Message: err.Error()}
	}
	if _, err := file.WriteString(m.To[0] + "|" + m.ID + "\n"); err != nil { // one write, which is whole or not there
		return mail.Outcome{State: mail.Deferred, Message: err.Error()}
	}
	if info.Size() == 0 || rand.IntN(4) == 0 { // the first one in any case
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
			select {} // it takes a moment
		}
	}
	return mail.Outcome{State: mail.Delivered}
}

// sendUntilKilled is what the other processes of the test do.
func sendUntilKilled(url string) error {
	ctx := context.Background()
	svc, err := openFast(ctx, url, os.Getenv(mailerTime), hurry)
	if err != nil {
		return err
	}
	svc.Mailing.Sender, svc.Mailing.From = deadlyPost{os.Getenv(mailerFile)}, "billing@example.com"
	for {
		if _, _, err := svc.Mailing.RunEmails(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		<-time.After(time.Millisecond)
	}
}

// TestKilledMailersLoseNothing kills processes that send e-mail in the moment in which the
// mail server has taken a message, while others send, too. Every message arrives, in
// order, and one that arrives again is the same.
func TestKilledMailersLoseNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		o := openOffice(servicetest.NewWorld(t, db))
		o.writesEmail()
		for n := range 8 {
			i := o.bills(fmt.Sprint("firm-", n), invoiced)
			o.pays(i, "50.00")
			o.pays(i, "69.00")
		}
		taken := filepath.Join(t.TempDir(), "taken")
		times := fmt.Sprint(o.Clock.Now().UnixMilli(), " ", time.Now().UnixMilli())
		ended := make(chan struct{}, 2)
		for range cap(ended) {
			startMailer(t, db.URL, taken, times, ended)
		}
		kills := 0
		for end := time.After(2 * time.Minute); o.QueryText(`SELECT count(*) FROM email_queue`) != "0"; {
			select {
			case <-ended:
				kills++
				startMailer(t, db.URL, taken, times, ended)
			case <-time.After(10 * time.Millisecond):
			case <-end:
				t.Fatalf("not all was sent: %s", o.emails())
			}
		}
		o.arrived(linesOf(t, taken))
		if kills == 0 {
			<-ended // whoever took the first message was killed
			kills++
		}
		t.Logf("%d processes were killed", kills)
	})
}

// startMailer starts a process that sends. It says when that has ended.
func startMailer(t *testing.T, db, file, times string, ended chan<- struct{}) {
	t.Helper()
	p := exec.Command(os.Args[0])
	p.Env = append(os.Environ(), mailerDB+"="+db, mailerFile+"="+file, mailerTime+"="+times)
	p.Stderr = os.Stderr
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() {
		_ = p.Wait() // it was killed
		close(gone)
		select {
		case ended <- struct{}{}:
		case <-t.Context().Done():
		}
	}()
	t.Cleanup(func() {
		_ = p.Process.Kill() // it may have ended
		<-gone
	})
}

// arrived compares what the mail server has taken, as "address|id", with what was to be
// sent: to every address all messages in order, each perhaps several times in a row.
func (o *office) arrived(lines []string) {
	o.T.Helper()
	rows := servicetest.Must[[]email.Email](o.World)(store.Emails.List(o.Ctx, o.Read(), store.Page{Limit: 1000}))
	slices.SortFunc(rows, func(a, b email.Email) int { return int(a.ID - b.ID) })
	want, have := map[string][]string{}, map[string][]string{}
	for n := range rows {
		o.Equal(fmt.Sprintf("message %d", rows[n].ID), rows[n].State, email.Sent)
		want[rows[n].To] = append(want[rows[n].To], rows[n].UUID+".0@example.com")
	}
	for _, line := range lines {
		to, id, _ := strings.Cut(line, "|")
		have[to] = append(have[to], id)
	}
	for to := range have {
		have[to] = slices.Compact(have[to])
	}
	o.Equal("what arrived", have, want)
}
