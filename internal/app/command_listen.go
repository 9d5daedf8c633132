package app

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/delivery/sign"
	"github.com/tenantry/tenantry/internal/listen"
	"github.com/tenantry/tenantry/internal/secret"
)

// listenAt is where a listener is unless it is told or the port is taken.
const listenAt = "127.0.0.1:8090"

// listening is how a listener was asked to run.
type listening struct {
	config
	platform, secretText, url string
	restore                   *choice
	options                   listen.Options
	status                    *number
}

func runListen(ctx context.Context, p Process, args []string) error {
	l, err := readListening(p, args)
	if err != nil {
		return err
	}
	if l.platform == "" {
		return l.run(ctx, p, nil)
	}
	at, err := l.openPlatform(ctx, p)
	if err != nil {
		return err
	}
	if bool(*l.restore) {
		err = at.restore(ctx, p)
	} else {
		l.options.Keys = at.keys
		err = l.run(ctx, p, at)
	}
	return errors.Join(err, at.store.Close())
}

func readListening(p Process, args []string) (*listening, error) {
	l := &listening{options: listen.Options{Out: p.Stdout, Now: p.now, Token: secret.RandomText(12), Random: rand.Float64, Colour: colourful(p)}}
	f := newFlags(p, "listen")
	f.database(&l.config)
	f.StringVar(&l.listen, "at", "", "the address to listen on (default "+listenAt+", or a free port if that is taken)")
	f.StringVar(&l.platform, "platform", "", "the code of a platform that is to send its webhooks here for as long as this runs")
	f.StringVar(&l.url, "url", "", "with --platform: the address at which the server reaches this (default http:// and the listen address)")
	l.restore = f.choice("restore", "with --platform: put back the address that a listener which was killed has left, and stop")
	f.StringVar(&l.secretText, "secret", "", "the secret to verify signatures with: whsec_… (default that of the platform)")
	l.status = f.number("status", http.StatusOK, "the status to answer with")
	f.Func("delay", "how long to wait before answering, such as 3s", func(text string) (err error) {
		if l.options.Delay, err = time.ParseDuration(text); err != nil {
			err = errors.New("it must be a time such as 3s or 500ms")
		}
		return err
	})
	f.Func("fail-rate", "the share of webhooks to answer with 500, from 0 to 1", func(text string) (err error) {
		if l.options.FailRate, err = strconv.ParseFloat(text, 64); err != nil {
			err = errors.New("it must be a number from 0 to 1")
		}
		return err
	})
	f.StringVar(&l.options.Forward, "forward", "", "a URL to send the webhooks on to; the answer is what comes from there")
	bodies := f.choice("body", "print all of each body")
	if _, err := f.parse(args); err != nil {
		return nil, err
	}
	l.options.Status, l.options.Bodies = int(*l.status), bool(*bodies)
	if err := l.check(); err != nil {
		return nil, err
	}
	return l, nil
}

// colourful says whether output may be in colour: on a terminal whose user did
// not ask for none.
func colourful(p Process) bool {
	none, _ := p.Env("NO_COLOR")
	terminal, _ := p.Env("TERM")
	return isTerminal(p.Stdout) && none == "" && terminal != "dumb"
}

// maxDelay is longer than any server waits.
const maxDelay = 10 * time.Minute

// check refuses what cannot work.
func (l *listening) check() error {
	if l.listen != "" {
		if err := checkAddress("at", l.listen); err != nil {
			return err
		}
	}
	o := &l.options
	switch {
	case o.Status < 200 || o.Status > 599:
		return usage("--status must be a final HTTP status from 200 to 599, not %d", o.Status)
	case o.Delay < 0 || o.Delay > maxDelay:
		return usage("--delay must be from 0s to %s, not %s", maxDelay, o.Delay)
	case !(o.FailRate >= 0 && o.FailRate <= 1):
		return usage("--fail-rate must be from 0 to 1, not %v", o.FailRate)
	case o.Forward != "" && o.Status != http.StatusOK:
		return usage("give --forward or --status, not both: with --forward the answer is what comes from there")
	case o.Forward != "" && !isWebAddress(o.Forward):
		return usage("--forward must be an address such as http://127.0.0.1:3000/webhooks, not %q", o.Forward)
	case l.url != "" && !isWebAddress(l.url):
		return usage("--url must be an address such as http://192.168.0.5:8090, not %q", l.url)
	case l.platform == "" && bool(*l.restore):
		return usage("--restore needs --platform: whose address is to be put back?")
	case l.platform == "" && l.url != "":
		return usage("--url needs --platform: nobody else is told of it")
	}
	if l.secretText == "" {
		return nil
	}
	key, err := sign.Parse(l.secretText)
	if err != nil {
		return usage("--secret: %s", err)
	}
	o.Keys = func(context.Context) ([][]byte, error) { return [][]byte{key}, nil }
	return nil
}

func isWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// open takes the address. One that was not asked for is exchanged for a free
// one if it is taken, as it is by a listener in another terminal.
func (l *listening) open(p Process) (net.Listener, error) {
	address := l.listen
	if address == "" {
		listener, err := net.Listen("tcp", listenAt)
		if err == nil {
			return listener, nil
		}
		address = another(p, listenAt, "at", err)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, cannotListen(address, "at", err)
	}
	return listener, nil
}

// run receives webhooks until ctx ends, those of a platform if at is not nil.
func (l *listening) run(ctx context.Context, p Process, at *attached) error {
	listener, err := l.open(p)
	if err != nil {
		return err
	}
	if l.url == "" {
		l.url = "http://" + listener.Addr().String() + "/"
	}
	receiver := listen.New(l.options)
	server := &http.Server{Handler: receiver, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	defer server.Close()
	fmt.Fprintf(p.Stderr, "listening on http://%s\n", listener.Addr())
	if at != nil {
		if err := at.register(ctx, p, l.url, l.options.Token); err != nil {
			return err
		}
		watching, stop := context.WithCancel(ctx)
		defer stop()
		go at.watch(watching, p, receiver.Busy)
	}
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	// First nothing more is sent here, then what is under way is answered.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if at != nil {
		kept, earliest := receiver.Kept()
		err = errors.Join(err, at.end(ctx, p, kept, billing.EventID(earliest)))
	}
	_ = server.Shutdown(ctx) // what takes longer is cut off
	return err
}
