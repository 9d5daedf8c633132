package console

import (
	"context"
	"net/http"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/ui"
)

func (r *resource[T, K]) confirmDelete(c *call) error {
	row, err := r.find(c)
	if err != nil {
		return err
	}
	why, err := r.inUse(c, row)
	if err != nil {
		return err
	}
	if why != "" {
		return r.refuseDelete(c, http.StatusOK, row, why)
	}
	return r.askDelete(c, row)
}

// inUse is what stands in the way of deleting row, if anything does.
func (r *resource[T, K]) inUse(c *call, row *T) (string, error) {
	if r.InUse == nil {
		return "", nil
	}
	err := r.InUse(c.ctx(), c.q(), row)
	if problems, known := billing.AsProblems(err); known {
		return problems.Error(), nil
	}
	return "", err
}

// refuseDelete says why row stays.
func (r *resource[T, K]) refuseDelete(c *call, status int, row *T, why string) error {
	title := "The " + r.one + " “" + r.name(row) + "” cannot be deleted"
	return confirmPage.showStatus(c, status, title, ui.Confirmation{Title: title, Problem: why, Cancel: ui.Link{Text: "Back to the " + r.one, Href: r.href(r.id(row))}})
}

func (r *resource[T, K]) askDelete(c *call, row *T) error {
	lost := "This cannot be undone."
	if r.losses != nil {
		text, err := r.losses(c, row)
		if err != nil {
			return err
		}
		lost = text + " " + lost
	}
	found, err := foretell(c, func(ctx context.Context) error { return r.doDelete(c, ctx, r.id(row)) })
	if problems, known := billing.AsProblems(err); known {
		return r.refuseDelete(c, http.StatusOK, row, problems.Error())
	}
	if err != nil {
		return err
	}
	foretold, err := found.shown(c)
	if err != nil {
		return err
	}
	here := r.href(r.id(row))
	return confirmPage.show(c, "Delete "+r.one, ui.Confirmation{Foretold: foretold,
		Title: "Delete " + r.one + " “" + r.name(row) + "”?", Text: lost,
		Action: here + "/delete", Submit: "Delete " + r.one, Cancel: ui.Link{Text: "Keep it", Href: here},
	})
}

func (r *resource[T, K]) delete(c *call) error {
	row, err := r.find(c)
	if err != nil {
		return err
	}
	err = r.doDelete(c, c.ctx(), r.id(row))
	if problems, known := billing.AsProblems(err); known && !billing.Is(err, billing.NotFound) {
		return r.refuseDelete(c, http.StatusConflict, row, problems.Error())
	}
	if err != nil {
		return err
	}
	return c.goTo(r.parentHref(row), "Deleted "+r.one+" “"+r.name(row)+"”.")
}
