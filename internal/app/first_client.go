package app

import (
	"context"
	"fmt"
	"regexp"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/access"
	"github.com/tenantry/tenantry/internal/service/operation"
)

var plainText = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// Lengths of credentials that are given instead of made.
const (
	maxClientID     = 100
	minClientSecret = 32
	maxClientSecret = 200
)

// firstClient makes the API client that a new installation begins with. Its
// secret is printed once, unless it was given.
func (s *server) firstClient(ctx context.Context, p Process) error {
	given := s.config.first
	ctx = operation.As(ctx, operation.Caller{Actor: "first start"})
	client, secret, err := s.service.Access.FirstClient(ctx, func(c *billing.Client) error {
		c.Name, c.Scopes = "First client", billing.Scopes
		return nil
	}, given)
	if err != nil || client == nil {
		return err
	}
	if given != nil {
		fmt.Fprintf(p.Stdout, "made the first API client, %s, from TENANTRY_CLIENT_ID\n", client.ClientID)
		return nil
	}
	fmt.Fprintf(p.Stdout, "\nThis is a new installation. Its first API client (keep the secret, it is not shown again):\n\n"+
		"  client id      %s\n  client secret  %s\n\nGet an access token:\n\n"+
		"  curl %s/oauth/token -d grant_type=client_credentials -d 'scope=standard:read standard:write' \\\n"+
		"    -d client_id=%s -d client_secret=%s\n\n",
		client.ClientID, secret, s.config.baseURL, client.ClientID, secret)
	return nil
}

// localAdmin is the first user of an installation that was told of none.
const localAdmin = "admin@tenantry.local"

// firstUser makes the admin that an installation begins with, also one that
// was upgraded from a version without a console. The password is printed once,
// unless it was given.
func (s *server) firstUser(ctx context.Context, p Process) error {
	given, password := s.config.admin, secret.RandomText(15)
	email := localAdmin
	if given != nil {
		email, password = given.ID, given.Secret
	}
	ctx = operation.As(ctx, operation.Caller{Actor: "first start"})
	user, err := s.service.Access.FirstUser(ctx, email, password)
	if err != nil || user == nil {
		return err
	}
	if given != nil {
		fmt.Fprintf(p.Stdout, "made the first user, %s, from TENANTRY_ADMIN_EMAIL\n", user.Email)
		return nil
	}
	fmt.Fprintf(p.Stdout, "\nThe console is at %s. Its first user (keep the password, it is not shown again):\n\n"+
		"  e-mail         %s\n  password       %s\n\n", s.config.baseURL, user.Email, password)
	return nil
}

// givenAdmin reads the first user from the environment.
func givenAdmin(env func(string) (string, bool)) (*access.Credentials, error) {
	email, _ := env("TENANTRY_ADMIN_EMAIL")
	password, _ := env("TENANTRY_ADMIN_PASSWORD")
	switch {
	case email == "" && password == "":
		return nil, nil
	case email == "" || password == "":
		return nil, usage("set TENANTRY_ADMIN_EMAIL and TENANTRY_ADMIN_PASSWORD together, or neither")
	}
	user := billing.User{Email: email, Role: billing.Admin}
	if problems := user.Check(); len(problems) > 0 {
		return nil, usage("TENANTRY_ADMIN_EMAIL: %s", problems)
	}
	if e := user.CheckPassword(password); e != nil {
		return nil, usage("TENANTRY_ADMIN_PASSWORD: %s", e)
	}
	return &access.Credentials{ID: email, Secret: password}, nil
}

func givenCredentials(env func(string) (string, bool)) (*access.Credentials, error) {
	id, _ := env("TENANTRY_CLIENT_ID")
	secret, _ := env("TENANTRY_CLIENT_SECRET")
	switch {
	case id == "" && secret == "":
		return nil, nil
	case id == "" || secret == "":
		return nil, usage("set TENANTRY_CLIENT_ID and TENANTRY_CLIENT_SECRET together, or neither")
	case !plainText.MatchString(id) || len(id) > maxClientID:
		return nil, usage("TENANTRY_CLIENT_ID must have 1 to %d of the characters A-Z a-z 0-9 _ -", maxClientID)
	case !plainText.MatchString(secret) || len(secret) < minClientSecret || len(secret) > maxClientSecret:
		return nil, usage("TENANTRY_CLIENT_SECRET must have %d to %d of the characters A-Z a-z 0-9 _ -", minClientSecret, maxClientSecret)
	}
	return &access.Credentials{ID: id, Secret: secret}, nil
}
