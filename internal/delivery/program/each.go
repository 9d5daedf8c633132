package program

import (
	"context"
	"errors"
)

var errTogether = errors.New("there is no time left for the request: the program takes too long for so many values, send fewer at once")

// Each compiles a program to be run on one value after another, such as the tenants of a
// report, while ctx lasts. It waits for its slot as Preview does, and anew for every
// value: others get their turn in between.
func Each(ctx context.Context, source string, waits func(context.Context) (over func())) (func(body []byte) ([]byte, error), error) {
	leave, err := previews.enterOr(ctx, waits)
	if err != nil {
		return nil, errTogether
	}
	defer leave()
	p, err := Compile(source)
	if err != nil {
		return nil, err
	}
	return func(body []byte) ([]byte, error) {
		leave, err := previews.enterOr(ctx, waits)
		if err != nil {
			return nil, errTogether
		}
		defer leave()
		made, err := p.run(ctx, body, previewSlice)
		if err != nil && ctx.Err() != nil {
			return nil, errTogether
		}
		return made, err
	}, nil
}
