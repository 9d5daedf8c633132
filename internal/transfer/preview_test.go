package transfer_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/store/storetest"
	"github.com/tenantry/tenantry/internal/transfer"
)

// preview says what an import would do, and how many things it would make, change and leave.
func (w *world) preview(text string) (string, transfer.Tally) {
	w.t.Helper()
	before, plain := w.export(), w.ctx
	defer func() { w.ctx = plain }()
	var all transfer.Tally
	found, err := w.Impact.Foretell(plain, func(ctx context.Context) error {
		w.ctx = ctx
		all = w.mustImport(text, transfer.Options{Webhooks: true})
		return nil
	})
	w.ok(err)
	w.ctx = plain
	w.sameText("after the preview", w.export(), before)
	var said []string
	for _, s := range found.Sentences() {
		said = append(said, s.Text)
	}
	return strings.Join(said, " "), all
}

// TestPreviewOfPrices imports other prices as a preview. Subscriptions keep theirs, so only who
// is to change to a price list pays something else, from that day on.
func TestPreviewOfPrices(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db)
		w.mustImport(example(t), transfer.Options{})
		const nothing = "No tenant, no subscription and no amount would change."
		prices := func(monthly, yearly string) string {
			return `{"type":"charge","priceList":"pro-monthly","code":"base","price":"` + monthly + `"}
				{"type":"charge","priceList":"pro-yearly","code":"seats","price":"` + yearly + `"}`
		}
		for _, c := range []struct{ file, says, tally string }{
			{prices("49.00", "99.00"), nothing, "{0 0 2}"},
			{prices("59.00", "111.00"), nothing, "{0 2 0}"},
		} {
			said, tally := w.preview(c.file)
			w.same("nobody is to change", said, c.says)
			w.same("nobody is to change", tally, c.tally)
		}
		w.mustImport(`{"type":"subscription","code":"SUB-1003","account":"zenith","tenant":"zenith","priceList":"pro-monthly","state":"ACTIVE","startDate":"2026-01-10","endDate":"2026-02-09","termStartDate":"2026-01-10","nextPriceList":{"priceList":"pro-yearly","on":"2026-02-10"},"quantities":{"users":4}}`, transfer.Options{})
		said, tally := w.preview(prices("59.00", "111.00"))
		w.same("somebody is to change", said, "1 customer pays EUR 4.00 more a month from 10 Feb 2026 on.")
		w.same("somebody is to change", tally, "{0 2 0}")
		said, _ = w.preview(prices("59.00", "99.00"))
		w.same("from the other price list", said, nothing)
	})
}
