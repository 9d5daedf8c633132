package admission

import "context"

type connectionKey struct{}

// Connected returns ctx with the context of the connection that a request came
// by. A request goes on when that ends, because a caller may close its side and
// still read; but what is much work and changes nothing may go by IsGone.
func Connected(ctx, connection context.Context) context.Context {
	return context.WithValue(ctx, connectionKey{}, connection)
}

// IsGone reports whether the caller has closed the connection, or its side of it.
func IsGone(ctx context.Context) bool {
	connection, _ := ctx.Value(connectionKey{}).(context.Context)
	return connection != nil && connection.Err() != nil
}
