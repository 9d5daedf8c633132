package webhook

import (
	"context"
	"time"
)

// TakeOver is one look at who died, of an engine that was not started.
func (e *Engine) TakeOver(ctx context.Context, missing map[int64]time.Time) error {
	return e.takeOver(ctx, missing)
}
