package store

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
)

// Users keeps billing.User. Addresses are unique without regard to case.
var Users = newTable(Table[billing.User, billing.UserID]{
	name:    "console_user",
	id:      func(u *billing.User) *billing.UserID { return &u.ID },
	columns: []string{"email", "email_key", "name", "role", "disabled", "password_hash", "last_sign_in_at"},
	fields: func(u *billing.User) []any {
		key := func() driver.Value { return billing.Fold(u.Email) }
		return []any{
			&u.Email, column.Derived(key), &u.Name, &u.Role, &u.Disabled, &u.PasswordHash, column.OptionalMillis(&u.LastSignInAt),
		}
	},
	stamps: func(u *billing.User) (*time.Time, *time.Time) { return &u.CreatedAt, &u.UpdatedAt },
	words:  func(u *billing.User) []string { return []string{u.Name, u.Email} },
	filters: map[string]field{
		"email": {"email", folded, nil},
		"role":  {"role", enum, []string{"ADMIN", "EDITOR", "VIEWER"}}, "disabled": {"disabled", boolean, nil},
	},
})

// UserByEmail returns the user with that address, in whatever case, or nil.
func UserByEmail(ctx context.Context, q Queries, email string) (*billing.User, error) {
	return Users.by(ctx, q, "email_key", billing.Fold(email))
}

// CountUsers returns how many users there are.
func CountUsers(ctx context.Context, q Queries) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM console_user`)
}

// CountAdmins returns how many of them are admins who can sign in.
func CountAdmins(ctx context.Context, q Queries) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM console_user WHERE role = 'ADMIN' AND NOT disabled`)
}

// LockUsers lets one transaction at a time change who the users are, so that
// two admins cannot remove each other.
func LockUsers(ctx context.Context, tx *Tx) error {
	_, err := next(ctx, tx, "console_user")
	return err
}

// MarkSignedIn records when a user last signed in. It is no change of the user.
func MarkSignedIn(ctx context.Context, tx *Tx, id billing.UserID) error {
	_, err := tx.Exec(ctx, `UPDATE console_user SET last_sign_in_at = $1 WHERE id = $2`, tx.Now.UnixMilli(), int64(id))
	return err
}
