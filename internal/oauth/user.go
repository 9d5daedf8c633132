package oauth

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/store"
)

// userTokenSeconds is how long a user's token is good: the console asks for
// another one when it has run out.
const userTokenSeconds = 600

// userPrefix tells users from API clients, whose ids have no colon.
const userPrefix = "user:"

// UserToken returns a token for a user of the console with all that the user's
// role allows. It belongs to the session with that token: it ends early when the
// session does, and a scope of it with the role that gave it.
func (s *Server) UserToken(u *billing.User, session string) (token string, expires time.Time, err error) {
	now := s.now()
	holder := newClient(billing.Client{ClientID: userClientID(u.ID) + ":" + secret.Hash(session)})
	token, err = s.signer.sign(holder, strings.Join(u.Role.Scopes(), " "), now, userTokenSeconds)
	return token, now.Add(userTokenSeconds * time.Second), err
}

// userClientID is what a user is called where API clients have their ids.
func userClientID(id billing.UserID) string { return userPrefix + strconv.FormatInt(int64(id), 10) }

// userOf returns who a user's token belongs to, with the scopes that the role
// still allows. The session is looked up for every request, so that it makes no
// difference where it was ended.
func (s *Server) userOf(ctx context.Context, g *grant) (Principal, *refusal) {
	ctx = store.ForRequest(ctx)
	_, hash, _ := strings.Cut(strings.TrimPrefix(g.clientID, userPrefix), ":")
	session, err := store.SessionByHash(ctx, s.store.Queries(), hash)
	switch {
	case err != nil:
		return Principal{}, tokenUnavailable
	case session == nil || session.Over(s.now()):
		return Principal{}, tokenRevoked
	}
	u, err := store.Users.Get(ctx, s.store.Queries(), session.UserID)
	switch {
	case err != nil:
		return Principal{}, tokenUnavailable
	case u == nil || u.Disabled:
		return Principal{}, tokenRevoked
	}
	return Principal{ClientID: userClientID(u.ID), Name: u.Title(), User: u.Email, Scopes: still(g.scopes, u.Role.Scopes())}, nil
}
