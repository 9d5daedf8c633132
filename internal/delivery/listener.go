package delivery

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Listener takes the webhooks of a platform for a while, in the place of its
// application. It is remembered in the database, so that the application's
// address can be put back even if the listener could not.
type Listener struct {
	// Token tells this listener from others.
	Token string `json:"token"`
	URL   string `json:"url"`
	// Before is where the webhooks went before, nil if nowhere.
	Before *string   `json:"before"`
	Since  time.Time `json:"since"`
}

func listenerSetting(id billing.PlatformID) string { return fmt.Sprintf("listener.%d", id) }

// listenerOf returns the listener that a platform sends to, nil if it does not
// send to one, maybe not any more.
func listenerOf(ctx context.Context, q store.Queries, p *webhook.Platform) (*Listener, error) {
	text, _, err := store.Setting(ctx, q, listenerSetting(p.ID))
	if err != nil || text == "" {
		return nil, err
	}
	var l Listener
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		return nil, err
	}
	if p.WebhookURL == nil || *p.WebhookURL != l.URL {
		return nil, nil // somebody has set another address since
	}
	return &l, nil
}

// PlatformListener returns the listener that a platform sends to, nil if it
// sends to none.
func (s *Service) PlatformListener(ctx context.Context, p *webhook.Platform) (*Listener, error) {
	return listenerOf(ctx, s.Read(), p)
}

// PlatformListen sends the webhooks of a platform to a listener, until
// PlatformListenEnd. instead is the token of the listener whose place it takes,
// empty for none; one that the caller does not know of keeps its place.
func (s *Service) PlatformListen(ctx context.Context, id billing.PlatformID, l Listener, instead string) (*Listener, error) {
	defer s.Wake()
	listened := Platforms
	listened.Action = "platformListen"
	registered, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*Listener, error) {
		registered := l
		registered.Since = tx.Now
		_, err := listened.UpdateIn(ctx, tx, id, func(p *webhook.Platform) error {
			old, err := listenerOf(ctx, tx.Queries, p)
			if err != nil {
				return err
			}
			registered.Before = p.WebhookURL
			if old != nil {
				if old.Token != instead {
					return billing.Fail(billing.NotAllowed, "id", "Another listener takes the webhooks of this platform, at %s.", old.URL)
				}
				registered.Before = old.Before
			}
			p.WebhookURL = &registered.URL
			return nil
		}, func(ctx context.Context, tx *store.Tx, p *webhook.Platform) error {
			if err := listenable(ctx, tx, p); err != nil {
				return err
			}
			// A listener begins afresh, even at the address of one that failed.
			return changeEndpoint(ctx, tx, id, func(_ *outbox.Route, e *webhook.Endpoint) error {
				e.Resume()
				if registered.Before == nil {
					e.Release(webhook.ReleaseLatest, tx.Now)
				}
				return nil
			})
		})
		if err != nil {
			return nil, err
		}
		return &registered, store.SetSetting(ctx, tx, listenerSetting(id), string(operation.MustJSON(registered)))
	})
	return registered, err
}

// listenable refuses a listener for a platform with secrets that are not for it:
// its webhooks would wait until the listener is gone.
func listenable(ctx context.Context, tx *store.Tx, p *webhook.Platform) error {
	found, err := store.WorkflowsOf(ctx, tx.Queries, []billing.PlatformID{p.ID})
	if err != nil || len(found) == 0 {
		return err
	}
	if needed := webhook.NeededSecrets(p, &found[0]); len(needed) > 0 {
		return billing.Fail(billing.NotAllowed, "id", "%s Listen for another platform, or remove them first.", sentence(webhook.WereSet(needed)+", and secrets are sent to no other host"))
	}
	return nil
}

// PlatformListenEnd puts back the address that a platform had before it was
// sent to a listener. It returns nil if the platform does not send to that
// listener any more: then nothing is changed.
func (s *Service) PlatformListenEnd(ctx context.Context, id billing.PlatformID, token string) (*Listener, error) {
	defer s.Wake()
	restored := Platforms
	restored.Action = "platformListenEnd"
	var ended *Listener
	_, err := restored.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*webhook.Platform, error) {
		p, err := restored.Lock(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		if ended, err = listenerOf(ctx, tx.Queries, p); err != nil {
			return nil, err
		}
		if ended == nil || ended.Token != token {
			ended = nil
			return p, nil
		}
		before := *p
		p, err = restored.UpdateIn(ctx, tx, id, func(p *webhook.Platform) error {
			p.WebhookURL = ended.Before
			return nil
		}, func(ctx context.Context, tx *store.Tx, after *webhook.Platform) error {
			return AddressChanged(ctx, tx, &before, after)
		})
		if err != nil {
			return nil, err
		}
		return p, store.SetSetting(ctx, tx, listenerSetting(id), "")
	})
	return ended, err
}
