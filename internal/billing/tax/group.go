package tax

import (
	"math/big"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// Line is an item as it is taxed. Its amount includes the tax if Inclusive is
// true.
type Line struct {
	Treatment
	Inclusive bool
	Amount    money.Amount
}

// Group is what the items of a document with the same category and rate have in
// common: one tax, rounded once. Items with and without tax in their prices are
// two groups.
type Group struct {
	Treatment
	Inclusive bool
	Net, Tax  money.Amount
}

// priced is what the items of the group add up to, as they are priced.
func (g *Group) priced() money.Amount {
	if g.Inclusive {
		return g.Net + g.Tax
	}
	return g.Net
}

// taxOf is the rounded tax of an amount as it is priced.
func (g *Group) taxOf(priced money.Amount) (money.Amount, error) {
	exact := big.NewRat(int64(priced), 1)
	tax, err := exact, error(nil)
	if g.Inclusive {
		tax, err = g.Percent.within(exact)
	} else {
		tax, err = g.Percent.of(exact)
	}
	if err != nil {
		return 0, err
	}
	return money.Round(tax)
}

// has reports whether a line belongs to the group. What is printed as the
// reason is part of it.
func (g *Group) has(l *Line) bool { return g.Treatment == l.Treatment && g.Inclusive == l.Inclusive }

// Compute groups the items of a document, in the order of their first items, and
// returns the net amount of each item. Net amounts of items whose prices include
// tax are those of the group, divided by largest remainder.
func Compute(c money.Currency, lines []Line) ([]Group, []money.Amount, error) {
	var groups []Group
	member := make([]int, len(lines))
	for i := range lines {
		g := 0
		for g < len(groups) && !groups[g].has(&lines[i]) {
			g++
		}
		if g == len(groups) {
			groups = append(groups, Group{Treatment: lines[i].Treatment, Inclusive: lines[i].Inclusive})
		}
		sum, err := c.Total(groups[g].Net, lines[i].Amount)
		if err != nil {
			return nil, nil, err
		}
		groups[g].Net, member[i] = sum, g
	}
	nets := make([]money.Amount, len(lines))
	for i := range lines {
		nets[i] = lines[i].Amount
	}
	for g := range groups {
		group := &groups[g]
		tax, err := group.taxOf(group.Net)
		if err != nil {
			return nil, nil, err
		}
		if group.Tax = tax; group.Inclusive {
			group.Net -= tax
			divide(nets, member, g, group.Net)
		}
	}
	return groups, nets, nil
}

// divide replaces the amounts of a group's members by their shares of a total.
func divide(amounts []money.Amount, member []int, group int, total money.Amount) {
	var weights []money.Amount
	for i, g := range member {
		if g == group {
			weights = append(weights, amounts[i])
		}
	}
	shares := money.Allocate(total, weights)
	for i, g := range member {
		if g == group {
			amounts[i], shares = shares[0], shares[1:]
		}
	}
}

// Credited is what was credited of a group before.
type Credited struct{ Net, Tax money.Amount }

// Credit divides a credit on a group of an invoice into net amount and tax, as
// the group was taxed. The tax credited in all is the tax billed less that of
// what is left, so that it ends at exactly the tax billed. The amount is as
// priced; above what is left it is refused.
func (g *Group) Credit(before Credited, amount money.Amount) (Credited, error) {
	done := before.Net
	if g.Inclusive {
		done += before.Tax
	}
	left := g.priced() - done - amount
	if left < 0 || amount < 0 {
		return Credited{}, billing.Fail(billing.NotAllowed, "amount", "A credit of %d minor units is not within what is left of the invoice, %d.", amount, left+amount)
	}
	remaining, err := g.taxOf(left)
	if err != nil {
		return Credited{}, err
	}
	// A write-off may have corrected a unit more than its share.
	credit := Credited{amount, max(0, g.Tax-remaining-before.Tax)}
	if g.Inclusive {
		credit.Net -= credit.Tax
	}
	return credit, nil
}
