package invoicing

import "context"

// inOrder does jobs ahead, some at once, and hands on what came of each in the order
// of the jobs. next returns nil after the last. The first error ends it, once nobody
// is at work any more.
func inOrder[T any](ctx context.Context, atOnce int, next func() (func(context.Context) (T, error), error), use func(T) error) error {
	type outcome struct {
		value T
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	var ahead []chan outcome
	defer func() {
		cancel()
		for _, job := range ahead {
			<-job
		}
	}()
	for more := true; ; {
		for more && len(ahead) < atOnce {
			do, err := next()
			if err != nil {
				return err
			}
			if more = do != nil; more {
				job := make(chan outcome, 1)
				ahead = append(ahead, job)
				go func() {
					value, err := do(ctx)
					job <- outcome{value, err}
				}()
			}
		}
		if len(ahead) == 0 {
			return nil
		}
		done := <-ahead[0]
		ahead = ahead[1:]
		if done.err != nil {
			return done.err
		}
		if err := use(done.value); err != nil {
			return err
		}
	}
}
