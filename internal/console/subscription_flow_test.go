package console_test

import "strings"

// changesPlan chooses a price list, whose numbers appear beside their prices at
// once, and reads what becomes of the term.
func (b *browser) changesPlan() {
	b.open("/subscriptions/2/plan")
	if strings.Contains(b.text(), "per user") {
		b.t.Error("numbers are asked for before there is a price list")
	}
	b.fills("priceListId", "1")
	b.says("EUR 9.00 per user a month (1 to 5,000). If empty, 5 included in the plan.")
	b.says("10 included in the plan")
	seats := func() string {
		return eval[string](b, `document.querySelector("[name='quantity:seats']").value`)
	}
	if got := seats(); got != "13" {
		b.t.Errorf("%s seats are carried over", got)
	}
	chosen := `(() => { const s = document.querySelector("[name=term]"); return s.selectedOptions[0].text; })()`
	if got := eval[string](b, chosen); got != "Restarts today, ends on 14 Feb 2026" {
		b.t.Errorf("the term: %s", got)
	}
	b.fills("quantity:seats", "6000")
	b.presses("Preview")
	b.says("The charge \"seats\" is sold in quantities of 1 to 5,000, not 6000.")
	if focused := eval[string](b, `document.activeElement.name`); focused != "quantity:seats" {
		b.t.Errorf("the field %q has the focus", focused)
	}
	b.fills("when", "end")
	b.waits("the term to be no question", `!document.querySelector("[name=term], .htmx-added")`)
	if got := seats(); got != "6000" {
		b.t.Errorf("what was typed is %s now", got)
	}
	b.fills("when", "now")
	b.waits("the term to be asked for", `!!document.querySelector("[name=term]")`)
	b.fills("quantity:seats", "20")
	b.fills("term", "KEEP")
	b.presses("Preview")
	b.says("The term keeps its end, 19 Nov 2026.")
	b.presses("Change plan")
	b.says("Starter")
	const aligned = `[...document.querySelectorAll("main td.money")].every(e => getComputedStyle(e).textAlign === "right") && document.querySelector("main td.money + td.money").innerText`
	if got := eval[string](b, aligned); got != "EUR 9.00" {
		b.t.Errorf("the price beside the quantity is %s", got)
	}
}

// takesBack orders a number for the next term, is told of it when ordering
// another one, sees it on the time line and takes it back.
func (b *browser) takesBack() {
	b.open("/subscriptions/2/quantities")
	b.fills("quantity:seats", "5")
	b.fills("when", "end")
	b.presses("Preview")
	b.presses("Change quantities")
	b.says("will have 5 seats from 20 Nov 2026.")
	// The browser's Back leads to the preview, and from there to the form.
	eval[bool](b, `(() => { history.back(); return true; })()`)
	b.says("Nothing is done yet.")
	eval[bool](b, `(() => { history.back(); return true; })()`)
	b.says("New quantities apply")
	b.open("/subscriptions/2")
	if words := eval[string](b, `document.querySelector(".line svg").getAttribute("aria-label")`); !strings.Contains(words, "Seats 5 20 Nov 2026") {
		b.t.Errorf("the time line is %s", words)
	}
	b.open("/subscriptions/2/quantities")
	b.says("Seats 5 from 20 Nov 2026.")
	b.fills("quantity:seats", "25")
	b.presses("Preview")
	b.says("is scheduled already. Choose “Keep it” to have 25 until then, or “Drop it” to drop that change.")
	b.fills("scheduled", "KEEP")
	b.presses("Preview")
	b.says("25 applies only until 20 Nov 2026, when 5 is scheduled.")
	b.presses("Change quantities")
	b.presses("Take back")
	b.says("Taken back: Seats 5 from 20 Nov 2026.")
	if strings.Contains(b.text(), "Take back") {
		b.t.Error("there is still something to take back")
	}
}
