package console

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// fillDrift tells which applications have something else than they were told.
func fillDrift(c *call, data *homeData) error {
	platforms, _, err := few(c, store.Platforms, 100, nil)
	if err != nil {
		return err
	}
	for n := range platforms {
		p := &platforms[n]
		if !p.ProvisioningEnabled || p.DriftPolicy == drift.Off {
			continue
		}
		differ, err := store.CountDiffering(c.ctx(), c.q(), p.ID)
		if err != nil {
			return err
		}
		if differ == 0 {
			continue
		}
		tone, then, err := whatOfDrift(c, p)
		if err != nil {
			return err
		}
		verb := " differ"
		if differ == 1 {
			verb = " differs"
		}
		data.Attention = append(data.Attention, notice{tone, ui.Capitalized(countWords(differ)) + " of " + p.Name + verb + " from what the application was told." + then,
			ui.Link{Text: "See what differs", Href: driftHref(p.ID)}})
	}
	return nil
}

// whatOfDrift says what becomes of tenants that differ, and how bad it is.
func whatOfDrift(c *call, p *webhook.Platform) (tone, then string, err error) {
	persistent, err := store.CountPersistentOn(c.ctx(), c.q(), p.ID)
	if err != nil {
		return "", "", err
	}
	reports, err := store.DriftReportsOf(c.ctx(), c.q(), []billing.PlatformID{p.ID}, drift.Recent)
	if err != nil {
		return "", "", err
	}
	waiting, err := store.CountUntold(c.ctx(), c.q(), p.ID)
	if err != nil {
		return "", "", err
	}
	tone = "bad"
	if persistent > 0 {
		then = " " + ui.Capitalized(countWords(persistent)) + " still after a repair: look at why the application does not act on it."
	}
	switch {
	case p.DriftPolicy != drift.Repair:
		then += " Nothing is repaired until a person does it."
	case isHeld(reports[p.ID]) && waiting > 0:
		then += " So much of the last full report differs that nothing is repaired by itself: a person has to decide."
	case persistent == 0:
		repairable, err := store.Repairable(c.ctx(), c.q(), p.ID, 1)
		if err != nil {
			return "", "", err
		}
		if len(repairable) == 0 {
			return tone, " No event can repair that.", nil
		}
		underWay, err := store.RepairsUnderWay(c.ctx(), c.q(), p.ID)
		if !underWay {
			return "warn", " They are repaired after the next report.", err
		}
		return "warn", " Repairs are under way.", err
	}
	return tone, then, nil
}

// isHeld says that the last report is held.
func isHeld(reports []drift.FullReport) bool {
	last := drift.Last(reports)
	return last != nil && last.Held
}
