package app_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

func TestNamesDoNotBreakTheList(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustCommand(t, nil, "migrate", "--data-dir", dir)
	var ids []string
	for _, name := range []string{"two\nlines", "a\ttab", "\x1b[2Jclear", "\x9b31m", "c1 \u009b31m", "right\u202eleft", "para\u2029graph", "del\x7f", "Žluť 한글 😀"} {
		done := command(t, nil, "client", "create", "--data-dir", dir, "--name", name)
		if strings.ToValidUTF8(name, "") != name {
			if done.code != 2 {
				t.Errorf("%q: exits with %d", name, done.code)
			}
			continue
		}
		if done.code != 0 {
			t.Fatalf("%q: %s", name, done.stderr)
		}
		id, _ := credentialsIn(t, done.stdout)
		ids = append(ids, id)
	}
	list := mustCommand(t, nil, "client", "list", "--data-dir", dir)
	lines := strings.Split(strings.TrimSuffix(list, "\n"), "\n")
	if len(lines) != 1+len(ids) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), 1+len(ids), list)
	}
	for i, line := range lines[1:] {
		if !strings.HasPrefix(line, ids[i]+"  ") {
			t.Errorf("line %q does not begin with the client id %s", line, ids[i])
		}
		if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("line %q has characters that a terminal acts on", line)
		}
	}
	if !strings.Contains(list, "Žluť 한글 😀") {
		t.Errorf("letters are lost:\n%s", list)
	}
	deleted := mustCommand(t, nil, "client", "delete", "--data-dir", dir, "--", ids[0])
	if strings.Count(deleted, "\n") != 1 {
		t.Errorf("the name breaks the line: %q", deleted)
	}
}

func TestTheListHasEveryClient(t *testing.T) {
	t.Parallel()
	const many = 1001 // more than two pages
	dir := t.TempDir()
	st, err := store.Open(t.Context(), store.Options{URL: "sqlite:" + filepath.Join(dir, "tenantry.db"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	err = st.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for i := range many {
			c := billing.Client{ClientID: fmt.Sprintf("client-%04d", i), Name: "a", Scopes: billing.Scopes, AccessTokenExpiresIn: 1}
			if err := store.InsertClient(ctx, tx, &c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	list := mustCommand(t, nil, "client", "list", "--data-dir", dir)
	for i := range many {
		if id := fmt.Sprintf("client-%04d", i); strings.Count(list, id+" ") != 1 {
			t.Fatalf("%s is not there once", id)
		}
	}
}

func TestTheListSaysWhenAClientWasLastUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := inside(t, known, "--data-dir", dir)
	before := time.Now().UTC().Truncate(time.Second)
	s.firstToken(t)
	s.stop(t) // what is still in memory is written down
	fields := strings.Fields(strings.Split(mustCommand(t, nil, "client", "list", "--data-dir", dir), "\n")[1])
	used, err := time.Parse(time.RFC3339, fields[len(fields)-1])
	if err != nil || used.Before(before) || used.After(time.Now()) || used.Location() != time.UTC {
		t.Errorf("last used %v (%v), want a moment after %v in UTC", used, err, before)
	}
}
