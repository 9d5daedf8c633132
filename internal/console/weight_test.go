package console_test

import (
	"bufio"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestPagesAskNoMore opens every page with enough customers to fill it, those in
// the rarest state too, and with three times as many: it must run about as many
// statements and be about as long. TestPagesDoNotGrow measures what these take.
func TestPagesAskNoMore(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		small, large := open(t, db.Engine), openOn(t, db)
		for s, n := range map[*site]int{small: 1100, large: 3300} {
			s.fill()
			s.multiply(n)
			// The plot of the first page shows what was counted in the background,
			// which is not done again at once.
			s.clock.Advance(time.Minute)
			if err := s.service.Delivery.CountEventDays(s.ctx, 24*time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		few, lots := small.as(billing.Admin), large.as(billing.Admin)
		for _, path := range append(small.everyPage(), searchPages...) {
			before := few.weigh(path)
			// Who has nothing of a kind asks less about it, and to find a time in
			// a log takes a few steps more.
			most := weight{before.statements + 5, before.size + before.size/5}
			after := lots.weigh(path)
			if path == "/platforms/1/resume" {
				after.size = before.size // whether it asks anything depends on how far the endpoint has failed
			}
			for range 2 { // the server may have run statements of its own beside it
				if after.statements > most.statements {
					after.statements = lots.weigh(path).statements
				}
			}
			if after.statements > most.statements || after.size > most.size {
				t.Errorf("%s runs %d statements for %d bytes with many customers, and %d for %d with few",
					path, after.statements, after.size, before.statements, before.size)
			}
		}
	})
}

// weight is how much there is to a page.
type weight struct{ statements, size int }

// weigh opens a page.
func (v *visitor) weigh(path string) weight {
	v.t.Helper()
	before := v.statements()
	a := v.wants(v.get(path), 200)
	return weight{v.statements() - before, len(a.body)}
}

// statements is how many SQL statements the server has run.
func (v *visitor) statements() int {
	v.t.Helper()
	for lines := bufio.NewScanner(strings.NewReader(v.get("/metrics").body)); lines.Scan(); {
		if value, is := strings.CutPrefix(lines.Text(), "tenantry_sql_statements_total "); is {
			return int(must[float64](v.site)(strconv.ParseFloat(value, 64)))
		}
	}
	v.t.Fatal("/metrics does not say how many statements were run")
	return 0
}
