package console

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/delivery/log"
)

func TestPlotOfWebhooks(t *testing.T) {
	t.Parallel()
	if plotOf(make([]log.EventDay, 3)) != nil {
		t.Error("nothing is drawn")
	}
	first := billing.Date{Year: 2026, Month: time.February, Day: 20}
	p := plotOf([]log.EventDay{
		{Day: first, EventCounts: log.EventCounts{Delivered: 5, Failed: 1}}, {Day: first.AddDays(1), EventCounts: log.EventCounts{Replaced: 2}},
	})
	if len(p.Bars) != 2 || len(p.Bars[0].Parts) != 2 || len(p.Bars[1].Parts) != 0 {
		t.Fatalf("the bars are %+v", p.Bars)
	}
	if rows := p.Table.Rows; len(rows) != 2 || rows[0][0].Text != "21 Feb 2026" || rows[0][2].Href != "" || rows[1][2].Href == "" {
		t.Errorf("the table is %+v", p.Table.Rows)
	}
}
