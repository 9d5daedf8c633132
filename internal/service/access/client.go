package access

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

var Clients = operation.Resource[billing.Client, billing.ClientID]{
	Name: "apiClient", Words: "API client", Table: store.Clients,
	Check: func(_ context.Context, _ *store.Tx, _, c *billing.Client) (billing.Problems, error) {
		return c.Check(), nil
	},
	Taken: func(c *billing.Client) *billing.Error {
		return billing.Fail(billing.Taken, "clientId", "Another API client has the client id %q.", c.ClientID)
	},
}

// maxOverlapHours bounds how long an old secret stays good beside a new one.
const maxOverlapHours = 30 * 24

// Credentials are set for a new API client instead of being made up.
type Credentials struct{ ID, Secret string }

// ClientCreate adds an API client and returns its secret, which is not kept
// and cannot be shown again; it is empty when the operation was done before.
func (s *Service) ClientCreate(ctx context.Context, edit func(*billing.Client) error, given *Credentials) (c *billing.Client, clientSecret string, err error) {
	credentials := given.orNew()
	var made bool
	c, err = s.clientOperation(ctx, func(ctx context.Context, tx *store.Tx) (*billing.Client, error) {
		made = true
		return addClient(ctx, tx, credentials, edit)
	})
	if err != nil || !made {
		return c, "", err
	}
	return c, credentials.Secret, nil
}

func (given *Credentials) orNew() Credentials {
	if given != nil {
		return *given
	}
	return Credentials{ID: secret.RandomID(), Secret: secret.Random()}
}

func addClient(ctx context.Context, tx *store.Tx, credentials Credentials, edit func(*billing.Client) error) (*billing.Client, error) {
	c := billing.Client{
		ClientID: credentials.ID, SecretHash: secret.Hash(credentials.Secret),
		AccessTokenExpiresIn: billing.DefaultTokenSeconds, Generation: 1,
	}
	if err := Clients.Edited(ctx, tx, nil, &c, edit); err != nil {
		return nil, err
	}
	if err := store.InsertClient(ctx, tx, &c); err != nil {
		return nil, Clients.Explain(err, &c)
	}
	return &c, operation.Audit(ctx, tx, "apiClientCreate", "apiClient", int64(c.ID), billing.Changes(nil, &c))
}

// ClientUpdate changes an API client. A scope that it loses is lost to the
// tokens it has; their lifetime stays as it was.
func (s *Service) ClientUpdate(ctx context.Context, id billing.ClientID, edit func(*billing.Client) error) (*billing.Client, error) {
	return s.changeClient(ctx, "apiClientUpdate", id, func(_ *store.Tx, c *billing.Client) error { return edit(c) })
}

// ClientDelete removes an API client and ends its tokens.
func (s *Service) ClientDelete(ctx context.Context, id billing.ClientID) (*billing.Client, error) {
	return s.clientOperation(ctx, func(ctx context.Context, tx *store.Tx) (*billing.Client, error) {
		c, err := lockClient(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		c.Deleted, c.SecretHash, c.OldSecretHash = true, "", ""
		if err := store.UpdateClient(ctx, tx, c); err != nil {
			return nil, err
		}
		return c, operation.Audit(ctx, tx, "apiClientDelete", "apiClient", int64(id), billing.Changes(c, nil))
	})
}

// ClientSecretRenew gives an API client a new secret and returns it; it is
// empty when the operation was done before. The old secret stays good for
// overlapHours; tokens stay good unless revokeTokens is set.
func (s *Service) ClientSecretRenew(ctx context.Context, id billing.ClientID, overlapHours int, revokeTokens bool) (c *billing.Client, clientSecret string, err error) {
	fresh := secret.Random()
	var made bool
	c, err = s.changeClient(ctx, "apiClientSecretRenew", id, func(tx *store.Tx, c *billing.Client) error {
		if overlapHours < 0 || overlapHours > maxOverlapHours {
			return billing.Fail(billing.Invalid, "overlapHours", "The old secret can stay good for 0 to %d hours (30 days), not %d.", maxOverlapHours, overlapHours)
		}
		c.OldSecretHash, c.OldSecretUntil = "", nil
		if overlapHours > 0 {
			until := tx.Now.Add(time.Duration(overlapHours) * time.Hour)
			c.OldSecretHash, c.OldSecretUntil = c.SecretHash, &until
		}
		c.SecretHash = secret.Hash(fresh)
		if revokeTokens {
			c.Generation++
		}
		made = true
		return nil
	})
	if err != nil || !made {
		return c, "", err
	}
	return c, fresh, nil
}

func (s *Service) changeClient(ctx context.Context, action string, id billing.ClientID, edit func(*store.Tx, *billing.Client) error) (*billing.Client, error) {
	return s.clientOperation(ctx, func(ctx context.Context, tx *store.Tx) (*billing.Client, error) {
		c, err := lockClient(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		before := *c
		if err := Clients.Edited(ctx, tx, &before, c, func(c *billing.Client) error { return edit(tx, c) }); err != nil {
			return nil, err
		}
		if err := store.UpdateClient(ctx, tx, c); err != nil {
			return nil, err
		}
		return c, operation.Audit(ctx, tx, action, "apiClient", int64(id), billing.Changes(&before, c))
	})
}

func (s *Service) clientOperation(ctx context.Context, do func(context.Context, *store.Tx) (*billing.Client, error)) (*billing.Client, error) {
	c, err := Clients.Operation(ctx, s.Runner, do)
	if err == nil && !store.Rehearsing(ctx) { // whose clients must not get in
		s.ClientsChanged(ctx)
	}
	return c, err
}

func lockClient(ctx context.Context, tx *store.Tx, id billing.ClientID) (*billing.Client, error) {
	c, err := Clients.Lock(ctx, tx, id)
	if err == nil && c.Deleted {
		return nil, billing.Missing("id", Clients.Words, id)
	}
	return c, err
}

// firstClientSetting remembers that a new installation got its first client,
// so that it does not get another one when that is deleted.
const firstClientSetting = "first_client"

// FirstClient makes the API client that a new installation begins with. It
// returns nil when the installation has one, or had one; of several replicas
// that start at once, one makes it.
func (s *Service) FirstClient(ctx context.Context, edit func(*billing.Client) error, given *Credentials) (c *billing.Client, clientSecret string, err error) {
	credentials := given.orNew()
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		c = nil
		mine := secret.RandomText(16)
		first, err := store.InitSetting(ctx, tx, firstClientSetting, mine)
		if err != nil || first != mine {
			return err
		}
		n, err := store.CountClients(ctx, tx.Queries)
		if err != nil || n > 0 {
			return err
		}
		c, err = addClient(ctx, tx, credentials, edit)
		return err
	})
	if err != nil || c == nil {
		return nil, "", err
	}
	s.ClientsChanged(ctx)
	return c, credentials.Secret, nil
}
