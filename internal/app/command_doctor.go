package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/delivery/send"
	"github.com/tenantry/tenantry/internal/delivery/target"
	"github.com/tenantry/tenantry/internal/doctor"
	"github.com/tenantry/tenantry/internal/store"
)

// runDoctor examines the installation as a server with the same flags would
// find it.
func runDoctor(ctx context.Context, p Process, args []string) error {
	var c config
	f := newFlags(p, "doctor")
	f.database(&c)
	f.server(&c)
	machine := f.choice("json", "print the report as JSON")
	if _, err := f.parse(args); err != nil {
		return err
	}
	if err := c.finish(p.Env); err != nil {
		return err
	}
	report := doctor.Examine(ctx, patientOf(p, &c))
	report.Server = c.whoAnswers(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	if bool(*machine) {
		if err := printJSON(p.Stdout, report); err != nil {
			return err
		}
	} else {
		printReport(p.Stdout, report)
	}
	if !report.OK {
		return errors.New(verdict(report)) // which is printed
	}
	if !bool(*machine) {
		fmt.Fprintln(p.Stdout, verdict(report))
	}
	return nil
}

// whoAnswers says whether a server runs at the address that these settings
// have.
func (c *config) whoAnswers(ctx context.Context) string {
	if checkAddress("listen", c.listen) != nil {
		return "the address " + c.listen + " is none"
	}
	address := "http://" + reachable(c.listen)
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/healthz", nil)
	if err != nil {
		return "the address " + c.listen + " is none"
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "none answers at " + address
	}
	defer answer.Body.Close()
	if name, _, _ := strings.Cut(answer.Header.Get("Server"), "/"); !strings.EqualFold(name, "tenantry") {
		return "another program answers at " + address
	}
	return "one runs at " + address
}

func patientOf(p Process, c *config) *doctor.Patient {
	patient := &doctor.Patient{
		Settings: c.finishServer(p.Env), Listen: c.listen, BaseURL: c.baseURL, SecretKey: c.secretKey, Now: p.now,
		Sender: send.New(target.New(c.meantForLoopback(), c.webhookAllow), send.Options{Now: p.now}),
		Open: func(ctx context.Context) (*store.Store, error) {
			if err := c.mustExist(); err != nil {
				return nil, err
			}
			options := p.databaseOptions(c)
			options.Now, options.ReadOnly = p.now, true
			return store.Open(ctx, options)
		},
	}
	if sender, err := c.email.sender(c.baseURL); err == nil && c.email.server != "" {
		patient.MailServer = sender.Probe
	}
	patient.MaxDowntime = time.Duration(*c.maxDowntime) * 24 * time.Hour
	if c.isSQLite() {
		patient.DatabaseFile = c.sqlitePath()
		patient.KeyFile = filepath.Join(filepath.Dir(patient.DatabaseFile), "secret.key")
	}
	return patient
}

// meantForLoopback says whether a server with these settings would be on a
// developer's machine.
func (c *config) meantForLoopback() bool {
	address, err := net.ResolveTCPAddr("tcp", c.listen)
	if err != nil {
		return false
	}
	base := c.baseURL
	if base == "" {
		base = "http://" + address.String()
	}
	return onLoopback(address.String(), base)
}

func printJSON(out io.Writer, report *doctor.Report) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(report)
}

// printReport tells what was found, and of each finding what to do.
func printReport(out io.Writer, report *doctor.Report) {
	for _, f := range report.Findings {
		fmt.Fprintf(out, "%-8s %s: %s\n", f.Level, oneLine(f.Subject), oneLine(f.Message))
		fmt.Fprintf(out, "         to do: %s\n", oneLine(f.Remedy))
	}
	fmt.Fprintf(out, "server   %s\n", report.Server)
}

func verdict(report *doctor.Report) string {
	problems, warnings := report.Count(doctor.Problem), report.Count(doctor.Warning)
	return counted(problems, "problem") + " and " + counted(warnings, "warning") + " in " + counted(len(report.Checks), "check")
}
