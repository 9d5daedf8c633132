package storetest

import (
	"crypto/rand"
	"net/url"
	"strings"
	"testing"
)

// AsRole makes a user with those options, such as CONNECTION LIMIT 3, and those
// settings, such as statement_timeout = '1s', who owns the database at target
// and is no superuser. It returns the address for that user.
func AsRole(t testing.TB, target, options string, settings ...string) string {
	t.Helper()
	name := "tenantry_role_" + strings.ToLower(rand.Text())
	address, err := url.Parse(target)
	if err != nil {
		t.Fatal("not a URL")
	}
	run := func(text string) {
		t.Helper()
		if err := execute(target, text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	run("CREATE ROLE " + name + " LOGIN " + options)
	t.Cleanup(func() {
		run("REASSIGN OWNED BY " + name + " TO CURRENT_USER")
		run("DROP OWNED BY " + name)
		run("DROP ROLE " + name)
	})
	run("ALTER DATABASE " + strings.TrimPrefix(address.Path, "/") + " OWNER TO " + name)
	run("GRANT ALL ON SCHEMA public TO " + name)
	for _, setting := range settings {
		run("ALTER ROLE " + name + " SET " + setting)
	}
	address.User = url.User(name)
	return address.String()
}
