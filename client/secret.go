package client

import "context"

const signingSecretDocument = `query PlatformSigningSecret($id: ID, $code: String) { platform(id: $id, code: $code) { webhookSigningSecret } }`

// PlatformSigningSecret returns the secret that a platform's webhooks are signed
// with, for webhook.NewHandler. It needs the scope admin:read, which is why no
// other call selects it.
func (c *Client) PlatformSigningSecret(ctx context.Context, key PlatformKey) (string, error) {
	type platform struct{ WebhookSigningSecret string }
	found, err := find[platform](ctx, c, signingSecretDocument, variables{}.text("id", key.ID).text("code", key.Code))
	if err != nil {
		return "", err
	}
	return found.WebhookSigningSecret, nil
}
