package delivery

import (
	"context"
	"encoding/base64"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/jobs"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// What platform secrets are sealed for.
const (
	purposeSigningSecret = "platform signing secret"
	purposeAuthToken     = "platform auth token"
	purposePlainKey      = "platform plain signature key"
)

// Platforms is what changing platforms has in common.
var Platforms = operation.Resource[webhook.Platform, billing.PlatformID]{
	Name: "platform", Words: "platform", Table: store.Platforms,
	New: func(*store.Tx) webhook.Platform { return webhook.NewPlatform() },
	Check: func(_ context.Context, _ *store.Tx, _, p *webhook.Platform) (billing.Problems, error) {
		return p.Check(), nil
	},
	InUse: func(ctx context.Context, q store.Queries, p *webhook.Platform) error {
		n, err := store.ProductsOnPlatform(ctx, q, p.ID)
		if err == nil && n > 0 {
			return billing.Fail(billing.InUse, "id", "The platform is used by %s, which must be moved or deleted first.", operation.Count(n, "product", "products"))
		}
		if err != nil {
			return err
		}
		if n, err = store.TenantsOnPlatform(ctx, q, p.ID); err == nil && n > 0 {
			err = billing.Fail(billing.InUse, "id", "The platform has %s, which must be deleted first.", operation.Counted(n, "tenant", "tenants"))
		}
		return err
	},
	Release: func(ctx context.Context, tx *store.Tx, p *webhook.Platform) error {
		return outbox.DeleteTestsOf(ctx, tx, p.ID)
	},
	Taken: func(p *webhook.Platform) *billing.Error {
		return billing.Fail(billing.Taken, "code", "Another platform has the code %q.", p.Code)
	},
}

// PlatformSecrets are the secrets of a platform that a caller sets: nil leaves
// one as it is, empty removes it.
type PlatformSecrets struct {
	AuthToken, PlainSignatureKey *string
	// Ask refuses an address for which secrets have to be given again, in place
	// of holding webhooks until they are.
	Ask bool
}

// PlatformCreate adds a platform with a signing secret of its own.
func (s *Service) PlatformCreate(ctx context.Context, edit func(*webhook.Platform) error, secrets PlatformSecrets) (*webhook.Platform, error) {
	address := s.judgePlatform(ctx, edit)
	return Platforms.Create(ctx, s.Runner, func(p *webhook.Platform) error {
		p.SigningSecretSealed = s.NewSigningSecret()
		return operation.And(s.withSecrets(edit, secrets)(p), address.problem(nil)...)
	})
}

// NewSigningSecret makes a signing secret, sealed.
func (s *Service) NewSigningSecret() string {
	signing := "whsec_" + base64.StdEncoding.EncodeToString(secret.RandomBytes(32))
	return s.box.Seal(purposeSigningSecret, []byte(signing))
}

// PlatformUpdate changes a platform.
func (s *Service) PlatformUpdate(ctx context.Context, id billing.PlatformID, edit func(*webhook.Platform) error, secrets PlatformSecrets) (*webhook.Platform, error) {
	defer s.Wake()
	address := s.judgePlatform(ctx, edit)
	var before webhook.Platform
	remember := func(p *webhook.Platform) error {
		before = *p
		return operation.And(s.withSecrets(edit, secrets)(p), address.problem(before.WebhookURL)...)
	}
	return Platforms.Update(ctx, s.Runner, id, remember, func(ctx context.Context, tx *store.Tx, p *webhook.Platform) error {
		if err := s.signatureFree(ctx, tx, &before, p); err != nil {
			return err
		}
		if err := secrets.askedFor(ctx, tx, p); err != nil {
			return err
		}
		if err := AddressChanged(ctx, tx, &before, p); err != nil || before.ProvisioningEnabled || !p.ProvisioningEnabled {
			return err
		}
		some, err := store.TenantsToTell(ctx, tx.Queries, p.ID, 0, 1)
		if err != nil || len(some) == 0 {
			return err
		}
		return jobs.Insert(ctx, tx, billing.JobProvisioning, provisioning.FanOut{PlatformID: p.ID, Reason: subscription.KindProvisioningEnabled, Actor: operation.CallerOf(ctx).Actor})
	})
}

// PlatformDelete removes a platform that no product is on.
func (s *Service) PlatformDelete(ctx context.Context, id billing.PlatformID) (*webhook.Platform, error) {
	return Platforms.Delete(ctx, s.Runner, id)
}

// SigningSecret returns the secret that a platform's webhooks are signed with,
// empty if the platform is gone and only remembered.
func (s *Service) SigningSecret(p *webhook.Platform) (string, error) {
	if p.SigningSecretSealed == "" {
		return "", nil
	}
	text, err := s.box.Open(purposeSigningSecret, p.SigningSecretSealed)
	return string(text), err
}

func (s *Service) withSecrets(edit func(*webhook.Platform) error, secrets PlatformSecrets) func(*webhook.Platform) error {
	return func(p *webhook.Platform) error {
		err := edit(p) // first, because secrets are for the address
		return operation.And(err, s.sealSecrets(p, secrets)...)
	}
}

// sealSecrets sets the secrets of a platform for the address it has.
func (s *Service) sealSecrets(p *webhook.Platform, secrets PlatformSecrets) (problems billing.Problems) {
	seal := func(field, purpose string, value, into, origin *string, check func(field, value string) *billing.Error) {
		switch {
		case value == nil:
		case *value == "":
			*into, *origin = "", ""
		default:
			if e := check(field, *value); e != nil {
				problems = append(problems, e)
			}
			*into, *origin = s.box.Seal(purpose, []byte(*value)), ""
			if p.WebhookURL != nil {
				*origin = webhook.Origin(*p.WebhookURL)
			}
		}
	}
	seal(webhook.SecretAuthToken, purposeAuthToken, secrets.AuthToken, &p.AuthTokenSealed, &p.AuthTokenFor, webhook.CheckHeaderValue)
	seal(webhook.SecretPlainKey, purposePlainKey, secrets.PlainSignatureKey, &p.PlainSignatureKeySealed, &p.PlainSignatureKeyFor, webhook.CheckSignatureKey)
	return problems
}

// askedFor refuses what leaves a platform with secrets to be given again, if the
// caller wants to be asked for them.
func (secrets PlatformSecrets) askedFor(ctx context.Context, tx *store.Tx, p *webhook.Platform) error {
	if !secrets.Ask {
		return nil
	}
	found, err := store.WorkflowsOf(ctx, tx.Queries, []billing.PlatformID{p.ID})
	if err != nil || len(found) == 0 {
		return err
	}
	return askFor(p, &found[0]).Err()
}

// askFor are the secrets to be given again, each as a problem of its own.
func askFor(p *webhook.Platform, w *webhook.Workflow) (problems billing.Problems) {
	for _, n := range webhook.NeededSecrets(p, w) {
		problems = append(problems, billing.Fail(billing.Required, n.Name, "%s", sentence(webhook.GiveAgain(p, []webhook.NeededSecret{n}))))
	}
	return problems
}
