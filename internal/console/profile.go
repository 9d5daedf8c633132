package console

import (
	"net/http"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/ui"
)

// profileData is what a user sees of themselves.
type profileData struct {
	Name, Email string
	Role        string
	Password    ui.Form
	Sessions    ui.Block
}

var profilePage = newPage[profileData]("profile")

func showProfile(c *call) error { return profile(c, http.StatusOK, nil) }

func profile(c *call, status int, problems billing.Problems) error {
	current := ui.Unbound[secretChange]("currentPassword", "Current password", ui.FieldPassword).Required().Autocompleted("current-password")
	form := ui.NewForm([]ui.Section[secretChange]{{Inputs: []ui.Input[secretChange]{current, newPassword[secretChange]("password", "New password").Required()}}}, &secretChange{})
	form.Action, form.Submit = "/profile/password", "Change password"
	form.AddProblems(problems)
	sessions, err := sessionBlock(c, c.user)
	if err != nil {
		return err
	}
	return profilePage.showStatus(c, status, "You", profileData{Name: c.user.Title(), Email: c.user.Email, Role: roleWord(c.user.Role), Password: form, Sessions: sessions})
}

func changePassword(c *call) error {
	if wait := c.throttle.Take(ownBudget(billing.Fold(c.user.Email))...); wait > 0 {
		return profile(c, http.StatusTooManyRequests, billing.Problems{billing.Fail(billing.TooMany, "currentPassword", "Too many attempts. Try again in a while.")})
	}
	if !c.service.Access.PasswordIsRight(c.user, c.r.PostForm.Get("currentPassword")) {
		return profile(c, http.StatusUnprocessableEntity, billing.Problems{billing.Fail(billing.Invalid, "currentPassword", "This is not your password.")})
	}
	c.throttle.forgive(ownBudget(billing.Fold(c.user.Email)))
	_, err := c.service.Access.UserPasswordSet(c.ctx(), c.user.ID, c.r.PostForm.Get("password"), c.token)
	if problems, known := billing.AsProblems(err); known {
		return profile(c, http.StatusUnprocessableEntity, problems)
	}
	if err != nil {
		return err
	}
	return c.goTo("/profile", "Your password was changed. You are signed out in other browsers.")
}
