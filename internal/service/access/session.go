package access

import (
	"context"
	"errors"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// ErrWrongPassword means that an address and a password do not belong together,
// or that the user is disabled; whether there is such a user is not told.
var ErrWrongPassword = errors.New("the e-mail address or the password is wrong")

// touchAfter is how often it is recorded that a session is in use.
const touchAfter = time.Minute

// UserActor names a user in the audit log.
func UserActor(u *billing.User) string { return "user " + u.Email }

func hashOf(token string) string {
	if token == "" {
		return ""
	}
	return secret.Hash(token)
}

// SignIn begins a session for the right address and password, and returns its
// token. from says where; its user and token are set here. The source is known
// to the user from then on.
func (s *Service) SignIn(ctx context.Context, email, password string, from billing.Session, at SignInSource) (token string, u *billing.User, err error) {
	if u, err = store.UserByEmail(ctx, s.Read(), email); err != nil {
		return "", nil, err
	}
	hash := ""
	if u != nil {
		hash = u.PasswordHash
	}
	right, err := at.matches(ctx, password, hash) // takes as long without a user
	if err != nil {
		return "", nil, err
	}
	if !right || u.Disabled { // who is disabled does not hear whether it was right
		return "", nil, ErrWrongPassword
	}
	token = secret.Random()
	from.UserID, from.TokenHash = u.ID, secret.Hash(token)
	err = s.Store.Write(operation.As(ctx, operation.Caller{Actor: UserActor(u)}), func(ctx context.Context, tx *store.Tx) error {
		// Locked, so that what is changed at this moment counts.
		now, err := store.Users.Lock(ctx, tx, u.ID)
		if err != nil {
			return err
		}
		if now == nil || now.Disabled || now.PasswordHash != hash {
			return ErrWrongPassword
		}
		if err := store.InsertSession(ctx, tx, &from); err != nil {
			return err
		}
		if err := store.MarkSignedIn(ctx, tx, u.ID); err != nil {
			return err
		}
		if err := at.remember(ctx, tx, u.ID); err != nil {
			return err
		}
		return operation.Audit(ctx, tx, "userSignIn", "user", int64(u.ID), billing.Changes(nil, nil))
	})
	if err != nil {
		return "", nil, err
	}
	return token, u, nil
}

// PasswordIsRight reports whether a user who is signed in knows the password.
func (s *Service) PasswordIsRight(u *billing.User, password string) bool {
	return secret.PasswordMatches(password, u.PasswordHash)
}

// Session returns who is signed in with a token, or nil. That it is in use is
// recorded now and then.
func (s *Service) Session(ctx context.Context, token string) (*billing.User, *billing.Session, error) {
	u, session, err := s.SessionUntouched(ctx, token)
	if err != nil || u == nil || s.Store.Snapshot().Now.Sub(session.SeenAt) < touchAfter {
		return u, session, err
	}
	return u, session, s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		return store.TouchSession(ctx, tx, session.TokenHash)
	})
}

// SessionUntouched is Session for what nobody asked for: it is not recorded as
// use.
func (s *Service) SessionUntouched(ctx context.Context, token string) (*billing.User, *billing.Session, error) {
	if token == "" {
		return nil, nil, nil
	}
	session, err := store.SessionByHash(ctx, s.Read(), secret.Hash(token))
	if err != nil || session == nil {
		return nil, nil, err
	}
	now := s.Store.Snapshot().Now
	if session.Over(now) {
		return nil, nil, nil
	}
	u, err := store.Users.Get(ctx, s.Read(), session.UserID)
	if err != nil || u == nil || u.Disabled {
		return nil, nil, err
	}
	return u, session, nil
}

// SignOut ends the session with a token.
func (s *Service) SignOut(ctx context.Context, u *billing.User, token string) error {
	return s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		there, err := store.DeleteSession(ctx, tx, secret.Hash(token))
		if err != nil || !there {
			return err
		}
		return operation.Audit(ctx, tx, "userSignOut", "user", int64(u.ID), billing.Changes(nil, nil))
	})
}

// SignOutEverywhere ends all sessions of a user and returns how many there were.
func (s *Service) SignOutEverywhere(ctx context.Context, id billing.UserID) (n int, err error) {
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		ended, err := store.DeleteSessionsOf(ctx, tx, id, "")
		if err != nil {
			return err
		}
		n = int(ended)
		changes := billing.Changes(nil, map[string]int{"sessionsEnded": n})
		return operation.Audit(ctx, tx, "userSignOutEverywhere", "user", int64(id), changes)
	})
	return n, err
}

// ForgetOldSessions removes the sessions that have ended by themselves, and the
// sources that nobody signs in from any more, unless nobody knows what time it
// is.
func (s *Service) ForgetOldSessions(ctx context.Context) error {
	return s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		if tx.Unsure {
			return nil
		}
		if _, err := store.ForgetSourcesBefore(ctx, tx, tx.Now.Add(-SourceLife)); err != nil {
			return err
		}
		_, err := store.DeleteSessionsBefore(ctx, tx, tx.Now.Add(-billing.SessionIdle), tx.Now.Add(-billing.SessionLife))
		return err
	})
}
