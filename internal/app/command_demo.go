package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/demo"
	"github.com/tenantry/tenantry/internal/demo/sample"
	"github.com/tenantry/tenantry/internal/graphql"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/access"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Where the demo is unless it is told or the port is taken.
const (
	demoListen   = "127.0.0.1:8080"
	sampleListen = "127.0.0.1:8081"
)

// demonstration is a demo that is being started.
type demonstration struct {
	config
	process      Process
	sampleListen string
	keep         string
	dir          string
	made         bool // the business is complete
	access       demo.Access
	reports      *sample.Reports
}

func runDemo(ctx context.Context, p Process, args []string) error {
	d := &demonstration{process: p}
	if err := d.read(args); err != nil {
		return err
	}
	if err := d.makeDir(); err != nil {
		return err
	}
	err := d.run(ctx)
	if ctx.Err() != nil {
		err = nil // it was told to stop, maybe while it began
	}
	if d.keep == "" || !d.made {
		return errors.Join(err, os.RemoveAll(d.dir))
	}
	return err
}

// read reads the flags. Addresses that were not asked for are exchanged for
// free ones if they are taken.
func (d *demonstration) read(args []string) error {
	f := newFlags(d.process, "demo")
	f.StringVar(&d.listen, "listen", "", "the address of Tenantry (default "+demoListen+", or a free port if that is taken)")
	f.StringVar(&d.sampleListen, "sample-listen", "", "the address of the sample application (default "+sampleListen+", or a free port)")
	f.StringVar(&d.keep, "keep", "", "make the data in this new directory and keep it, for \"tenantry serve --data-dir\"")
	if _, err := f.parse(args); err != nil {
		return err
	}
	for _, address := range []struct {
		flag, standard string
		value          *string
	}{{"listen", demoListen, &d.listen}, {"sample-listen", sampleListen, &d.sampleListen}} {
		if *address.value == "" {
			*address.value = freeOr(d.process, address.standard, address.flag)
		} else if err := checkAddress(address.flag, *address.value); err != nil {
			return err
		}
	}
	if address, err := netip.ParseAddrPort(d.listen); err == nil && address.Addr().IsUnspecified() {
		d.baseURL = fmt.Sprintf("http://127.0.0.1:%d", address.Port())
	}
	var err error
	if d.first, err = givenCredentials(d.process.Env); err != nil {
		return err
	}
	d.admin, err = givenAdmin(d.process.Env)
	return err
}

// makeDir makes the directory for the data. Nothing but the demo's is in it, so
// that all of it can be removed.
func (d *demonstration) makeDir() (err error) {
	if d.keep == "" {
		d.dir, err = os.MkdirTemp("", "tenantry-demo-")
		return err
	}
	d.dir = d.keep
	there, err := os.ReadDir(d.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--keep: %w", err)
	}
	if len(there) > 0 {
		return usage("--keep: %s is not empty; name a new directory, or start a demo that was kept with \"tenantry serve --data-dir %s\"", d.dir, d.dir)
	}
	return os.MkdirAll(d.dir, 0o700)
}

func (d *demonstration) run(ctx context.Context) error {
	c, p := &d.config, d.process
	c.dataDir, c.logFormat, c.quiet = d.dir, "auto", true
	if err := c.finish(p.Env); err != nil {
		return err
	}
	forever, most := number(3650), number(graphql.MaxAnswer)
	c.keepDelivered, c.keepFailed, c.maxDowntime, c.maxResponse = &forever, &forever, &forever, &most
	c.webhookAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	l, err := net.Listen("tcp", d.sampleListen)
	if err != nil {
		return cannotListen(d.sampleListen, "sample-listen", err)
	}
	defer l.Close()
	options := p.databaseOptions(c)
	options.Exclusive = true
	st, err := store.Open(ctx, options)
	if err != nil {
		return err
	}
	return errors.Join(d.serve(ctx, st, l), st.Close())
}

// serve fills the database and runs the server and the sample on it.
func (d *demonstration) serve(ctx context.Context, st *store.Store, l net.Listener) error {
	s, listeners, err := newServer(ctx, d.process, &d.config, st)
	if err != nil {
		return err
	}
	defer listeners.close()
	d.access.Tenantry, d.access.Sample, d.access.Data = d.baseURL, "http://"+reachable(l.Addr().String()), d.dir
	if err := d.letIn(ctx, s.service); err != nil {
		return err
	}
	business, err := d.fill(ctx, s.service)
	if err != nil {
		return err
	}
	d.made = true
	app, err := sample.New(sample.Options{Secrets: business.Secrets, BooksSecret: business.BooksSecret, Now: d.process.now, Console: d.access.Tenantry, Reports: d.reports})
	if err != nil {
		return err
	}
	s.welcome = func() { business.Welcome(d.process.Stdout, d.access) }
	// The sample goes on until the last webhook is answered.
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- app.Serve(work, l) }()
	serving, done := context.WithCancel(ctx)
	defer done()
	reported := make(chan error, 1)
	go func() { reported <- app.Report(serving) }()
	err = s.run(ctx, d.process, listeners)
	done()
	err = errors.Join(err, <-reported)
	stop()
	return errors.Join(err, <-ended)
}

// letIn makes the user of the console and the API client.
func (d *demonstration) letIn(ctx context.Context, svc *service.Service) error {
	ctx = operation.As(ctx, operation.Caller{Actor: "demo"})
	admin := access.Credentials{ID: localAdmin, Secret: secret.RandomText(15)}
	if d.admin != nil {
		admin = *d.admin
	}
	if _, err := svc.Access.FirstUser(ctx, admin.ID, admin.Secret); err != nil {
		return err
	}
	client, clientSecret, err := svc.Access.FirstClient(ctx, func(c *billing.Client) error {
		c.Name, c.Scopes = "Demo", billing.Scopes
		return nil
	}, d.first)
	if err != nil {
		return err
	}
	if d.first != nil {
		clientSecret = d.first.Secret
	}
	d.access.Email, d.access.Password = admin.ID, admin.Secret
	d.access.ClientID, d.access.ClientSecret = client.ClientID, clientSecret
	return d.letSampleIn(ctx, svc)
}

// letSampleIn makes the API client that the sample reports with.
func (d *demonstration) letSampleIn(ctx context.Context, svc *service.Service) error {
	client, clientSecret, err := svc.Access.ClientCreate(ctx, func(c *billing.Client) error {
		c.Name, c.Scopes = "Sample application", []string{billing.StandardWrite}
		return nil
	}, nil)
	if err == nil {
		d.reports = &sample.Reports{URL: d.access.Tenantry, ClientID: client.ClientID, ClientSecret: clientSecret}
	}
	return err
}

// fill makes the business, and shows on a terminal how far it is.
func (d *demonstration) fill(ctx context.Context, svc *service.Service) (*demo.Business, error) {
	say, live := d.process.Stderr, isTerminal(d.process.Stderr)
	fmt.Fprint(say, "making a year of history …")
	business, err := demo.Make(ctx, demo.Options{
		Service: svc, Now: d.process.now(),
		WebhookURL: func(platform string) string { return d.access.Sample + "/webhooks/" + platform },
		Progress: func(done, total int) {
			if live {
				fmt.Fprintf(say, "\rmaking a year of history … day %d of %d", done, total)
			}
		},
	})
	fmt.Fprintln(say)
	return business, err
}
