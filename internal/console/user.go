package console

import (
	"context"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/access"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var userPages *resource[billing.User, billing.UserID]

// Set here, because pages refer to each other.
func init() {
	userPages = &resource[billing.User, billing.UserID]{
		path: "users", one: "user", many: "Users", admin: true, Resource: access.Users,
		name:    func(u *billing.User) string { return u.Title() },
		about:   "Users sign in to this console.",
		hint:    "ann, role:admin, disabled:true",
		columns: []string{"Name", "E-mail", "Role", "Last sign-in"},
		cells: func(_ *call, rows []billing.User) ([][]ui.Cell, error) {
			return ui.RowsOf(rows, func(u *billing.User) []ui.Cell {
				return []ui.Cell{ui.Linked(u.Title(), userPages.href(u.ID)), ui.Plain(u.Email), roleMark(u), ui.OptionalMoment(u.LastSignInAt, "never")}
			}), nil
		},
		show:   showUser,
		inputs: userInputs,
		begin:  func(*call) (billing.User, error) { return billing.User{Role: billing.Viewer}, nil },
		create: func(c *call, ctx context.Context, edit func(*billing.User) error) (*billing.User, error) {
			return c.service.Access.UserCreate(ctx, edit, c.r.PostForm.Get("password"))
		},
		update: func(c *call, ctx context.Context, id billing.UserID, edit func(*billing.User) error) (*billing.User, error) {
			return c.service.Access.UserUpdate(ctx, id, edit)
		},
		remove: func(c *call, ctx context.Context, id billing.UserID) (*billing.User, error) {
			return c.service.Access.UserDelete(ctx, id)
		},
		losses: func(*call, *billing.User) (string, error) {
			return "The user is signed out everywhere. Past actions stay in the audit log.", nil
		},
	}
}

// roleMark is what a user may do: nothing, if the user is disabled.
func roleMark(u *billing.User) ui.Cell {
	if u.Disabled {
		return ui.Badge(roleWord(u.Role)+", disabled", "bad")
	}
	return ui.Badge(roleWord(u.Role), roleTone(u.Role))
}

func roleTone(r billing.Role) string {
	return map[billing.Role]string{billing.Admin: "info", billing.Editor: "good"}[r]
}

var roleOptions = []ui.Option{
	{Value: string(billing.Viewer), Text: "Viewer: can see everything except users, API clients and the audit log"},
	{Value: string(billing.Editor), Text: "Editor: can also bill, credit, write off and change business data, but not where webhooks go"}, {Value: string(billing.Admin), Text: "Admin: can do everything"},
}

func userInputs(_ *call, _ *billing.User, isNew bool) ([]ui.Section[billing.User], error) {
	inputs := []ui.Input[billing.User]{
		ui.Text("email", "E-mail", func(u *billing.User) *string { return &u.Email }).Kind(ui.FieldEmail).Required(),
		ui.Text("name", "Name", func(u *billing.User) *string { return &u.Name }),
		ui.Choice("role", "Role", func(u *billing.User) *billing.Role { return &u.Role }, roleOptions...).Wide(),
	}
	if isNew {
		inputs = append(inputs, newPassword[billing.User]("password", "Password").Required())
	}
	return []ui.Section[billing.User]{{Inputs: inputs}}, nil
}

func newPassword[T any](name, label string) ui.Input[T] {
	return ui.Unbound[T](name, label, ui.FieldPassword).Help("At least 12 characters. Several words make a good one.").
		Autocompleted("new-password")
}

func showUser(c *call, u *billing.User) (*ui.Details, error) {
	data := &ui.Details{Badges: []ui.Cell{roleMark(u)}}
	data.Fact("E-mail", ui.Plain(u.Email))
	data.Fact("Last sign-in", ui.OptionalMoment(u.LastSignInAt, "never"))
	if u.Disabled {
		data.Note = "The user is disabled and cannot sign in."
	}
	if c.may(billing.AdminWrite) {
		able := ui.Action{Text: "Disable", Href: userPages.href(u.ID) + "/disable", Quiet: true}
		if u.Disabled {
			able = ui.Action{Text: "Enable", Href: userPages.href(u.ID) + "/enable"}
		}
		if u.ID != c.user.ID {
			data.Actions = append(data.Actions, able)
		}
		data.Actions = append(data.Actions, ui.Action{Text: "Set password", Href: userPages.href(u.ID) + "/password"})
	}
	sessions, err := sessionBlock(c, u)
	data.Blocks = []ui.Block{sessions}
	return data, err
}

// sessionBlock is where a user is signed in.
func sessionBlock(c *call, u *billing.User) (ui.Block, error) {
	all, err := store.SessionsOf(c.ctx(), c.q(), u.ID)
	if err != nil {
		return ui.Block{}, err
	}
	b := ui.Block{Title: "Signed in", Table: ui.Table{Columns: []string{"Browser", "Address", "Since", "Last used"}}, Empty: "Nowhere."}
	for _, s := range all {
		if !s.Over(c.now()) {
			b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.OrDash(browserWords(s.Browser)), ui.OrDash(s.Address), ui.Moment(s.CreatedAt), ui.Moment(s.SeenAt)})
		}
	}
	return b, nil
}

// secretChange is a change of a password; the passwords are taken from the form
// and never shown.
type secretChange struct{}

var askPassword = question[billing.User, secretChange]{
	path: "password", title: "Set password", submit: "Set password",
	sections: []ui.Section[secretChange]{{Inputs: []ui.Input[secretChange]{newPassword[secretChange]("password", "New password").Required()}}},
	begin:    func(*billing.User) secretChange { return secretChange{} },
	page: func(u *billing.User) (ui.FormData, ui.Link) {
		return ui.FormData{
			Title: "Set the password of " + u.Title(), Crumbs: []ui.Link{userPages.listLink(), {Text: u.Title(), Href: userPages.href(u.ID)}},
			Note: "The user is signed out everywhere and has to sign in with the new password.",
		}, ui.Link{Text: "Cancel", Href: userPages.href(u.ID)}
	},
	do: func(c *call, u *billing.User, _ secretChange) error {
		except := ""
		if u.ID == c.user.ID {
			except = c.token
		}
		if _, err := c.service.Access.UserPasswordSet(c.ctx(), u.ID, c.r.PostForm.Get("password"), except); err != nil {
			return err
		}
		return c.goTo(userPages.href(u.ID), "The password was set.")
	},
}

func roleWord(r billing.Role) string { return strings.ToLower(string(r)) }
