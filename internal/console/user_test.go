package console_test

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/access"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// cheapHash is the password, hashed at the lowest cost that there is. The server
// compares with it as with any hash, which says what it costs. Tests sign in
// hundreds of times, and at the usual cost that took a tenth of their time.
// TestEveryFormFieldIsKept signs in with a password that the server hashed.
const cheapHash = "$argon2id$v=19$m=8,t=1,p=1$c2FsdCBmb3IgdGVzdGluZw$OKwLowIbCaK00LUH/+/YR2EhHD6/1OXs+d+KCtmBsSw"

// addUser makes a user with the password, as the operation does, unless there is
// one with that address.
func (s *site) addUser(email string, role billing.Role) {
	s.t.Helper()
	err := s.store.Write(s.ctx, func(ctx context.Context, tx *store.Tx) error {
		return insertUser(ctx, tx, email, role)
	})
	if err != nil && !billing.Is(err, billing.Taken) {
		s.t.Fatal(err)
	}
}

// addAdmin makes the first user before the server does, once for each database.
func (s *site) addAdmin() {
	s.t.Helper()
	ctx := operation.As(s.ctx, operation.Caller{Actor: "first start"})
	err := s.store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		if n, err := store.CountUsers(ctx, tx.Queries); err != nil || n > 0 {
			return err
		}
		if _, err := store.InitSetting(ctx, tx, "first_user", "a test"); err != nil {
			return err
		}
		return insertUser(ctx, tx, adminEmail, billing.Admin)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func insertUser(ctx context.Context, tx *store.Tx, email string, role billing.Role) error {
	_, err := access.Users.Insert(ctx, tx, billing.User{PasswordHash: cheapHash}, func(u *billing.User) error {
		u.Email, u.Role = email, role
		return nil
	})
	return err
}
