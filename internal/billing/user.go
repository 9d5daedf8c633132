package billing

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Role says what a user of the console may do.
type Role string

// The roles: an admin may do everything, an editor changes business data and
// bills customers, but does not say where webhooks go and what they carry, a viewer
// looks.
const (
	Admin  Role = "ADMIN"
	Editor Role = "EDITOR"
	Viewer Role = "VIEWER"
)

// Roles lists every role there is, the mightiest first.
var Roles = []Role{Admin, Editor, Viewer}

// Scopes are what a role allows, as access tokens say it.
func (r Role) Scopes() []string {
	switch r {
	case Admin:
		return Scopes
	case Editor:
		return []string{StandardRead, StandardWrite, BillingRead, BillingWrite}
	case Viewer:
		return []string{StandardRead, BillingRead}
	}
	return nil
}

// Allows reports whether the role has a scope.
func (r Role) Allows(scope string) bool { return slices.Contains(r.Scopes(), scope) }

// User is a person who signs in to the console.
type User struct {
	ID           UserID     `json:"id"`
	Email        string     `json:"email"`
	Name         string     `json:"name"`
	Role         Role       `json:"role"`
	Disabled     bool       `json:"disabled"` // cannot sign in
	PasswordHash string     `json:"-"`
	LastSignInAt *time.Time `json:"-"`
	CreatedAt    time.Time  `json:"createdAt"`
	UpdatedAt    time.Time  `json:"updatedAt"`
}

// Check returns what is wrong with the user, nil if nothing is.
func (u *User) Check() Problems {
	var p Problems
	p.Add(CheckEmail("email", u.Email), CheckText("name", u.Name, MaxName))
	if !slices.Contains(Roles, u.Role) {
		p.Add(Invalidf("role", "A user is ADMIN, EDITOR or VIEWER, not %q.", u.Role))
	}
	return p
}

// Administers reports whether the user is an admin who can sign in.
func (u *User) Administers() bool { return u.Role == Admin && !u.Disabled }

// Normalize takes blanks off an address that was typed.
func (u *User) Normalize() { u.Email = strings.TrimSpace(u.Email) }

// Title is what a user is called.
func (u *User) Title() string {
	if u.Name != "" {
		return u.Name
	}
	return u.Email
}

// Lengths of a password, in characters.
const (
	MinPassword = 12
	MaxPassword = 200
)

// CheckPassword refuses a password that is too easily guessed.
func (u *User) CheckPassword(password string) *Error {
	n := utf8.RuneCountInString(password)
	switch {
	case n == 0:
		return Requiredf("password", "Choose a password of %d characters or more.", MinPassword)
	case !utf8.ValidString(password):
		return Invalidf("password", "The password is not valid UTF-8 text.")
	case n < MinPassword:
		return Invalidf("password", "A password has %d characters or more; this has %d. Several words in a row are good.", MinPassword, n)
	case n > MaxPassword:
		return Invalidf("password", "A password has up to %d characters; this has %d.", MaxPassword, n)
	case Fold(password) == Fold(u.Email):
		return Invalidf("password", "The password must not be the e-mail address.")
	case strings.Count(password, password[:1]) == len(password):
		return Invalidf("password", "The password must not be one character over and over.")
	}
	return nil
}

// How long a session of the console lasts: since it was last used, and at all.
const (
	SessionIdle = 12 * time.Hour
	SessionLife = 7 * 24 * time.Hour
)

// MaxAhead is how far in the future a session or a token may have begun: one from
// further ahead is of a time when the clock was wrong, and would last too long.
const MaxAhead = 5 * time.Minute

// Session is a user's stay in the console in one browser. Its token is kept as
// a hash only.
type Session struct {
	TokenHash string
	UserID    UserID
	CreatedAt time.Time
	SeenAt    time.Time
	// Address and Browser are where it was begun, for people to recognise.
	Address string
	Browser string
}

// Over reports whether the session has ended by itself.
func (s *Session) Over(now time.Time) bool {
	soon := now.Add(MaxAhead)
	return !now.Before(s.SeenAt.Add(SessionIdle)) || !now.Before(s.CreatedAt.Add(SessionLife)) || s.CreatedAt.After(soon) || s.SeenAt.After(soon)
}
