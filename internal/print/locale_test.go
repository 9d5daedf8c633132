package print

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/money"
)

func TestLocales(t *testing.T) {
	eur, jpy, kwd := money.Currency{Code: "EUR", Digits: 2}, money.Currency{Code: "JPY"}, money.Currency{Code: "KWD", Digits: 3}
	for _, c := range []struct{ locale, language, numbers, date, country string }{
		{"en", "en", "EUR 1,234,567.80 · 1,234 · −0.005 · 8.1%", "5 Mar 2026", "Switzerland"},
		{"en-US", "en", "EUR 1,234,567.80 · 1,234 · −0.005 · 8.1%", "Mar 5, 2026", "Switzerland"},
		{"en_GB", "en", "EUR 1,234,567.80 · 1,234 · −0.005 · 8.1%", "5 Mar 2026", "Switzerland"},
		{"de", "de", "1.234.567,80 EUR · 1.234 · −0,005 · 8,1 %", "05.03.2026", "Schweiz"},
		{"de-CH", "de", "EUR 1’234’567.80 · 1’234 · −0.005 · 8.1%", "05.03.2026", "Schweiz"},
		{"DE-Latn-at", "de", "1 234 567,80 EUR · 1 234 · −0,005 · 8,1 %", "05.03.2026", "Schweiz"},
		{"fr", "fr", "1 234 567,80 EUR · 1 234 · −0,005 · 8,1 %", "05/03/2026", "Suisse"},
		{"fr-CH", "fr", "1 234 567,80 EUR · 1 234 · −0,005 · 8,1 %", "05.03.2026", "Suisse"},
		{"es", "es", "1.234.567,80 EUR · 1234 · −0,005 · 8,1 %", "05/03/2026", "Suiza"},
		{"es-MX", "es", "EUR 1,234,567.80 · 1,234 · −0.005 · 8.1%", "05/03/2026", "Suiza"},
		{"it", "it", "1.234.567,80 EUR · 1.234 · −0,005 · 8,1%", "05/03/2026", "Svizzera"},
		{"nl", "nl", "EUR 1.234.567,80 · 1.234 · −0,005 · 8,1%", "05-03-2026", "Zwitserland"},
		{"pl", "pl", "1 234 567,80 EUR · 1234 · −0,005 · 8,1%", "05.03.2026", "Szwajcaria"},
		{"pt-PT", "pt", "1 234 567,80 EUR · 1234 · −0,005 · 8,1%", "05/03/2026", "Suíça"},
		{"sv", "sv", "1 234 567,80 EUR · 1 234 · −0,005 · 8,1 %", "2026-03-05", "Schweiz"},
		{"ja", "ja", "EUR 1,234,567.80 · 1,234 · −0.005 · 8.1%", "2026年3月5日", "スイス"},
		{"ko-KR", "en", "EUR 1,234,567.80 · 1,234 · −0.005 · 8.1%", "5 Mar 2026", "Switzerland"},
		{"", "en", "EUR 1,234,567.80 · 1,234 · −0.005 · 8.1%", "5 Mar 2026", "Switzerland"},
	} {
		l := localeOf(c.locale)
		numbers := strings.Join([]string{l.money(eur, 123456780), l.amount(jpy, 1234), l.amount(kwd, -5), l.percentage("8.1")}, " · ")
		numbers = strings.NewReplacer(space, " ", narrowSpace, " ").Replace(numbers)
		if date := strings.ReplaceAll(l.day(day("2026-03-05")), space, " "); l.language != c.language || numbers != c.numbers || date != c.date || l.country("CH") != c.country {
			t.Errorf("%q: %s, %s, %s, %s; want %s, %s, %s, %s", c.locale, l.language, numbers, date, l.country("CH"), c.language, c.numbers, c.date, c.country)
		}
	}
}

func TestEveryLanguageIsComplete(t *testing.T) {
	english := reflect.ValueOf(*languages["en"])
	for language, texts := range languages {
		if _, known := formats[language]; !known {
			t.Errorf("%s: there is no format of numbers and dates", language)
		}
		value := reflect.ValueOf(*texts)
		for n := range value.NumField() {
			name, text, in := value.Type().Field(n).Name, value.Field(n).String(), english.Field(n).String()
			if text == "" {
				t.Errorf("%s: %s is empty", language, name)
			}
			args := []any{"ONE", "TWO"}[:strings.Count(in, "%s")]
			if printed := fmt.Sprintf(text, args...); strings.Contains(printed, "%!") || len(args) > 1 && !strings.Contains(printed, "TWO") || len(args) > 0 && !strings.Contains(printed, "ONE") {
				t.Errorf("%s: %s does not have the values of %q: %q", language, name, in, printed)
			}
		}
	}
}

func TestCountries(t *testing.T) {
	rows := strings.Split(strings.TrimSuffix(countries, "\n"), "\n")
	if want := 1 + 249 + 3; len(rows) != want {
		t.Errorf("%d lines, want %d", len(rows), want)
	}
	for _, row := range rows {
		if cells := strings.Split(row, "\t"); len(cells) != 1+len(languages) {
			t.Errorf("%q has %d names, want %d", row, len(cells)-1, len(languages))
		}
	}
	l := localeOf("en")
	for code, want := range map[string]string{"AD": "Andorra", "ZW": "Zimbabwe", "el": "Greece", "XI": "Northern Ireland", "": "", "??": "??", "DE\t": "Germany", "E": "E"} {
		if got := l.country(code); got != want {
			t.Errorf("%q is %q, want %q", code, got, want)
		}
	}
}
