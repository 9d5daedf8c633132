package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/transfer"
)

// importing is an import that was asked for.
type importing struct {
	config   *config
	flags    preview
	webhooks *string
	check    *choice
	most     *number
	src      *transfer.Source
}

// importLines imports a file of JSON lines.
func importLines(ctx context.Context, p Process, args []string) error {
	f := newFlags(p, "import")
	i := &importing{
		config:   &config{},
		webhooks: f.String("webhooks", "off", "on: tell applications of what is imported; off: they know it already"),
		check:    f.choice("check", "only check the file and say what would be created and changed"),
		most:     f.number("max-errors", 50, "how many errors to print"),
		flags:    f.preview(),
	}
	return task{flags: f, arguments: []string{"FILE"}, config: i.config, do: func(st *store.Store, arguments []string) error {
		if err := i.mistakes(); err != nil {
			return err
		}
		src, closeFile, err := openLines(p, arguments[0])
		if err != nil {
			return err
		}
		i.src = src
		if bool(*i.flags.on) {
			err = i.preview(byCommand(ctx), p, st)
		} else {
			err = i.run(byCommand(ctx), p, st)
		}
		if err = errors.Join(err, src.Close(), closeFile()); err != nil {
			return i.failed(p.Stderr, arguments[0], err)
		}
		return nil
	}}.run(ctx, p, args)
}

func (i *importing) mistakes() error {
	switch {
	case *i.webhooks != "on" && *i.webhooks != "off":
		return usage("--webhooks must be on or off, not %q", *i.webhooks)
	case *i.most < 1 || *i.most > 1000:
		return usage("--max-errors must be from 1 to 1000, not %d", *i.most)
	case bool(*i.check) && bool(*i.flags.on):
		return usage("give --check or --preview, not both: a preview checks the file too")
	case bool(*i.check):
		return i.flags.check()
	}
	if err := i.flags.check(); err != nil {
		return err
	}
	return i.config.checkSecretKey()
}

func (i *importing) run(ctx context.Context, p Process, st *store.Store) (err error) {
	var box *secret.Box // new platforms get a signing secret
	if !bool(*i.check) {
		if box, err = openBox(ctx, i.config, st, p.Stderr); err != nil {
			return err
		}
	}
	start := p.now()
	result, err := i.read(ctx, p, st, service.New(st, box, nil))
	if err != nil {
		return err
	}
	printTallies(p.Stdout, result, bool(*i.check))
	if took := p.now().Sub(start).Seconds(); !bool(*i.check) && took > 0 {
		fmt.Fprintf(p.Stderr, "%d lines in %.1f s, %.0f a second\n", result.Lines, took, float64(result.Lines)/took)
	}
	return nil
}

// read imports the file.
func (i *importing) read(ctx context.Context, p Process, st *store.Store, svc *service.Service) (*transfer.Result, error) {
	shown := newProgress(p.Stderr, p.now)
	options := transfer.Options{
		Webhooks: *i.webhooks == "on" || bool(*i.flags.on), CheckOnly: bool(*i.check), MaxErrors: int(*i.most), Progress: shown.tell, Now: st.Now,
	}
	if i.config.isSQLite() && !bool(*i.flags.on) {
		options.Rest = rest
	}
	result, err := transfer.Import(ctx, st, svc, i.src, options)
	shown.end()
	return result, err
}

// rest lets a server on the same SQLite file write too: whoever waits for the
// file looks every now and then whether it is free.
func rest(ctx context.Context, took time.Duration) error {
	timer := time.NewTimer(min(took/8, 50*time.Millisecond))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// openLines opens the file to import.
func openLines(p Process, name string) (*transfer.Source, func() error, error) {
	if name == "-" {
		in := p.Stdin
		if in == nil {
			in = strings.NewReader("")
		}
		src, err := transfer.Spool(in)
		return src, func() error { return nil }, err
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the file: %w", err)
	}
	src, err := transfer.Open(file)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return src, file.Close, nil
}

// failed says what is wrong with a file, line by line.
func (i *importing) failed(out io.Writer, name string, err error) error {
	var invalid *transfer.InvalidError
	var stopped *transfer.StoppedError
	switch {
	case errors.As(err, &invalid):
		for _, problem := range invalid.Problems {
			fmt.Fprintf(out, "%s:%d: %s\n", oneLine(name), problem.Line, oneLine(problem.Message))
		}
		if more := invalid.Total - len(invalid.Problems); more > 0 {
			fmt.Fprintf(out, "and %d more; --max-errors shows more of them\n", more)
		}
		return fmt.Errorf("the file has %s; nothing was written", counted(invalid.Total, "error"))
	case errors.As(err, &stopped) && bool(*i.flags.on):
		return fmt.Errorf("the import would stop at %s:%d: %w; nothing was written", oneLine(name), stopped.Line, stopped)
	case errors.Is(err, context.Canceled) && bool(*i.flags.on):
		return errors.New("stopped; nothing was written")
	case errors.As(err, &stopped):
		return fmt.Errorf("stopped at %s:%d: %w; what was written stays: mend this and run the same import again", oneLine(name), stopped.Line, stopped)
	case errors.Is(err, context.Canceled):
		return errors.New("stopped; what was written stays: run the same import again to finish it")
	}
	return err
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func printTallies(out io.Writer, r *transfer.Result, check bool) {
	made, changed := "created", "changed"
	if check {
		made, changed = "to create", "to change"
	}
	for _, kind := range transfer.Kinds {
		if t := r.Tallies[kind]; t.Created+t.Changed+t.Unchanged > 0 {
			fmt.Fprintf(out, "%-13s %8d %s %8d %s %8d as they were\n", kind, t.Created, made, t.Changed, changed, t.Unchanged)
		}
	}
	if check {
		fmt.Fprintln(out, "the file is good; nothing was written")
	}
}

// exportLines writes all customers, catalog and subscriptions as JSON lines.
func exportLines(ctx context.Context, p Process, args []string) error {
	f := newFlags(p, "export")
	give := f.choice("give-codes", "give what has no code one first, such as account-12: a file knows things by their codes")
	return task{flags: f, arguments: []string{"[FILE]"}, do: func(st *store.Store, arguments []string) error {
		if bool(*give) {
			given, err := service.New(st, nil, nil).GiveCodes(byCommand(ctx))
			if err != nil {
				return eventProblems(err)
			}
			fmt.Fprintf(p.Stderr, "gave codes to %s\n", (&transfer.CodelessError{Accounts: given.Accounts, Plans: given.Plans, Subscriptions: given.Subscriptions}).String())
		}
		done, err := exportTo(ctx, p, st, arguments)
		if err != nil {
			return eventProblems(err)
		}
		fmt.Fprintf(p.Stderr, "wrote %d lines; secrets (signing secrets, tokens, API clients, users) and workflows are not part of them\n", done.Lines)
		if done.OnTestClocks > 0 {
			fmt.Fprintf(p.Stderr, "left out %s on test clocks\n", counted(done.OnTestClocks, "account"))
		}
		if done.NotStarted > 0 {
			fmt.Fprintf(p.Stderr, "left out when invoicing starts, of entities that have issued invoices (%d): see docs/import.md before you start it elsewhere\n", done.NotStarted)
		}
		if done.Behind > 0 {
			fmt.Fprintf(p.Stderr, "%s not in sync: wait for their webhooks, or import with --webhooks on\n", counted(done.Behind, "tenant"))
		}
		return nil
	}}.run(ctx, p, args)
}

// exportTo writes to standard output, or to a file that appears when it is
// whole.
func exportTo(ctx context.Context, p Process, st *store.Store, arguments []string) (*transfer.Exported, error) {
	if len(arguments) == 0 || arguments[0] == "-" {
		return transfer.Export(ctx, st, p.Stdout)
	}
	part := arguments[0] + ".part"
	file, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot write the file: %w", err)
	}
	done, err := transfer.Export(ctx, st, file)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, errors.Join(err, os.Remove(part))
	}
	return done, os.Rename(part, arguments[0])
}
