package app

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/access"
	"github.com/tenantry/tenantry/internal/store"
)

// passwordOf is the password for a user: TENANTRY_PASSWORD, or a made-up one.
// There is no flag for it, because others on the machine can see flags.
func passwordOf(p Process) (password string, madeUp bool) {
	if given, _ := p.Env("TENANTRY_PASSWORD"); given != "" {
		return given, false
	}
	return secret.RandomText(15), true
}

func printPassword(p Process, u *billing.User, password string, madeUp bool) {
	fmt.Fprintf(p.Stdout, "e-mail    %s\n", u.Email)
	if madeUp {
		fmt.Fprintf(p.Stdout, "password  %s\n", password)
		fmt.Fprintln(p.Stderr, "keep the password: it is not shown again")
	}
}

func userCreate(ctx context.Context, p Process, args []string) error {
	f := newFlags(p, "user create")
	name := f.String("name", "", "the user's name")
	role := f.String("role", "viewer", "what the user may do: admin, editor or viewer")
	return task{flags: f, arguments: []string{"EMAIL"}, do: func(st *store.Store, arguments []string) error {
		password, madeUp := passwordOf(p)
		user, err := service.New(st, nil, nil).Access.UserCreate(byCommand(ctx), func(u *billing.User) error {
			u.Email, u.Name, u.Role = arguments[0], *name, billing.Role(strings.ToUpper(*role))
			return nil
		}, password)
		if err != nil {
			return flagProblems(err)
		}
		printPassword(p, user, password, madeUp)
		return nil
	}}.run(ctx, p, args)
}

func userList(ctx context.Context, p Process, args []string) error {
	return task{flags: newFlags(p, "user list"), do: func(st *store.Store, _ []string) error {
		table := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "E-MAIL\tNAME\tROLE\tLAST SIGN-IN\tSTATE")
		page := store.Page{Limit: 500}
		for {
			users, err := store.Users.List(ctx, st.Queries(), page)
			if err != nil {
				return err
			}
			for _, user := range users {
				seen := "never"
				if user.LastSignInAt != nil {
					seen = user.LastSignInAt.Format(time.RFC3339)
				}
				state := "enabled"
				if user.Disabled {
					state = "disabled"
				}
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", oneLine(user.Email), oneLine(user.Name), strings.ToLower(string(user.Role)), seen, state)
				page.After = int64(user.ID)
			}
			if len(users) < page.Limit {
				return table.Flush()
			}
		}
	}}.run(ctx, p, args)
}

func userPassword(ctx context.Context, p Process, args []string) error {
	return task{flags: newFlags(p, "user password"), arguments: []string{"EMAIL"}, do: func(st *store.Store, arguments []string) error {
		user, err := userNamed(ctx, st, arguments[0])
		if err != nil {
			return err
		}
		password, madeUp := passwordOf(p)
		if _, err := service.New(st, nil, nil).Access.UserPasswordSet(byCommand(ctx), user.ID, password, ""); err != nil {
			return flagProblems(err)
		}
		printPassword(p, user, password, madeUp)
		return nil
	}}.run(ctx, p, args)
}

// userChange is a command that does something with the user with an address, and
// prints what was done.
func userChange(name, done string, do func(*access.Service, context.Context, billing.UserID) (*billing.User, error)) func(context.Context, Process, []string) error {
	return func(ctx context.Context, p Process, args []string) error {
		return task{flags: newFlags(p, name), arguments: []string{"EMAIL"}, do: func(st *store.Store, arguments []string) error {
			user, err := userNamed(ctx, st, arguments[0])
			if err != nil {
				return err
			}
			if _, err := do(service.New(st, nil, nil).Access, byCommand(ctx), user.ID); err != nil {
				return err
			}
			fmt.Fprintf(p.Stdout, "%s %s\n", done, oneLine(user.Email))
			return nil
		}}.run(ctx, p, args)
	}
}

func userNamed(ctx context.Context, st *store.Store, email string) (*billing.User, error) {
	user, err := store.UserByEmail(ctx, st.Queries(), email)
	if err == nil && user == nil {
		err = fmt.Errorf("there is no user with the address %q; \"tenantry user list\" shows them", email)
	}
	return user, err
}
