package oauth

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// userTokenSeconds is how long a user's token is good: the console asks for
// another one when it has run out.
const userTokenSeconds = 600

// userPrefix tells users from API clients, whose ids have no colon.
const userPrefix = "user:"

// UserToken returns a token for a user of the console with all that the user's
// role allows. It ends early when the user is deleted or changed, and a scope of
// it with the role that gave it.
func (s *Server) UserToken(u *billing.User) (token string, expires time.Time, err error) {
	now := s.now()
	holder := newClient(billing.Client{
		ClientID: userPrefix + strconv.FormatInt(int64(u.ID), 10), Generation: u.UpdatedAt.UnixMilli(),
	})
	token, err = s.signer.sign(holder, strings.Join(u.Role.Scopes(), " "), now, userTokenSeconds)
	return token, now.Add(userTokenSeconds * time.Second), err
}

// userOf returns who a user's token belongs to, with the scopes that the role
// still allows.
func (s *Server) userOf(ctx context.Context, g *grant) (Principal, *refusal) {
	id, err := strconv.ParseInt(strings.TrimPrefix(g.clientID, userPrefix), 10, 64)
	if err != nil {
		return Principal{}, tokenInvalid
	}
	u, err := store.Users.Get(ctx, s.store.Queries(), billing.UserID(id))
	switch {
	case err != nil:
		return Principal{}, tokenUnavailable
	case u == nil || g.generation < u.UpdatedAt.UnixMilli():
		return Principal{}, tokenRevoked
	}
	scopes := slices.DeleteFunc(slices.Clone(g.scopes), func(scope string) bool { return !u.Role.Allows(scope) })
	return Principal{ClientID: g.clientID, Name: u.Title(), User: u.Email, Scopes: scopes}, nil
}
