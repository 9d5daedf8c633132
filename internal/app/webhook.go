package app

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/console"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/delivery/program"
	"github.com/tenantry/tenantry/internal/delivery/send"
	"github.com/tenantry/tenantry/internal/delivery/target"
	"github.com/tenantry/tenantry/internal/delivery/worker"
)

// newWebhooks makes what sends webhooks. It may be asked to go to loopback and
// private addresses if this server is on a developer's machine.
func (s *server) newWebhooks(listener net.Listener) *worker.Engine {
	policy := target.New(s.onLoopback(listener), s.config.webhookAllow)
	engine := worker.New(worker.Options{
		Store: s.store, Sender: send.New(policy, send.Options{Now: s.now, Elapsed: s.store.Clock().Elapsed}), Secrets: s.service.Delivery.RouteSecrets,
		Log: s.log, Now: s.now, Latest: s.store.Clock().Latest, UserAgent: "Tenantry/" + version,
	})
	s.service.Delivery.UseWebhooks(delivery.Webhooks{
		CheckURL: policy.CheckURL,
		// The place of the request is for others while it waits for a slot or for a
		// receiver. What it computes is charged.
		CheckProgram: func(ctx context.Context, source string) error {
			return program.Check(ctx, source, program.Samples(), admission.Pause)
		},
		CheckStateProgram: func(ctx context.Context, source string) error {
			return program.Check(ctx, source, nil, admission.Pause)
		},
		RunProgram: func(ctx context.Context, source string, body []byte) ([]byte, error) {
			return program.Preview(ctx, source, body, admission.Pause)
		},
		Test: func(ctx context.Context, route *outbox.Route, event *webhook.Event) *webhook.Attempt {
			return engine.Try(ctx, route, event, admission.Pause)
		},
	})
	s.service.Drifts.UsePrograms(func(ctx context.Context, source string) (drift.Form, error) {
		return program.Each(ctx, source, admission.Pause)
	})
	return engine
}

// onLoopback says whether nobody but this machine can reach the server, and
// nobody else is meant to.
func (s *server) onLoopback(listener net.Listener) bool {
	return onLoopback(listener.Addr().String(), s.config.baseURL)
}

func onLoopback(listen, baseURL string) bool {
	address, err := netip.ParseAddrPort(listen)
	if err != nil || !address.Addr().Unmap().IsLoopback() {
		return false
	}
	base, err := url.Parse(baseURL)
	if err != nil {
		return false
	}
	if base.Hostname() == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(base.Hostname())
	return err == nil && ip.Unmap().IsLoopback()
}

// receiver is the address of the server's own receiver of webhooks, or nothing
// if webhooks may not go there anyway.
func (s *server) receiver(listener net.Listener) string {
	if !s.onLoopback(listener) && !strings.HasPrefix(s.config.baseURL, "https://") {
		return ""
	}
	return strings.TrimRight(s.config.baseURL, "/") + console.ReceiverPath
}
