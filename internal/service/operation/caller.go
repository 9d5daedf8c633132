package operation

import (
	"context"
)

// Caller is who an operation is done for.
type Caller struct {
	// Actor is written into the audit log, such as "client ID" or "command".
	Actor string
	// Once makes the operation happen once, if it is not nil.
	Once *Once
	// Step is the operation's place in a request that has several.
	Step string
}

type callerKey struct{}

// As returns a context in which operations are done for that caller.
func As(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns who operations in this context are done for.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
