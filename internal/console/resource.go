package console

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/ui"
)

// resource describes the pages of a resource: its list, its details, and the forms
// to create, edit and delete one. What is the same for all resources is here; what
// differs is in its functions, in a file for each resource.
type resource[T any, K ~int64] struct {
	operation.Resource[T, K]
	path      string // as in /accounts
	one, many string // as in "account" and "Accounts"
	name      func(*T) string
	// fullName is its name where it stands without what it belongs to, if that
	// is another.
	fullName func(c *call, row *T) (string, error)
	// fields are what the list, the page and the form are made of, where they
	// have nothing of their own.
	fields billing.Fields[T]
	// admin says that only admins have to do with it, and billing that it is
	// about invoices, which have scopes of their own.
	admin, billing bool
	// webhooks says that it is changed only by those who may set where webhooks go.
	webhooks bool
	// about is said on an empty list.
	about string
	// hint is an example of a filter.
	hint string

	// listed are the fields in the list, between the name and the time of
	// creation, and sub is what stands below a name. A list with columns and
	// cells of its own needs neither.
	listed []string
	// whole orders a list that is short enough to be shown as one page.
	whole func(a, b *T) int
	sub   func(*T) string
	// notes are what stands below the names of some rows instead.
	notes   func(c *call, rows []T) (map[K]string, error)
	columns []string
	cells   func(c *call, rows []T) ([][]ui.Cell, error)

	// show adds to the page of one what does not follow from its fields, or if
	// ownFacts is set, all but what it refers to.
	show     func(c *call, row *T) (*ui.Details, error)
	ownFacts bool
	// said are the fields that show has facts for.
	said []string
	// inputs are the fields of its form, if they do not follow from the
	// description; row is as it is saved, or as it begins if isNew.
	inputs func(c *call, row *T, isNew bool) ([]ui.Section[T], error)
	// begin is what a new one begins with; nil if none are made here.
	begin func(c *call) (T, error)
	// fixed says that it is not edited, and kept that it is not deleted.
	fixed, kept bool
	// create, update and remove are operations with something special.
	create func(c *call, ctx context.Context, edit func(*T) error) (*T, error)
	// reaches says that the new one in the form may do something to tenants that are
	// there; nil if none ever does.
	reaches func(c *call) (bool, error)
	// created shows a new one in another way than by its page, if not nil.
	created func(c *call, row *T) error
	update  func(c *call, ctx context.Context, id K, edit func(*T) error) (*T, error)
	// saved says what people should know after a change, if anything.
	saved  func(before, after *T) string
	remove func(c *call, ctx context.Context, id K) (*T, error)
	// losses says what is lost when it is deleted.
	losses func(c *call, row *T) (string, error)
	// parent is the field with what it belongs to.
	parent string
}

func (r *resource[T, K]) doCreate(c *call, ctx context.Context, edit func(*T) error) (*T, error) {
	if r.create != nil {
		return r.create(c, ctx, edit)
	}
	return r.Create(ctx, c.service.Runner, edit)
}

func (r *resource[T, K]) doUpdate(c *call, ctx context.Context, id K, edit func(*T) error) (*T, error) {
	if r.update != nil {
		return r.update(c, ctx, id, edit)
	}
	return r.Update(ctx, c.service.Runner, id, edit)
}

func (r *resource[T, K]) doDelete(c *call, ctx context.Context, id K) (err error) {
	if r.remove != nil {
		_, err = r.remove(c, ctx, id)
	} else {
		_, err = r.Delete(ctx, c.service.Runner, id)
	}
	return err
}

func (r *resource[T, K]) inputsOf(c *call, row *T, isNew bool) ([]ui.Section[T], error) {
	if r.inputs != nil {
		return r.inputs(c, row, isNew)
	}
	return ui.Sections(r.fields), nil
}

func (r *resource[T, K]) scopes() (read, write string) {
	if r.admin {
		return billing.AdminRead, billing.AdminWrite
	}
	if r.billing {
		return billing.BillingRead, billing.BillingWrite
	}
	if r.webhooks {
		return billing.StandardRead, billing.PlatformWrite
	}
	return billing.StandardRead, billing.StandardWrite
}

// routes are the addresses of the resource.
func (r *resource[T, K]) routes() []route {
	read, write := r.scopes()
	all := []route{
		{pattern: "GET /" + r.path, scope: read, do: r.list},
		{pattern: "GET /" + r.path + "/{id}", scope: read, do: r.page},
	}
	if r.begin != nil {
		all = append(all,
			route{pattern: "GET /" + r.path + "/new", scope: write, do: r.newForm},
			route{pattern: "POST /" + r.path + "/new", scope: write, do: r.make})
	}
	if !r.fixed {
		all = append(all,
			route{pattern: "GET /" + r.path + "/{id}/edit", scope: write, do: r.editForm},
			route{pattern: "POST /" + r.path + "/{id}/edit", scope: write, do: r.save})
	}
	if r.kept {
		return all
	}
	return append(all,
		route{pattern: "GET /" + r.path + "/{id}/delete", scope: write, do: r.confirmDelete},
		route{pattern: "POST /" + r.path + "/{id}/delete", scope: write, do: r.delete})
}

func (r *resource[T, K]) id(row *T) K { return r.Table.ID(row) }

func (r *resource[T, K]) href(id K) string {
	return "/" + r.path + "/" + strconv.FormatInt(int64(id), 10)
}

func (r *resource[T, K]) listLink() ui.Link { return ui.Link{Text: r.many, Href: "/" + r.path} }

// find returns the row whose id is in the address.
func (r *resource[T, K]) find(c *call) (*T, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	row, err := r.Table.Get(c.ctx(), c.q(), K(id))
	if err == nil && row == nil {
		err = missing(r.one, r.listLink())
	}
	return row, err
}

func (r *resource[T, K]) page(c *call) error {
	row, err := r.find(c)
	if err != nil {
		return err
	}
	data := &ui.Details{}
	if r.show != nil {
		if data, err = r.show(c, row); err != nil {
			return err
		}
	}
	if err := r.describe(c, row, data); err != nil {
		return err
	}
	if _, write := r.scopes(); c.may(write) {
		here := r.href(r.id(row))
		if !r.fixed {
			data.Actions = append(data.Actions, ui.Action{Text: "Edit", Href: here + "/edit"})
		}
		why, err := r.inUse(c, row)
		if err != nil {
			return err
		}
		if data.Stays = ui.Uncapitalized(why); why == "" {
			data.Actions = append(data.Actions, ui.Action{Text: "Delete", Href: here + "/delete", Quiet: true})
		}
	}
	if data.Crumbs == nil {
		data.Crumbs = []ui.Link{r.listLink()}
	}
	data.Name, data.Kind, data.Here = r.name(row), r.one, r.href(r.id(row))
	return showPage.show(c, r.name(row), *data)
}

func (r *resource[T, K]) newForm(c *call) error {
	row, err := r.begin(c)
	if err != nil {
		return err
	}
	var typed url.Values
	if query := c.r.URL.Query(); query.Has("fields") {
		typed = query // the form is loaded again after another choice
	}
	return r.showNew(c, http.StatusOK, &row, typed, nil)
}

func (r *resource[T, K]) showNew(c *call, status int, row *T, typed url.Values, problems billing.Problems) error {
	sections, err := r.inputsOf(c, row, true)
	if err != nil {
		return err
	}
	form := ui.NewForm(sections, row)
	form.Submit, form.Cancel = "Create "+r.one, ui.Link{Text: "Cancel", Href: "/" + r.path}
	form.Action = "/" + r.path + "/new"
	if typed != nil {
		form.Retype(typed)
	}
	form.AddProblems(problems)
	return formPage.showStatus(c, status, "New "+r.one, ui.FormData{Title: "New " + r.one, Crumbs: []ui.Link{r.listLink()}, Form: form})
}

func (r *resource[T, K]) make(c *call) error {
	row, err := r.begin(c)
	if err != nil {
		return err
	}
	sections, err := r.inputsOf(c, &row, true)
	if err != nil {
		return err
	}
	if c.goesBack() {
		return r.showNew(c, http.StatusOK, &row, c.r.PostForm, nil)
	}
	var made *T
	create := func(ctx context.Context) (err error) {
		made, err = r.doCreate(c, ctx, func(fresh *T) error { return ui.Apply(sections, c.r.PostForm, fresh) })
		return err
	}
	reaches := false
	if r.reaches != nil {
		if reaches, err = r.reaches(c); err != nil {
			return err
		}
	}
	if reaches {
		var asks *ui.Confirmation
		asks, err = asksFirst(c, ui.Confirmation{Action: "/" + r.path + "/new", Submit: "Create " + r.one}, create)
		if asks != nil {
			if asks.Title = "Create this " + r.one + "?"; made != nil {
				asks.Title = "Create " + r.one + " “" + r.name(made) + "”?"
			}
			return confirmPage.show(c, asks.Title, *asks)
		}
	}
	if err == nil {
		err = create(c.ctx())
	}
	if problems, known := billing.AsProblems(err); known {
		return r.showNew(c, http.StatusUnprocessableEntity, &row, c.r.PostForm, problems)
	}
	if err != nil {
		return err
	}
	if r.created != nil {
		return r.created(c, made)
	}
	return c.goTo(r.href(r.id(made)), "Created "+r.one+" “"+r.name(made)+"”.")
}

func (r *resource[T, K]) editForm(c *call) error {
	row, err := r.find(c)
	if err != nil {
		return err
	}
	return r.showEdit(c, http.StatusOK, row, nil, nil)
}

func (r *resource[T, K]) showEdit(c *call, status int, row *T, typed url.Values, problems billing.Problems) error {
	sections, err := r.inputsOf(c, row, false)
	if err != nil {
		return err
	}
	form := ui.NewForm(sections, row)
	form.Submit, form.Cancel = "Save", ui.Link{Text: "Cancel", Href: r.href(r.id(row))}
	form.Action = r.href(r.id(row)) + "/edit"
	_, changed := r.Table.Times(row)
	form.Version = strconv.FormatInt(changed.UnixMilli(), 10)
	data := ui.FormData{Title: "Edit " + r.one + ": " + r.name(row), Crumbs: []ui.Link{r.listLink(), {Text: r.name(row), Href: r.href(r.id(row))}}}
	if typed != nil {
		data.Theirs = form.Resubmit(typed, problems)
	}
	data.Form = form
	return formPage.showStatus(c, status, data.Title, data)
}

// errChanged means that somebody else saved the resource after the form was
// opened.
func errChanged(one string) *billing.Error {
	return billing.Fail(billing.Conflict, "", "Somebody else changed this %s while you were editing it. Nothing was saved yet. "+
		"What you typed is still here; saving again replaces theirs.", one)
}

// unchanged refuses to change something that is not what it was when the form
// was opened. It is asked inside of the transaction, with the row locked.
func unchanged(c *call, one string, changed time.Time) error {
	if version := c.value("version"); version != "" && version != strconv.FormatInt(changed.UnixMilli(), 10) {
		return errChanged(one)
	}
	return nil
}

func (r *resource[T, K]) save(c *call) error {
	row, err := r.find(c)
	if err != nil {
		return err
	}
	sections, err := r.inputsOf(c, row, false)
	if err != nil {
		return err
	}
	if c.goesBack() {
		return r.showEdit(c, http.StatusOK, row, c.r.PostForm, nil)
	}
	var saved *T
	update := func(ctx context.Context) (err error) {
		saved, err = r.doUpdate(c, ctx, r.id(row), func(row *T) error {
			_, changed := r.Table.Times(row)
			if err := unchanged(c, r.one, changed); err != nil {
				return err
			}
			return ui.Apply(sections, c.r.PostForm, row)
		})
		return err
	}
	here := r.href(r.id(row))
	if !r.admin { // which tenants have nothing to do with
		var asks *ui.Confirmation
		asks, err = asksFirst(c, ui.Confirmation{
			Title: "Save " + r.one + " “" + r.name(row) + "”?", Action: here + "/edit", Submit: "Save " + r.one, Cancel: ui.Link{Text: "Discard changes", Href: here},
		}, update)
		if asks != nil {
			return confirmPage.show(c, asks.Title, *asks)
		}
	}
	if err == nil {
		err = update(c.ctx())
	}
	if problems, known := billing.AsProblems(err); known {
		if billing.Is(err, billing.Conflict) {
			problems = billing.Problems{errChanged(r.one)} // the rest is about an old state
			if row, err = r.find(c); err != nil {
				return err
			}
			return r.showEdit(c, http.StatusConflict, row, c.r.PostForm, problems)
		}
		return r.showEdit(c, http.StatusUnprocessableEntity, row, c.r.PostForm, problems)
	}
	if err != nil {
		return err
	}
	said := "Saved " + r.one + " “" + r.name(saved) + "”" + ui.ChangedFields(sections, row, saved) + "."
	if r.saved != nil {
		said = strings.TrimSpace(said + " " + r.saved(row, saved))
	}
	return c.goTo(r.href(r.id(saved)), said)
}
