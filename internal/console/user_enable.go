package console

import (
	"context"
	"net/http"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/ui"
)

// able is the disabling or enabling of a user.
type able struct {
	path, verb, done string
	text             string
	safe             bool
	do               func(c *call, ctx context.Context, id billing.UserID) (*billing.User, error)
}

var userAbles = []able{
	{
		path: "disable", verb: "Disable", done: "Disabled",
		text: "The user is signed out everywhere within a second and cannot sign in until an admin enables the user again. API clients stay as they are: renew the secrets that the user knows.",
		do: func(c *call, ctx context.Context, id billing.UserID) (*billing.User, error) {
			return c.service.Access.UserDisable(ctx, id)
		},
	},
	{
		path: "enable", verb: "Enable", done: "Enabled", safe: true,
		text: "The user can sign in again, with the same password and role.",
		do: func(c *call, ctx context.Context, id billing.UserID) (*billing.User, error) {
			return c.service.Access.UserEnable(ctx, id)
		},
	},
}

func userAbleRoutes() (all []route) {
	for _, a := range userAbles {
		all = append(all,
			route{pattern: "GET /users/{id}/" + a.path, scope: billing.AdminWrite, do: on(userPages.find, a.ask)},
			route{pattern: "POST /users/{id}/" + a.path, scope: billing.AdminWrite, do: on(userPages.find, a.act)})
	}
	return all
}

func (a able) ask(c *call, u *billing.User) error {
	_, err := c.service.PreviewOf(c.asking(), func(ctx context.Context) error {
		_, err := a.do(c, ctx, u.ID)
		return err
	})
	if err != nil {
		return a.refuse(c, http.StatusOK, u, err)
	}
	here := userPages.href(u.ID)
	return confirmPage.show(c, a.verb+" user", ui.Confirmation{
		Title: a.verb + " user “" + u.Title() + "”?", Text: a.text, Safe: a.safe,
		Action: here + "/" + a.path, Submit: a.verb + " user", Cancel: ui.Link{Text: "Cancel", Href: here},
	})
}

// refuse says why the user stays as it is.
func (a able) refuse(c *call, status int, u *billing.User, err error) error {
	problems, known := billing.AsProblems(err)
	if !known {
		return err
	}
	title := "The user “" + u.Title() + "” cannot be " + ui.Uncapitalized(a.done)
	return confirmPage.showStatus(c, status, title, ui.Confirmation{Title: title, Problem: problems.Error(), Cancel: ui.Link{Text: "Back to the user", Href: userPages.href(u.ID)}})
}

func (a able) act(c *call, u *billing.User) error {
	if _, err := a.do(c, c.ctx(), u.ID); err != nil {
		return a.refuse(c, http.StatusConflict, u, err)
	}
	return c.goTo(userPages.href(u.ID), a.done+" user “"+u.Title()+"”.")
}
