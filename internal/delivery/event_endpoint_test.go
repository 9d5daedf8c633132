package delivery_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// TestEventEndpointResume lets events go out again to an endpoint that was paused, and
// a new address starts afresh.
func TestEventEndpointResume(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		made := servicetest.Must[*webhook.EventEndpoint](w)
		e := made(w.Delivery.EventEndpointCreate(w.Ctx, func(e *webhook.EventEndpoint) error {
			e.URL, e.Types = "https://books.example.com/", []webhook.BusinessType{webhook.InvoicePaid}
			return nil
		}))
		state := func() webhook.EndpointState {
			routes, err := outbox.RoutesOf(w.Ctx, w.Read(), []billing.PlatformID{billing.PlatformID(e.ID)})
			w.OK(err)
			return routes[0].State()
		}
		pause := func() {
			w.OK(w.Store.Write(w.Ctx, func(ctx context.Context, tx *store.Tx) error {
				route, err := outbox.LockRoute(ctx, tx, billing.PlatformID(e.ID))
				if err != nil {
					return err
				}
				route.Endpoint.Pause("It is gone.", tx.Now)
				return outbox.SaveEndpoint(ctx, tx, &route.Endpoint)
			}))
			w.Equal("paused", state(), webhook.EndpointPaused)
		}
		_, err := w.Delivery.EventEndpointResume(w.Ctx, e.ID)
		w.Refused("one that is not paused", err, "NOT_ALLOWED id")
		pause()
		made(w.Delivery.EventEndpointResume(w.Ctx, e.ID))
		w.Equal("resumed", state(), webhook.EndpointReady)
		w.Equal("the audit log", w.LastAudit(), fmt.Sprintf("client 1 eventEndpointResume EventEndpoint %d", e.ID))
		pause()
		made(w.Delivery.EventEndpointUpdate(w.Ctx, e.ID, func(e *webhook.EventEndpoint) error { e.URL = "https://other.example.com/"; return nil }))
		w.Equal("at a new address", state(), webhook.EndpointReady)
		_, err = w.Delivery.PlatformEndpointResume(w.Ctx, billing.PlatformID(e.ID), webhook.ReleaseAll)
		w.Refused("an endpoint as a platform", err, "NOT_FOUND id")
		made(w.Delivery.EventEndpointDelete(w.Ctx, e.ID))
	})
}
