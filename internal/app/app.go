package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/store"
)

// Process is what a run of the program gets from its surroundings.
type Process struct {
	Args []string
	Env  func(string) (string, bool)
	// Stdin is what a command reads that is told to; empty if nil.
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Now is a clock to go by, whatever it shows; the database's if nil.
	Now func() time.Time
	// Wall is this machine's clock; the real one if nil.
	Wall func() time.Time
	// Previews is how long a preview may take; impact.Longest if 0.
	Previews time.Duration
}

// databaseOptions says how a command opens the database.
func (p Process) databaseOptions(c *config) store.Options {
	return store.Options{URL: c.db, Now: p.Now, Wall: p.Wall, Connections: int(c.connections), Pooler: store.Pooler(c.pooler)}
}

// now is the time for those who have no database.
func (p Process) now() time.Time {
	if p.Now != nil {
		return p.Now()
	}
	return p.Wall()
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

// Run runs the command that the arguments name and returns the exit code.
// Cancelling ctx stops a server.
func Run(ctx context.Context, p Process) int {
	if p.Wall == nil {
		p.Wall = time.Now
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
	for words := min(2, len(p.Args)); words > 0; words-- { // "drift repair" before "drift"
		if c := commandOf(strings.Join(p.Args[:words], " ")); c != nil {
			return c.run(ctx, p, p.Args[words:])
		}
	}
	return inGroup(p)
}
