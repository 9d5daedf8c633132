package listen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode"

	"github.com/tenantry/tenantry/internal/billing/webhook"
)

// Colours, as terminals take them.
const (
	bold, dim, red, green, cyan = "1", "2", "31", "32", "36"
)

func (r *Receiver) paint(colour, text string) string {
	if !r.Colour {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// clean keeps what others sent from taking over the terminal.
func clean(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return ' '
	}, text)
}

// told is the part of a webhook that is printed in words.
type told struct {
	Payload struct {
		Tenant struct {
			Code, Name string
			Platform   struct{ Code string }
		}
		Change struct {
			Features []struct {
				Code, Value string
				Quantity    *int
			}
			Subscriptions []struct {
				State     string
				StartDate string `json:"start_date"`
				EndDate   string `json:"end_date"`
				Plan      struct{ Name string }
				Product   struct{ Name string }
				PriceList struct{ Code string } `json:"price_list"`
			}
		}
	}
}

// tenant names who a webhook is about, empty if that cannot be told: a payload
// program can make anything of it.
func (t *told) tenant() string {
	tenant := &t.Payload.Tenant
	if tenant.Code == "" {
		return ""
	}
	return tenant.Platform.Code + "/" + tenant.Code
}

// print prints a webhook and remembers it.
func (r *Receiver) print(a *arrival) {
	var t told
	if json.Unmarshal(a.body, &t) != nil {
		t = told{} // it is printed as it is
	}
	tenant := t.tenant()
	r.mu.Lock()
	defer r.mu.Unlock()
	var out bytes.Buffer
	r.headline(&out, a, tenant)
	before, known := r.last[tenant]
	switch {
	case tenant == "":
		r.body(&out, a.body)
	case known:
		r.differences(&out, before, a.body)
	default:
		r.summary(&out, &t)
	}
	if r.Bodies && tenant != "" {
		r.body(&out, a.body)
	}
	if a.answer.forward && len(a.answer.body) > 0 {
		fmt.Fprintf(&out, "%s%s\n", indent, r.paint(dim, "the answer: "+clean(short(a.answer.body))))
	}
	if tenant != "" {
		r.last[tenant] = a.body
		if !a.answer.forward && a.answer.status/100 == 2 {
			r.keep(tenant, a.header.Get("webhook-id"))
		}
	}
	_, _ = r.Out.Write(out.Bytes())
}

const indent = "          "

// headline is the line of a webhook: when, about whom, whether it can be
// trusted, and the answer.
func (r *Receiver) headline(out *bytes.Buffer, a *arrival, tenant string) {
	if tenant == "" {
		tenant = "no tenant"
	}
	parts := []string{r.paint(dim, a.at.Format("15:04:05")), r.paint(bold, clean(tenant))}
	if n := a.header.Get("webhook-sequence"); n != "" {
		parts = append(parts, clean("#"+n))
	}
	if n := a.header.Get("webhook-attempt"); n != "" && n != "1" {
		parts = append(parts, clean("attempt "+n))
	}
	if a.header.Get("webhook-forced") == "true" {
		parts = append(parts, "forced")
	}
	switch {
	case a.unknown:
		parts = append(parts, "not verified: no secret was given")
	case a.verdict != nil:
		parts = append(parts, r.paint(red, clean("NOT verified: "+a.verdict.Error())))
	default:
		parts = append(parts, r.paint(green, "verified"))
	}
	colour := green
	if a.answer.status/100 != 2 {
		colour = red
	}
	answered := fmt.Sprintf("answered %d %s", a.answer.status, http.StatusText(a.answer.status))
	parts = append(parts, r.paint(colour, clean(join(strings.TrimSpace(answered), a.answer.note))))
	fmt.Fprintln(out, strings.Join(parts, "  "))
}

// differences are what is new since the last webhook of the tenant.
func (r *Receiver) differences(out *bytes.Buffer, before, after []byte) {
	all, err := webhook.Differences(before, after)
	if err != nil {
		r.body(out, after)
		return
	}
	if len(all) == 0 {
		fmt.Fprintf(out, "%s%s\n", indent, r.paint(dim, "the same as the last one"))
	}
	for _, d := range all {
		fmt.Fprintf(out, "%s%s: %s -> %s\n", indent, r.paint(cyan, clean(d.Path)), r.paint(red, value(d.From)), r.paint(green, value(d.To)))
	}
}

func value(text json.RawMessage) string {
	if text == nil {
		return "nothing"
	}
	return clean(string(text))
}

// summary is the first webhook of a tenant, in words.
func (r *Receiver) summary(out *bytes.Buffer, t *told) {
	fmt.Fprintf(out, "%sthe first of %s\n", indent, clean(t.Payload.Tenant.Name))
	for _, s := range t.Payload.Change.Subscriptions {
		text := fmt.Sprintf("%s %s (%s), %s to %s", s.Product.Name, s.Plan.Name, s.PriceList.Code, s.StartDate, s.EndDate)
		fmt.Fprintf(out, "%s%s: %s\n", indent, r.paint(cyan, clean(s.State)), clean(text))
	}
	for _, f := range t.Payload.Change.Features {
		amount := "on"
		switch {
		case f.Quantity != nil:
			amount = fmt.Sprint(*f.Quantity)
		case f.Value != "":
			amount = f.Value
		}
		fmt.Fprintf(out, "%s%s: %s\n", indent, r.paint(cyan, clean(f.Code)), clean(amount))
	}
}

var jsonKey = regexp.MustCompile(`^( *)("(?:[^"\\]|\\.)*")(: )`)

// body prints all that came, JSON line by line.
func (r *Receiver) body(out *bytes.Buffer, body []byte) {
	var lines bytes.Buffer
	if json.Indent(&lines, body, "", "  ") != nil {
		lines.Reset()
		lines.WriteString(short(body))
	}
	for line := range strings.SplitSeq(lines.String(), "\n") {
		line = clean(line)
		if r.Colour {
			line = jsonKey.ReplaceAllString(line, "$1"+r.paint(cyan, "$2")+"$3")
		}
		fmt.Fprintf(out, "%s%s\n", indent, line)
	}
}

// short is the beginning of a text of any length.
func short(body []byte) string {
	const most = 2000
	text := strings.TrimSpace(string(body[:min(len(body), most)]))
	if len(body) > most {
		text += " …"
	}
	return text
}
