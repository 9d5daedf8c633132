package print

import (
	"cmp"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// locale is how things are written for somebody.
type locale struct {
	*phrases
	format
	language string // of the texts
}

// format is how numbers and dates are written.
type format struct {
	decimal, group string
	// grouped is how many digits a number has at least if it is grouped.
	grouped int
	percent string
	date    string // as package time writes it
	// codeLast puts the currency after an amount.
	codeLast bool
}

// Spaces that do not break a line.
const (
	space       = "\u00a0"
	narrowSpace = "\u202f"
)

// formats by language, or by language and country where that differs, as in the
// Unicode CLDR.
var formats = map[string]format{
	"en":    {".", ",", 4, "%", "2 Jan 2006", false},
	"en-US": {".", ",", 4, "%", "Jan 2, 2006", false},
	"de":    {",", ".", 4, space + "%", "02.01.2006", true},
	"de-AT": {",", space, 4, space + "%", "02.01.2006", true},
	"de-CH": {".", "’", 4, "%", "02.01.2006", false},
	"de-LI": {".", "’", 4, "%", "02.01.2006", false},
	"fr":    {",", narrowSpace, 4, narrowSpace + "%", "02/01/2006", true},
	"fr-CA": {",", space, 4, space + "%", "2006-01-02", true},
	"fr-CH": {",", narrowSpace, 4, narrowSpace + "%", "02.01.2006", true},
	"es":    {",", ".", 5, space + "%", "02/01/2006", true},
	"es-MX": {".", ",", 4, "%", "02/01/2006", false},
	"es-US": {".", ",", 4, "%", "02/01/2006", false},
	"it":    {",", ".", 4, "%", "02/01/2006", true},
	"it-CH": {".", "’", 4, "%", "02.01.2006", false},
	"nl":    {",", ".", 4, "%", "02-01-2006", false},
	"nl-BE": {",", ".", 4, "%", "02/01/2006", false},
	"pl":    {",", space, 5, "%", "02.01.2006", true},
	"pt":    {",", ".", 4, "%", "02/01/2006", false},
	"pt-PT": {",", space, 5, "%", "02/01/2006", true},
	"sv":    {",", space, 4, space + "%", "2006-01-02", true},
	"ja":    {".", ",", 4, "%", "2006年1月2日", false},
}

// localeOf finds the locale that is nearest to a name: with its country, by its
// language alone, or English.
func localeOf(name string) locale {
	language, rest, _ := strings.Cut(strings.ReplaceAll(name, "_", "-"), "-")
	language = strings.ToLower(language)
	texts := languages[language]
	if texts == nil {
		language, rest, texts = "en", "", languages["en"]
	}
	l := locale{texts, formats[language], language}
	// The country follows the script, if that is given.
	for part := range strings.SplitSeq(rest, "-") {
		if f, known := formats[language+"-"+strings.ToUpper(part)]; known {
			l.format = f
		}
	}
	return l
}

// number writes a decimal with a point as people write it.
func (f *format) number(decimal string) string {
	sign := ""
	if strings.HasPrefix(decimal, "-") {
		sign, decimal = "−", decimal[1:]
	}
	whole, fraction, point := strings.Cut(decimal, ".")
	if len(whole) >= f.grouped {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + f.group + whole[i:]
		}
	}
	if point {
		whole += f.decimal + fraction
	}
	return sign + whole
}

// amount writes an amount without its currency.
func (f *format) amount(c money.Currency, a money.Amount) string { return f.number(c.Format(a)) }

// money writes an amount with its currency, whose code is unambiguous where a
// sign is not.
func (f *format) money(c money.Currency, a money.Amount) string {
	if f.codeLast {
		return f.amount(c, a) + space + c.Code
	}
	return c.Code + space + f.amount(c, a)
}

// percentage writes a tax rate.
func (f *format) percentage(p tax.Percent) string {
	return f.number(cmp.Or(string(p), "0")) + f.percent
}

// day writes a date; nothing for none.
func (f *format) day(d billing.Date) string {
	if d == (billing.Date{}) {
		return ""
	}
	text := time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC).Format(f.date)
	return strings.ReplaceAll(text, " ", space)
}

// days writes the first and the last of some days.
func (f *format) days(from, to billing.Date) string {
	if from == to {
		return f.day(from)
	}
	return join(" – ", f.day(from), f.day(to))
}
