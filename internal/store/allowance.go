package store

import "context"

type allowanceKey struct{}

// WithAllowance has the bytes of bodies that are read for a request counted
// while they are read: an error of spend ends the reading. Rows of other kinds
// are small, and lists of them are bounded by their number.
func WithAllowance(ctx context.Context, spend func(bytes int) error) context.Context {
	return context.WithValue(ctx, allowanceKey{}, spend)
}

// spend counts bytes that were read.
func spend(ctx context.Context, bytes int) error {
	if count, bounded := ctx.Value(allowanceKey{}).(func(int) error); bounded {
		return count(bytes)
	}
	return nil
}

func length(text *string) int {
	if text == nil {
		return 0
	}
	return len(*text)
}
