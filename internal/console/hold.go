package console

import "github.com/tenantry/tenantry/internal/ui"

// resumePath is where the lifecycle is resumed.
const resumePath = "/lifecycle/resume"

// askGoOn says what happens when the lifecycle goes on.
func askGoOn(c *call) error {
	if c.service.Subscriptions.Hold() == nil {
		return confirmPage.show(c, "Resume", ui.Confirmation{
			Title: "Nothing is held", Cancel: ui.Link{Text: "Home", Href: "/"},
			Text: "Subscriptions are renewed, changed and ended on schedule. If another server process says that they are not, resume there or with “tenantry resume”.",
		})
	}
	what, err := c.service.Subscriptions.PreviewResume(c.ctx())
	if err != nil {
		return err
	}
	d := ui.Confirmation{
		Title: "Is the clock right?", Action: resumePath, Submit: "The time is right, resume", Cancel: ui.Link{Text: "Back", Href: "/"},
		Warning: "This cannot be undone. If the time is wrong, correct the clock instead.",
		Text:    "It shows " + ui.MomentText(what.Now) + ". ",
	}
	if what.Due == 0 {
		d.Text += "Nothing is due by then."
	} else {
		d.Text += "Something is due for " + ui.Plural(what.Due, "subscription", "subscriptions") + " by then: it starts, renews, changes or ends as scheduled, in order, and applications are told."
	}
	if !what.Last.IsZero() {
		d.Text += " What was due was last done at " + ui.MomentText(what.Last) + "."
	}
	return confirmPage.show(c, "Resume", d)
}

func goOn(c *call) error {
	what, err := c.service.Subscriptions.Resume(c.ctx())
	if err != nil {
		return err
	}
	if what.Due == 0 {
		return c.goTo("/", "Resumed. Nothing is due.")
	}
	return c.goTo("/", "Resumed. What is due for "+ui.Plural(what.Due, "subscription", "subscriptions")+" is done now.")
}
