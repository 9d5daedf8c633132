package oauth

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
)

// Principal is who a request is made by, and what its token allows. It is not
// to be changed.
type Principal struct {
	ClientID string // the public id of the API client
	Name     string // the API client's name
	User     string // the address of a user of the console, empty for an API client
	Scopes   []string
	// Client is the API client as it is now, nil for a user.
	Client *billing.Client
}

// Actor names the principal in the audit log.
func (p Principal) Actor() string {
	if p.User != "" {
		return "user " + p.User
	}
	return "client " + p.ClientID
}

// Has reports whether the token has a scope.
func (p Principal) Has(scope string) bool { return slices.Contains(p.Scopes, scope) }

type principalKey struct{}

// WithPrincipal returns a context of a request made by p.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// PrincipalOf returns who a request is made by, and false if its token was not
// checked.
func PrincipalOf(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(principalKey{}).(Principal)
	return p, ok
}
