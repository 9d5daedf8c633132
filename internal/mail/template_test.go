package mail

import (
	"io/fs"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func builtIn(t testing.TB, name, locale string) Template {
	t.Helper()
	found, ok := BuiltIn(name, locale)
	if !ok {
		t.Fatalf("there is no template %s in %s", name, locale)
	}
	return found
}

// forEach calls a function for every built-in template.
func forEach(t *testing.T, do func(t *testing.T, template Template)) {
	t.Helper()
	for _, name := range Names {
		for _, language := range languages {
			t.Run(language+"/"+name, func(t *testing.T) { do(t, builtIn(t, name, language)) })
		}
	}
}

func render(t testing.TB, template Template, facts Facts) Content {
	t.Helper()
	content, err := Render(template, facts)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestEveryTemplateExists(t *testing.T) {
	t.Parallel()
	found := 0
	err := fs.WalkDir(files, "templates", func(path string, entry fs.DirEntry, err error) error {
		if !entry.IsDir() {
			found++
		}
		return err
	})
	if err != nil || found != len(Names)*len(languages) {
		t.Errorf("%d files, %v", found, err)
	}
	forEach(t, func(t *testing.T, template Template) {
		if err := Check(template.Name, template.Locale, template.Subject, template.Body); err != nil {
			t.Error(err)
		}
		if strings.Contains(template.Subject, "Subject") || strings.Contains(template.Body, "Subject:") {
			t.Errorf("the file begins otherwise than with a subject and an empty line: %q", template.Subject)
		}
	})
	if _, ok := BuiltIn("nothing", "en"); ok {
		t.Error("there is a template of any name")
	}
}

func TestTemplatesWithSamples(t *testing.T) {
	t.Parallel()
	forEach(t, func(t *testing.T, template Template) {
		content := render(t, template, Sample(template.Name, template.Locale))
		golden(t, "templates/"+template.Locale+"/"+template.Name+".txt", "Subject: "+content.Subject+"\n\n"+content.Text)
		if template.Name == Invoice || template.Name == LastReminder {
			golden(t, "templates/"+template.Locale+"/"+template.Name+".html", content.HTML)
		}
	})
}

// An invoice is paid by transfer, or nothing is due.
func TestVariantsOfTemplates(t *testing.T) {
	t.Parallel()
	for _, language := range languages {
		transfer, covered, hard, partial := Sample(Invoice, language), Sample(Invoice, language), Sample(PaymentFailed, language), Sample(Receipt, language)
		transfer.Method, transfer.CollectOn = "", ""
		covered.AmountDue = ""
		hard.NextTryOn, hard.SuspensionDate = "", ""
		late, failed := Sample(LastReminder, language), Sample(PaymentFailed, language)
		late.SuspensionDate, failed.SuspensionDate, late.Suspended, failed.Suspended = "", "", true, true
		restored := Sample(Receipt, language)
		restored.Restored = true
		partial.AmountDue = everyFact(language).CreditAmount
		for name, content := range map[string]Content{
			"invoice-transfer":         render(t, builtIn(t, Invoice, language), transfer),
			"invoice-covered":          render(t, builtIn(t, Invoice, language), covered),
			"payment-failed-hard":      render(t, builtIn(t, PaymentFailed, language), hard),
			"last-reminder-suspended":  render(t, builtIn(t, LastReminder, language), late),
			"payment-failed-suspended": render(t, builtIn(t, PaymentFailed, language), failed),
			"receipt-restored":         render(t, builtIn(t, Receipt, language), restored),
			"receipt-partial":          render(t, builtIn(t, Receipt, language), partial),
		} {
			golden(t, "templates/"+language+"/"+name+".txt", "Subject: "+content.Subject+"\n\n"+content.Text)
		}
	}
}

// optional reports whether a fact may be missing in a message. What a reminder asks for
// and what expires is always known.
func optional(name, field string) bool {
	switch {
	case field == "AmountDue" && (name == DueSoon || name == Reminder || name == LastReminder), field == "Method" && name == MethodExpires:
		return false
	}
	return strings.Contains(help[field], "empty") || strings.HasPrefix(field, "Days") || field == "Attached" || field == "Suspended" || field == "Restored"
}

var gaps = regexp.MustCompile(`(?m)  |[ \t]$|\n\n\n|\A\n|[ (]\.|,,|:\x{a0}?$\n\S|<no value>|%!|\{\{|\}\}`)

// Whatever is missing, a message has no gap.
func TestMissingFactsLeaveNoGaps(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	forEach(t, func(t *testing.T, template Template) {
		for range 200 {
			facts := only(template.Name, everyFact(template.Locale))
			value := reflect.ValueOf(&facts).Elem()
			for i := range value.NumField() {
				if field := value.Type().Field(i).Name; optional(template.Name, field) && random.IntN(2) == 0 {
					value.Field(i).SetZero()
					if value.Field(i).Kind() == reflect.Int {
						value.Field(i).SetInt(1)
					}
				}
			}
			content := render(t, template, facts)
			if found := gaps.FindString(content.Subject + "\n" + strings.TrimSuffix(content.Text, "\n")); found != "" {
				t.Fatalf("%q in\n%s\n%s", found, content.Subject, content.Text)
			}
		}
	})
}

// Punctuation as it is set in each language.
func TestTypography(t *testing.T) {
	t.Parallel()
	actions := regexp.MustCompile(`\{\{.*?\}\}`)
	wrong := map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`["'„]|\s[,.:;!?]`),
		"de": regexp.MustCompile(`["'’]|\s[,.:;!?]|\b(du|dein|dir|dich|ihnen)\b`),
		"fr": regexp.MustCompile(`["']|[^\x{a0}\x{202f}][:;!?]|«[^\x{a0}\x{202f}]|[^\x{a0}\x{202f}]»|\b(tu|ton|te)\b`),
	}
	forEach(t, func(t *testing.T, template Template) {
		for _, text := range []string{template.Subject, template.Body} {
			text = actions.ReplaceAllString(text, "X")
			if found := wrong[template.Locale].FindString(text); found != "" {
				t.Errorf("%q in %s", found, text)
			}
		}
	})
}

func TestTheNearestTemplateIsChosen(t *testing.T) {
	t.Parallel()
	own := []Template{
		{Name: Reminder, Locale: "de", Body: "own de"}, {Name: Reminder, Locale: "de-AT", Body: "own de-AT"},
		{Name: Reminder, Locale: "es", Body: "own es"}, {Name: Receipt, Locale: "en", Body: "own en"},
	}
	for _, c := range []struct{ name, locale, want string }{
		{Reminder, "de-AT", "own de-AT"}, {Reminder, "de_at", "own de-AT"}, {Reminder, "DE-Latn-DE", "own de"}, {Reminder, "de", "own de"},
		{Reminder, "es-MX", "own es"}, {Reminder, "fr-CH", "Bonjour"}, {Reminder, "en-GB", "Hello"}, {Reminder, "ja", "Hello"}, {Reminder, "", "Hello"},
		{Receipt, "ja", "own en"}, {Receipt, "de", "Guten Tag"}, {Receipt, "en", "own en"},
	} {
		if got, ok := Choose(own, c.name, c.locale); !ok || !strings.HasPrefix(got.Body, c.want) {
			t.Errorf("%s in %q: %.30q, %v", c.name, c.locale, got.Body, ok)
		}
	}
	if _, ok := Choose(own, "nothing", "fi"); ok {
		t.Error("there is a template of any name")
	}
	for locale, want := range map[string]string{"de-CH": "Mit freundlichen Grüssen", "de-AT": "Mit freundlichen Grüßen"} {
		if swiss := builtIn(t, Reminder, locale); !strings.Contains(swiss.Body, want) {
			t.Errorf("%s: %s", locale, swiss.Body)
		}
	}
}

func TestFactsAreDescribed(t *testing.T) {
	t.Parallel()
	for i := range factsType.NumField() {
		if name := factsType.Field(i).Name; help[name] == "" {
			t.Errorf("%s has no help", name)
		}
	}
	if len(help) != factsType.NumField() {
		t.Errorf("%d facts are described, and there are %d", len(help), factsType.NumField())
	}
	for _, language := range languages {
		full := reflect.ValueOf(everyFact(language))
		for i := range full.NumField() {
			if full.Field(i).IsZero() {
				t.Errorf("%s: the sample has no %s", language, factsType.Field(i).Name)
			}
		}
	}
	for _, name := range Names {
		for _, field := range fieldsOf[name] {
			if _, exists := factsType.FieldByName(field); !exists {
				t.Errorf("%s: %s is not a fact", name, field)
			}
		}
		if fields := Fields(name, "de-AT"); len(fields) != len(everywhere)+len(fieldsOf[name]) || fields[0].Sample != "Acme Cloud GmbH" {
			t.Errorf("%s: %+v", name, fields)
		}
	}
	if Fields("nothing", "en") != nil {
		t.Error("there are facts for any name")
	}
}

// Facts that no template uses are of no use to anybody.
func TestFactsAreUsed(t *testing.T) {
	t.Parallel()
	for _, language := range languages {
		all := ""
		for _, name := range Names {
			all += builtIn(t, name, language).Body
		}
		for i := range factsType.NumField() {
			if field := factsType.Field(i).Name; !strings.Contains(all, "{{."+field+"}}") && !strings.Contains(all, "{{if ."+field+"}}") {
				t.Errorf("%s: %s is not used", language, field)
			}
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ got, want string }{
		{MethodText("en", Card, "4242"), "card ending in 4242"},
		{MethodText("de-AT", Card, "4242"), "Karte mit den Endziffern 4242"},
		{MethodText("fr", SEPADebit, "3000"), "prélèvement sur le compte se terminant par 3000"},
		{MethodText("ja", "", ""), "payment method on file"},
		{MethodText("de", "WALLET", ""), "hinterlegtes Zahlungsmittel"},
		{ReasonText("en", "insufficient_funds"), "there were not enough funds"},
		{ReasonText("de", "stolen_card"), "Die Bank hat die Zahlung abgelehnt"},
		{ReasonText("fr-CH", ""), "le paiement a été refusé par la banque"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	for _, language := range languages {
		for why := declined; why <= disturbed; why++ {
			if reasonTexts[language][why] == "" {
				t.Errorf("%s has no words for the reason %d", language, why)
			}
		}
		if len(methods[language]) != 3 {
			t.Errorf("%s has %d kinds of methods", language, len(methods[language]))
		}
	}
}
