package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Process is what a run of the program gets from its surroundings.
type Process struct {
	Args []string
	Env  func(string) (string, bool)
	// Stdin is what a command reads that is told to; empty if nil.
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Now is the clock; the real one if nil.
	Now func() time.Time
}

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// usageError is a mistake in flags, arguments or variables.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

func usage(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// command is one thing the program can do.
type command struct {
	name, arguments, summary string
	run                      func(ctx context.Context, p Process, args []string) error
}

func commands() []command {
	return []command{
		{"demo", "", "run a server with made-up customers and an application to try it with", runDemo},
		{"serve", "", "run the server", serve},
		{"migrate", "", "bring the database's schema up to date and stop", migrate},
		{"client create", "", "make an API client and print its secret", clientCreate},
		{"client list", "", "list the API clients", clientList},
		{"client delete", "CLIENT_ID", "delete an API client and end its tokens", clientDelete},
		{"client renew-secret", "CLIENT_ID", "give an API client a new secret", clientRenewSecret},
		{"timezone", "[ZONE]", "show or set the time zone in which days begin", timezone},
		{"events list", "", "list the webhook log", eventsList},
		{"events show", "EVENT", "show an event with its body, requests and difference", eventsShow},
		{"events resend", "[EVENT]", "send one event again, or all that match --filter", eventsResend},
		{"listen", "", "print the webhooks that come in, for developers", runListen},
		{"user create", "EMAIL", "make a user of the console and print the password", userCreate},
		{"user list", "", "list the users of the console", userList},
		{"user password", "EMAIL", "give a user a new password and print it", userPassword},
		{"user delete", "EMAIL", "delete a user and end the user's sessions", userDelete},
		{"import", "FILE", "import customers, catalog and subscriptions from JSON lines (- is standard input)", importLines},
		{"export", "[FILE]", "write all that as JSON lines", exportLines},
		{"health", "", "ask a server on this machine whether it is ready", askHealth},
		{"backup", "FILE", "write a consistent copy of a live SQLite database", backup},
		{"version", "", "print the version", printVersion},
		{"help", "", "print this", help},
	}
}

// Run runs the command that the arguments name and returns the exit code.
// Cancelling ctx stops a server.
func Run(ctx context.Context, p Process) int {
	if p.Now == nil {
		p.Now = time.Now
	}
	err := dispatch(ctx, p)
	var wrong usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &wrong):
		fmt.Fprintf(p.Stderr, "tenantry: %s\n", err)
		return exitUsage
	}
	fmt.Fprintf(p.Stderr, "tenantry: %s\n", err)
	return exitFailed
}

func dispatch(ctx context.Context, p Process) error {
	if len(p.Args) == 0 {
		_ = help(ctx, p, nil)
		return usage("no command given")
	}
	if first := p.Args[0]; first == "-h" || first == "--help" || first == "-help" {
		return help(ctx, p, nil)
	} else if first == "--version" || first == "-version" {
		p.Args = []string{"version"}
	}
	for _, c := range commands() {
		words := strings.Fields(c.name)
		if len(p.Args) >= len(words) && strings.Join(p.Args[:len(words)], " ") == c.name {
			return c.run(ctx, p, p.Args[len(words):])
		}
	}
	switch p.Args[0] {
	case "client":
		return usage("the client command needs one of: create, list, delete, renew-secret")
	case "user":
		return usage("the user command needs one of: create, list, password, delete")
	case "events":
		return usage("the events command needs one of: list, show, resend")
	}
	return usage("there is no command %q; run \"tenantry help\" for the commands", p.Args[0])
}

// help lists the commands, or with the name of one its flags.
func help(ctx context.Context, p Process, args []string) error {
	if len(args) > 0 && args[0] != "help" {
		p.Args = append(slices.Clone(args), "--help")
		return dispatch(ctx, p)
	}
	fmt.Fprint(p.Stdout, "Tenantry keeps every tenant of your application equal to its subscription.\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(p.Stdout, "  %-30s %s\n", strings.TrimSpace(c.name+" "+c.arguments), c.summary)
	}
	fmt.Fprint(p.Stdout, "\nRun \"tenantry COMMAND --help\" for the flags of a command. Every flag can also be set\n"+
		"by a variable: --base-url is TENANTRY_BASE_URL. A flag wins over its variable.\n")
	return nil
}
