package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"

	"github.com/tenantry/tenantry/internal/doctor"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/webhook/send"
	"github.com/tenantry/tenantry/internal/webhook/target"
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
		return errors.New(verdict(report))
	}
	return nil
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
	fmt.Fprintf(out, "%s in %s\n", verdict(report), counted(len(report.Checks), "check"))
}

func verdict(report *doctor.Report) string {
	problems, warnings := report.Count(doctor.Problem), report.Count(doctor.Warning)
	return counted(problems, "problem") + " and " + counted(warnings, "warning")
}
