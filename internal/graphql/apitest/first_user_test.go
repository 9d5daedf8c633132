package apitest

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/access"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// addFirstUser makes the user of the console that a server makes when it first
// starts, with a hash that matches nothing. No request to the API signs in, and
// hashing a password for each server took a tenth of the time of these tests.
func addFirstUser(t testing.TB, db *storetest.Database) {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{URL: db.URL, Now: db.Clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	ctx := operation.As(t.Context(), operation.Caller{Actor: "first start"})
	err = s.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, err := store.InitSetting(ctx, tx, "first_user", "a test"); err != nil {
			return err
		}
		_, err := access.Users.Insert(ctx, tx, billing.User{PasswordHash: "none"}, func(u *billing.User) error {
			u.Email, u.Role = "admin@tenantry.local", billing.Admin
			return nil
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
