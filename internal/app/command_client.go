package app

import (
	"context"
	"fmt"
	"os/user"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// byCommand names the person at the keyboard in the audit log.
func byCommand(ctx context.Context) context.Context {
	actor := "command"
	if u, err := user.Current(); err == nil {
		actor += " by " + u.Username
	}
	return operation.As(ctx, operation.Caller{Actor: actor})
}

func clientCreate(ctx context.Context, p Process, args []string) error {
	f := newFlags(p, "client create")
	name := f.String("name", "", "the client's name (required)")
	scopes := f.String("scopes", billing.StandardRead, "its scopes, separated by blanks: "+strings.Join(billing.Scopes, " "))
	expires := f.number("expires-in", billing.DefaultTokenSeconds, "how long its tokens live, in seconds")
	limits := f.clientLimits()
	return task{flags: f, do: func(st *store.Store, _ []string) error {
		client, secret, err := service.New(st, nil, nil).Access.ClientCreate(byCommand(ctx), func(c *billing.Client) error {
			c.Name, c.Scopes, c.AccessTokenExpiresIn = *name, strings.Fields(*scopes), int(*expires)
			limits.set(c)
			return nil
		}, nil)
		if err != nil {
			return flagProblems(err)
		}
		fmt.Fprintf(p.Stdout, "client id      %s\nclient secret  %s\n", client.ClientID, secret)
		fmt.Fprintln(p.Stderr, "keep the secret: it is not shown again")
		return nil
	}}.run(ctx, p, args)
}

// flagOf is the flag that sets a field of an API client or a user.
var flagOf = map[string]string{
	"role": "--role", "password": "TENANTRY_PASSWORD",
	"name": "--name", "scopes": "--scopes", "accessTokenExpiresIn": "--expires-in", "overlapHours": "--overlap-hours",
	"maxConcurrentRequests": "--max-requests", "maxCpuSecondsPerMinute": "--max-cpu-seconds", "maxMegabytesPerMinute": "--max-megabytes",
}

// flagProblems says what is wrong with the values of flags.
func flagProblems(err error) error {
	if problems, known := billing.AsProblems(err); known {
		return usage("%s", problemTexts(problems, flagOf))
	}
	return err
}

func clientList(ctx context.Context, p Process, args []string) error {
	return task{flags: newFlags(p, "client list"), do: func(st *store.Store, _ []string) error {
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
	}}.run(ctx, p, args)
}

// oneLine keeps a name from breaking the table or the terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

func clientDelete(ctx context.Context, p Process, args []string) error {
	return task{flags: newFlags(p, "client delete"), arguments: []string{"CLIENT_ID"}, do: func(st *store.Store, arguments []string) error {
		client, err := clientNamed(ctx, st, arguments[0])
		if err != nil {
			return err
		}
		if _, err := service.New(st, nil, nil).Access.ClientDelete(byCommand(ctx), client.ID); err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "deleted %s (%s); its tokens end within a second\n", client.ClientID, oneLine(client.Name))
		return nil
	}}.run(ctx, p, args)
}

func clientRenewSecret(ctx context.Context, p Process, args []string) error {
	f := newFlags(p, "client renew-secret")
	overlap := f.number("overlap-hours", 0, "how long the old secret stays good")
	revoke := f.choice("revoke-tokens", "end the tokens it has")
	return task{flags: f, arguments: []string{"CLIENT_ID"}, do: func(st *store.Store, arguments []string) error {
		client, err := clientNamed(ctx, st, arguments[0])
		if err != nil {
			return err
		}
		_, secret, err := service.New(st, nil, nil).Access.ClientSecretRenew(byCommand(ctx), client.ID, int(*overlap), bool(*revoke))
		if err != nil {
			return flagProblems(err)
		}
		fmt.Fprintf(p.Stdout, "client id      %s\nclient secret  %s\n", client.ClientID, secret)
		fmt.Fprintln(p.Stderr, "keep the secret: it is not shown again")
		return nil
	}}.run(ctx, p, args)
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
