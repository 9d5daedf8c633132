package console

import (
	"embed"
	"net/http"
	"slices"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/ui"
)

//go:embed templates
var templateFiles embed.FS

const brand = "Tenantry"

// pages are the console's own pages.
var pages ui.Pages

// page is a page that the console shows.
type page[T any] struct{ ui.Page[T] }

func newPage[T any](name string) page[T] { return page[T]{ui.NewPage[T](&pages, name)} }

var (
	listPage    = page[ui.List]{ui.ListPage}
	showPage    = page[ui.Details]{ui.DetailsPage}
	formPage    = page[ui.FormData]{ui.FormPage}
	confirmPage = page[ui.Confirmation]{ui.ConfirmationPage}
	errorPage   = page[ui.Failure]{ui.FailurePage}
)

// comeBack are pages that answer a form and that somebody may come back to with
// the browser's Back. It can show them again only if it keeps them: what was
// posted is not to be posted again. They have no secrets, and signing out makes
// the browser forget them.
var comeBack = []string{formPage.Name(), confirmPage.Name(), previewPage.Name(), matrixPage.Name()}

// show answers with the page.
func (p page[T]) show(c *call, title string, data T) error {
	return p.showStatus(c, http.StatusOK, title, data)
}

// showStatus is show with another status than 200.
func (p page[T]) showStatus(c *call, status int, title string, data T) error {
	body, err := p.Render(c.views, c.frame(title), data)
	if err != nil {
		return err
	}
	cache := "no-store" // pages are for one user
	if c.r.Method == http.MethodPost && slices.Contains(comeBack, p.Name()) {
		cache = "private, no-cache"
	}
	c.send(status, cache, body)
	return nil
}

// frame is what a page has around its own content.
func (c *call) frame(title string) ui.Frame {
	if c.user == nil {
		return ui.Frame{Title: title, Brand: brand}
	}
	f := c.menu(c.r.URL.Path)
	f.Title = title
	if hold := c.service.Subscriptions.Hold(); hold != nil {
		f.Alert = &ui.Alert{Title: "Nothing is renewed, ended or changed on schedule.", Text: hold.Reason + " " + hold.Remedy}
		if hold.Resumable && c.may(billing.AdminWrite) && c.r.URL.Path != resumePath {
			f.Alert.Link = &ui.Link{Text: "Resume…", Href: resumePath}
		}
	}
	if f.Flash = c.takeFlash(); f.Flash != nil && !f.Flash.Bad {
		f.Next, _ = nextStep(c) // a page is not to fail for want of it
	}
	return f
}

// menu is a frame with the user and the menu on a page.
func (c *call) menu(path string) ui.Frame {
	return ui.Frame{
		Brand: brand, Nav: navigation(c.user.Role, path),
		User: &ui.User{Name: c.user.Title(), Email: c.user.Email, Role: roleWord(c.user.Role), Profile: "/profile", SignOut: "/sign-out"},
	}
}

// sendPart answers with a part of a page.
func (c *call) sendPart(name string, data any) error {
	body, err := c.views.RenderPart(name, data)
	if err != nil {
		return err
	}
	c.send(http.StatusOK, "no-store", body)
	return nil
}

func (c *call) send(status int, cache string, body []byte) {
	defer admission.Pause(c.r.Context())() // whoever reads slowly keeps nobody out
	c.w.Header().Set("Cache-Control", cache)
	ui.Send(c.w, c.r, status, body, !c.uncompressed)
}
