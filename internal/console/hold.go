package console

// askGoOn says what happens when the lifecycle goes on.
func askGoOn(c *call) error {
	what, err := c.service.PreviewResume(c.ctx())
	if err != nil {
		return err
	}
	d := confirmData{
		Title: "Is it " + momentText(what.Now) + "?", Action: "/lifecycle/resume", Submit: "The time is right, resume", Cancel: link{"Back", "/"},
		Text: "Something is due for " + plural(what.Due, "subscription", "subscriptions") + " by then: it starts, renews, changes or ends as scheduled, in order, and applications are told.",
	}
	if !what.Last.IsZero() {
		d.Text += " That was last done at " + momentText(what.Last) + "."
	}
	if c.service.Hold() == nil {
		d.Warning = "Nothing is held here at the moment."
	} else {
		d.Warning = "This cannot be undone. If the time is wrong, correct the clock instead."
	}
	return confirmPage.show(c, "Resume", d)
}

func goOn(c *call) error {
	what, err := c.service.Resume(c.ctx())
	if err != nil {
		return err
	}
	return c.goTo("/", "Resumed. What is due for "+plural(what.Due, "subscription", "subscriptions")+" is done now.")
}
