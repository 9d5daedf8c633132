package store

import "context"

type allowanceKey struct{}

// WithAllowance has the bytes of texts that are read for a request counted while
// they are read: an error of spend ends the reading.
func WithAllowance(ctx context.Context, spend func(bytes int) error) context.Context {
	return context.WithValue(ctx, allowanceKey{}, spend)
}

// allowanceOf returns what counts the bytes that are read, or nil.
func allowanceOf(ctx context.Context) func(bytes int) error {
	spend, _ := ctx.Value(allowanceKey{}).(func(int) error)
	return spend
}

// Spend counts bytes that were read.
func Spend(ctx context.Context, bytes int) error {
	if count := allowanceOf(ctx); count != nil {
		return count(bytes)
	}
	return nil
}

func Length(text *string) int {
	if text == nil {
		return 0
	}
	return len(*text)
}

// textBytes is how many bytes the texts have that a row was scanned into.
func textBytes(fields []any) (n int) {
	for _, field := range fields {
		switch field := field.(type) {
		case *string:
			n += len(*field)
		case **string:
			n += Length(*field)
		case interface{ Len() int }:
			n += field.Len()
		}
	}
	return n
}
