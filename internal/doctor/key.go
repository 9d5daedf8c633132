package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/oauth"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

const rightKey = "start with the TENANTRY_SECRET_KEY or key file that this database was used with before; look in its backup"

// key returns the secret key, and where it comes from.
func (p *Patient) key() (text, from string, err error) {
	if p.SecretKey != "" || p.KeyFile == "" {
		return p.SecretKey, "TENANTRY_SECRET_KEY", nil
	}
	content, err := os.ReadFile(p.KeyFile)
	return string(content), p.KeyFile, err
}

// box opens sealed secrets, nil if there is no usable key: checkSecretKey tells
// why.
func (p *Patient) box() *secret.Box {
	text, _, err := p.key()
	if err != nil {
		return nil
	}
	box, err := secret.NewBox(text)
	if err != nil {
		return nil
	}
	return box
}

// checkSecretKey compares the secret key with the one that the database was
// written with. A database that no server has used yet has none.
func checkSecretKey(ctx context.Context, p *Patient) ([]Finding, error) {
	known, used, err := store.Setting(ctx, p.store.Queries(), store.KeyFingerprintSetting)
	if err != nil {
		return nil, err
	}
	text, from, err := p.key()
	switch {
	case errors.Is(err, fs.ErrNotExist) && !used:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return one(problem(from, "put the file back, or set TENANTRY_SECRET_KEY", "the key file is missing, and secrets in the database cannot be read without it"))
	case err != nil:
		return one(problem(from, "let the user who runs tenantry read the file", "the key file cannot be read: %s", err))
	}
	box, err := secret.NewBox(text)
	if err != nil {
		return one(problem(from, rightKey, "%s", err))
	}
	if used && box.Fingerprint() != known {
		return one(problem(from, rightKey, "the secret key is not the one this database was written with"))
	}
	return nil, nil
}

// checkSigningKeys opens the keys that access tokens are signed with.
func checkSigningKeys(ctx context.Context, p *Patient) (found []Finding, err error) {
	keys, err := store.SigningKeys(ctx, p.store.Queries())
	box := p.box()
	if err != nil || box == nil {
		return nil, err
	}
	for _, key := range keys {
		if err := oauth.CheckSigningKey(box, key); err != nil {
			found = append(found, problem("signing key "+key.ID, rightKey, "%s", fromError(err).Message))
		}
	}
	return found, nil
}

// checkWebhookSecrets opens the secrets of every platform.
func checkWebhookSecrets(ctx context.Context, p *Patient) (found []Finding, err error) {
	routes, err := outbox.AllRoutes(ctx, p.store.Queries())
	box := p.box()
	if err != nil || box == nil {
		return nil, err
	}
	svc := service.New(p.store, box, nil)
	for i := range routes {
		if _, err := svc.Delivery.RouteSecrets(&routes[i], p.Now()); err != nil {
			found = append(found, problem("platform "+routes[i].Platform.Code, rightKey+"; or renew the platform's signing secret and its other secrets",
				"the secrets of its webhooks cannot be read: %s", err))
		}
	}
	return found, nil
}
