package delivery

import (
	"context"
	"unicode"
	"unicode/utf8"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
)

// verdict is what was found, before the transaction, about a value that a
// caller sets: to look a name up or to try a program takes a while.
type verdict struct {
	field   string
	value   *string
	refusal error
}

// judge asks about a value, if the caller gives one.
func judge(field string, value *string, ask func(string) error) verdict {
	v := verdict{field: field, value: value}
	if value != nil && *value != "" {
		v.refusal = ask(*value)
	}
	return v
}

// problem is what to say about the value: nothing if it is good, or was there
// before.
func (v verdict) problem(before *string) billing.Problems {
	if v.refusal == nil || before != nil && *before == *v.value {
		return nil
	}
	return billing.Problems{billing.Fail(billing.Invalid, v.field, "%s", sentence(v.refusal.Error()))}
}

// sentence makes one of an error's text.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if last := text[len(text)-1]; last != '.' && last != '!' && last != '?' {
		text += "."
	}
	return text
}

// judgeURL asks whether webhooks may go to an address. One that is not even an
// address is refused elsewhere.
func (s *Service) judgeURL(ctx context.Context, field string, url *string) verdict {
	looks := webhook.Platform{WebhookURL: url}
	if s.webhooks.CheckURL == nil || about(looks.Check(), "webhookUrl") {
		return verdict{}
	}
	return judge(field, url, func(text string) error { return s.webhooks.CheckURL(ctx, text) })
}

// judgeProgram tries a payload program.
func (s *Service) judgeProgram(ctx context.Context, source *string) verdict {
	if s.webhooks.CheckProgram == nil {
		return verdict{}
	}
	return judge("recipe.payloadProgram", source, func(text string) error { return s.webhooks.CheckProgram(ctx, text) })
}

// judgeStateProgram reads a state program. What applications report has no form that it
// could be tried with.
func (s *Service) judgeStateProgram(ctx context.Context, source *string) verdict {
	if s.webhooks.CheckStateProgram == nil {
		return verdict{}
	}
	return judge("recipe.stateProgram", source, func(text string) error { return s.webhooks.CheckStateProgram(ctx, text) })
}

// judgePlatform finds out which address an edit sets, and judges it.
func (s *Service) judgePlatform(ctx context.Context, edit func(*webhook.Platform) error) verdict {
	var probe webhook.Platform
	_ = edit(&probe) // what is wrong with it is told when it counts
	return s.judgeURL(ctx, "webhookUrl", probe.WebhookURL)
}

// about says whether one of the problems is with that field.
func about(problems billing.Problems, field string) bool {
	for _, p := range problems {
		if len(p.Field) > 0 && p.Field[0] == field {
			return true
		}
	}
	return false
}
