package console

import (
	"net/http"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/ui"
)

// question is a short form about one row, such as how long an old secret stays
// valid. R is the row, F is what the form is read into.
type question[R, F any] struct {
	path, title, submit string // as in /api-clients/1/renew
	sections            []ui.Section[F]
	begin               func(*R) F
	// page is what surrounds the form, which can be left by the link.
	page func(*R) (data ui.FormData, leave ui.Link)
	do   func(c *call, row *R, answer F) error
}

// routes are the addresses of the question, below that of the row.
func (q question[R, F]) routes(of string, find func(*call) (*R, error), scope string) []route {
	return []route{
		{pattern: "GET /" + of + "/{id}/" + q.path, scope: scope, do: on(find, q.ask)},
		{pattern: "POST /" + of + "/{id}/" + q.path, scope: scope, do: on(find, q.answer)},
	}
}

func (q question[R, F]) ask(c *call, row *R) error { return q.show(c, http.StatusOK, row, nil) }

func (q question[R, F]) show(c *call, status int, row *R, problems billing.Problems) error {
	answer := q.begin(row)
	form := ui.NewForm(q.sections, &answer)
	if c.r.Method == http.MethodPost {
		form.Retype(c.r.PostForm)
	}
	form.AddProblems(problems)
	data, leave := q.page(row)
	form.Action, form.Submit, form.Cancel = leave.Href+"/"+q.path, q.submit, leave
	data.Form = form
	return formPage.showStatus(c, status, q.title, data)
}

func (q question[R, F]) answer(c *call, row *R) error {
	var answer F
	err := ui.Apply(q.sections, c.r.PostForm, &answer)
	if err == nil {
		err = q.do(c, row, answer)
	}
	if problems, known := billing.AsProblems(err); known {
		return q.show(c, http.StatusUnprocessableEntity, row, problems)
	}
	return err
}
