package program

import (
	"context"
	"errors"
	"testing"
)

// While every slot of previews is taken, a preview waits and a delivery does not.
func TestPreviewsTakeNoSlotOfDeliveries(t *testing.T) {
	for range cap(previews) {
		leave, err := previews.enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	waited := make(chan error)
	go func() {
		_, err := Preview(ctx, ".", []byte("1"), patient)
		waited <- err
	}()
	for range 100 {
		if out, err := compiled(t, ".").Run(t.Context(), []byte("1")); err != nil || string(out) != "1" {
			t.Fatalf("%s, %v", out, err)
		}
	}
	select {
	case err := <-waited:
		t.Fatalf("the preview did not wait: %v", err)
	default:
	}
	cancel(nil)
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// patient is somebody to whom it makes no difference whether a program waits.
func patient(context.Context) (over func()) { return func() {} }
