package app

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/service/impact"
)

// preview is the flags of a command that can say what it would do.
type preview struct{ on, machine *choice }

func (f *flags) preview() preview {
	return preview{
		f.choice("preview", "say what would happen to tenants, subscriptions and money, and change nothing"),
		f.choice("json", "with --preview: print that as JSON"),
	}
}

// check refuses flags that do not go together.
func (v preview) check() error {
	if bool(*v.machine) && !bool(*v.on) {
		return usage("--json needs --preview")
	}
	return nil
}

// foretell is a way to find out what something would do.
type foretell func(ctx context.Context, do func(context.Context) error) (*impact.Impact, error)

// show prints what something would do. do may be called more than once, and all that it
// does is taken back.
func (v preview) show(ctx context.Context, p Process, by foretell, do func(context.Context) error) error {
	found, err := by(ctx, do)
	if err != nil {
		return err
	}
	if bool(*v.machine) {
		return printIndented(p, found)
	}
	for _, sentence := range found.Sentences() {
		fmt.Fprintln(p.Stdout, oneLine(sentence.Text))
	}
	fmt.Fprintln(p.Stderr, "this was a preview; nothing was changed")
	return nil
}
