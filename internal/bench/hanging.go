package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/delivery"
)

// measureHanging compares sending while the endpoint of another platform hangs
// with sending while it has nothing to do.
func measureHanging(ctx context.Context, b *bench, e *engine) (_ []result, err error) {
	w, err := newOutbox(ctx, e, "hanging", backlogTenants)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	over := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	defer hangs.Close()
	defer close(over)
	_, err = w.service.Delivery.PlatformCreate(ctx, func(p *billing.Platform) error {
		p.Code, p.Name, p.ProvisioningEnabled, p.WebhookURL = "slow", "Slow", true, &hangs.URL
		return nil
	}, delivery.PlatformSecrets{})
	if err != nil {
		return nil, err
	}
	if err := w.queue(ctx, backlogEach); err != nil {
		return nil, err
	}
	// A tenth of the tenants, with all that they wait for, are on the other platform.
	err = w.exec(ctx, `UPDATE tenant SET platform_id = 2 WHERE id % 10 = 0`, `UPDATE webhook_event SET platform_id = 2 WHERE tenant_id % 10 = 0`,
		`UPDATE webhook_delivery SET platform_id = 2 WHERE tenant_id % 10 = 0`, `UPDATE webhook_stream SET platform_id = 2 WHERE tenant_id % 10 = 0`)
	if err != nil {
		return nil, err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the server does
	with := func(enabled string) side {
		return func(ctx context.Context, d time.Duration) (float64, error) {
			if err := w.exec(ctx, `UPDATE workflow SET enabled = `+enabled+` WHERE platform_id = 2`); err != nil {
				return 0, err
			}
			return w.deliver(ctx, d)
		}
	}
	c, err := compareIn(ctx, b.duration(), 4*slice, with("1 > 0"), with("1 < 0"))
	if err != nil {
		return nil, err
	}
	return []result{rates("one endpoint hangs", e.name, c).atLeast(0.75)}, nil
}
