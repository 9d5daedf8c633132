package app

import (
	"context"
	"fmt"
	"os/user"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// byCommand names the person at the keyboard in the audit log.
func byCommand(ctx context.Context) context.Context {
	actor := "command"
	if u, err := user.Current(); err == nil {
		actor += " by " + u.Username
	}
	return service.As(ctx, service.Caller{Actor: actor})
}

func clientCreate(ctx context.Context, p Process, args []string) error {
	var c config
	f := newFlags(p, "client create")
	name := f.String("name", "", "the client's name (required)")
	scopes := f.String("scopes", billing.StandardRead, "its scopes, separated by blanks: "+strings.Join(billing.Scopes, " "))
	expires := f.Int("expires-in", billing.DefaultTokenSeconds, "how long its tokens live, in seconds")
	return withStore(ctx, p, f, &c, args, nil, func(st *store.Store, _ []string) error {
		client, secret, err := service.New(st, nil, nil).ClientCreate(byCommand(ctx), func(c *billing.Client) error {
			c.Name, c.Scopes, c.AccessTokenExpiresIn = *name, strings.Fields(*scopes), *expires
			return nil
		}, nil)
		if err != nil {
			return flagProblems(err)
		}
		fmt.Fprintf(p.Stdout, "client id      %s\nclient secret  %s\n", client.ClientID, secret)
		fmt.Fprintln(p.Stderr, "keep the secret: it is not shown again")
		return nil
	})
}

// flagProblems says what is wrong with the values of flags.
func flagProblems(err error) error {
	if problems, known := billing.AsProblems(err); known {
		return usage("%s", problems.Error())
	}
	return err
}

func clientList(ctx context.Context, p Process, args []string) error {
	var c config
	return withStore(ctx, p, newFlags(p, "client list"), &c, args, nil, func(st *store.Store, _ []string) error {
		table := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "CLIENT ID\tNAME\tSCOPES\tTOKEN SECONDS\tLAST USED")
		page := store.Page{Limit: 500}
		for {
			clients, err := store.Clients.List(ctx, st.Queries(), page)
			if err != nil {
				return err
			}
			for _, client := range clients {
				used := "never"
				if client.LastUsedAt != nil {
					used = client.LastUsedAt.Format(time.RFC3339)
				}
				fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n", client.ClientID, oneLine(client.Name), strings.Join(client.Scopes, " "), client.AccessTokenExpiresIn, used)
				page.After = int64(client.ID)
			}
			if len(clients) < page.Limit {
				return table.Flush()
			}
		}
	})
}

// oneLine keeps a name from breaking the table or the terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

func clientDelete(ctx context.Context, p Process, args []string) error {
	var c config
	return withStore(ctx, p, newFlags(p, "client delete"), &c, args, []string{"CLIENT_ID"}, func(st *store.Store, positional []string) error {
		client, err := clientNamed(ctx, st, positional[0])
		if err != nil {
			return err
		}
		if _, err := service.New(st, nil, nil).ClientDelete(byCommand(ctx), client.ID); err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "deleted %s (%s); its tokens end within a second\n", client.ClientID, oneLine(client.Name))
		return nil
	})
}

func clientRenewSecret(ctx context.Context, p Process, args []string) error {
	var c config
	f := newFlags(p, "client renew-secret")
	overlap := f.Int("overlap-hours", 0, "how long the old secret stays good")
	revoke := f.Bool("revoke-tokens", false, "end the tokens it has")
	return withStore(ctx, p, f, &c, args, []string{"CLIENT_ID"}, func(st *store.Store, positional []string) error {
		client, err := clientNamed(ctx, st, positional[0])
		if err != nil {
			return err
		}
		_, secret, err := service.New(st, nil, nil).ClientSecretRenew(byCommand(ctx), client.ID, *overlap, *revoke)
		if err != nil {
			return flagProblems(err)
		}
		fmt.Fprintf(p.Stdout, "client id      %s\nclient secret  %s\n", client.ClientID, secret)
		fmt.Fprintln(p.Stderr, "keep the secret: it is not shown again")
		return nil
	})
}

func clientNamed(ctx context.Context, st *store.Store, id string) (*billing.Client, error) {
	client, err := store.ClientByClientID(ctx, st.Queries(), id)
	if err != nil {
		return nil, err
	}
	if client == nil || client.Deleted {
		return nil, fmt.Errorf("there is no API client with the client id %q; \"tenantry client list\" shows them", id)
	}
	return client, nil
}
