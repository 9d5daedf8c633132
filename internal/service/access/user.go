package access

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Users is what changing users has in common.
var Users = operation.Resource[billing.User, billing.UserID]{
	Name: "user", Words: "user", Table: store.Users,
	Check: func(ctx context.Context, tx *store.Tx, before, u *billing.User) (billing.Problems, error) {
		problems := u.Check()
		if before == nil || !before.Administers() || u.Administers() {
			return problems, nil
		}
		last, err := isLastAdmin(ctx, tx.Queries)
		if last != nil {
			problems = append(problems, last)
		}
		return problems, err
	},
	InUse: func(ctx context.Context, q store.Queries, u *billing.User) error {
		if !u.Administers() {
			return nil
		}
		last, err := isLastAdmin(ctx, q)
		return orNone(err, last)
	},
	Release: func(ctx context.Context, tx *store.Tx, u *billing.User) error {
		_, err := store.DeleteSessionsOf(ctx, tx, u.ID, "")
		return err
	},
	Taken: func(u *billing.User) *billing.Error {
		return billing.Fail(billing.Taken, "email", "Another user has the address %q.", u.Email)
	},
}

// isLastAdmin returns a problem if there is only one admin who can sign in. It
// stays so only while users are locked.
func isLastAdmin(ctx context.Context, q store.Queries) (*billing.Error, error) {
	n, err := store.CountAdmins(ctx, q)
	if err != nil || n > 1 {
		return nil, err
	}
	return billing.Fail(billing.InUse, "role", "This is the last admin who can sign in; make another user an admin first."), nil
}

func orNone(err error, problem *billing.Error) error {
	if err == nil && problem != nil {
		return problem
	}
	return err
}

// userOperation runs do with the users locked: nobody else changes who they
// are meanwhile.
func (s *Service) userOperation(ctx context.Context, do func(context.Context, *store.Tx) (*billing.User, error)) (*billing.User, error) {
	return Users.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*billing.User, error) {
		if err := store.LockUsers(ctx, tx); err != nil {
			return nil, err
		}
		return do(ctx, tx)
	})
}

// UserCreate adds a user of the console, a viewer unless edit says otherwise.
func (s *Service) UserCreate(ctx context.Context, edit func(*billing.User) error, password string) (*billing.User, error) {
	hash := secret.HashPassword(password) // before anything is locked: it takes its time
	return s.userOperation(ctx, func(ctx context.Context, tx *store.Tx) (*billing.User, error) {
		return addUser(ctx, tx, edit, password, hash)
	})
}

func addUser(ctx context.Context, tx *store.Tx, edit func(*billing.User) error, password, hash string) (*billing.User, error) {
	return Users.Insert(ctx, tx, billing.User{Role: billing.Viewer, PasswordHash: hash}, func(u *billing.User) error {
		err := edit(u)
		if e := u.CheckPassword(password); e != nil {
			return operation.And(err, e)
		}
		return err
	})
}

// UserUpdate changes a user. What the user may do changes with the next click.
func (s *Service) UserUpdate(ctx context.Context, id billing.UserID, edit func(*billing.User) error) (*billing.User, error) {
	return s.userOperation(ctx, func(ctx context.Context, tx *store.Tx) (*billing.User, error) {
		return Users.UpdateIn(ctx, tx, id, edit)
	})
}

// UserDelete removes a user, unless it is the last admin, and ends the user's
// sessions.
func (s *Service) UserDelete(ctx context.Context, id billing.UserID) (*billing.User, error) {
	return s.userOperation(ctx, func(ctx context.Context, tx *store.Tx) (*billing.User, error) {
		return Users.DeleteIn(ctx, tx, id)
	})
}

// UserDisable keeps a user out until UserEnable: the sessions end, with the tokens
// that belong to them, and no sign-in source is known of the user any more. Nobody can do
// it to oneself or to the last admin.
func (s *Service) UserDisable(ctx context.Context, id billing.UserID) (*billing.User, error) {
	return s.userAble(ctx, "userDisable", id, func(u *billing.User) error {
		if operation.CallerOf(ctx).Actor == UserActor(u) {
			return billing.Fail(billing.InUse, "id", "You cannot disable yourself; another admin can.")
		}
		u.Disabled = true
		return nil
	}, func(ctx context.Context, tx *store.Tx, u *billing.User) error {
		if _, err := store.DeleteSessionsOf(ctx, tx, u.ID, ""); err != nil {
			return err
		}
		return store.ForgetSourcesOf(ctx, tx, u.ID)
	})
}

// UserEnable lets a user in again who was disabled.
func (s *Service) UserEnable(ctx context.Context, id billing.UserID) (*billing.User, error) {
	return s.userAble(ctx, "userEnable", id, func(u *billing.User) error {
		u.Disabled = false
		return nil
	})
}

func (s *Service) userAble(ctx context.Context, action string, id billing.UserID, edit func(*billing.User) error, then ...operation.Extra[billing.User]) (*billing.User, error) {
	named := Users
	named.Action = action
	return s.userOperation(ctx, func(ctx context.Context, tx *store.Tx) (*billing.User, error) {
		return named.UpdateIn(ctx, tx, id, edit, then...)
	})
}

// UserPasswordSet gives a user another password and ends the user's sessions,
// all but the one with the token in except.
func (s *Service) UserPasswordSet(ctx context.Context, id billing.UserID, password, except string) (*billing.User, error) {
	hash := secret.HashPassword(password)
	return Users.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*billing.User, error) {
		u, err := Users.Lock(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		if e := u.CheckPassword(password); e != nil {
			return nil, e
		}
		u.PasswordHash = hash
		if err := store.Users.Update(ctx, tx, u); err != nil {
			return nil, err
		}
		if _, err := store.DeleteSessionsOf(ctx, tx, id, hashOf(except)); err != nil {
			return nil, err
		}
		return u, operation.Audit(ctx, tx, "userPasswordSet", "user", int64(id), billing.Changes(nil, nil))
	})
}

// firstUserSetting remembers that an installation got its first user, so that
// it does not get another one when the users are deleted.
const firstUserSetting = "first_user"

// FirstUser makes the admin that an installation begins with. It returns nil
// when there is a user, or was one; of several replicas that start at once, one
// makes it.
func (s *Service) FirstUser(ctx context.Context, email, password string) (u *billing.User, err error) {
	if _, had, err := store.Setting(ctx, s.Read(), firstUserSetting); err != nil || had {
		return nil, err
	}
	hash := secret.HashPassword(password)
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		u = nil
		mine := secret.RandomText(16)
		first, err := store.InitSetting(ctx, tx, firstUserSetting, mine)
		if err != nil || first != mine {
			return err
		}
		n, err := store.CountUsers(ctx, tx.Queries)
		if err != nil || n > 0 {
			return err
		}
		u, err = addUser(ctx, tx, func(u *billing.User) error {
			u.Email, u.Role = email, billing.Admin
			return nil
		}, password, hash)
		return err
	})
	return u, err
}
