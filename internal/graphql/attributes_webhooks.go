package graphql

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/graphql/gen"
)

func editWorkflow(in gen.WorkflowAttributes) func(*delivery.WorkflowDraft) error {
	return func(w *delivery.WorkflowDraft) error {
		p := &patch{}
		need(p, "enabled", in.Enabled, &w.Enabled)
		may(in.Description, &w.Description)
		var recipe gen.WorkflowRecipeAttributes
		need(p, "recipe", in.Recipe, &recipe)
		p.recipe(recipe, w)
		return p.problems.Err()
	}
}

func (p *patch) recipe(in gen.WorkflowRecipeAttributes, w *delivery.WorkflowDraft) {
	may(in.URL, &w.URL)
	may(in.PayloadProgram, &w.PayloadProgram)
	may(in.StateProgram, &w.StateProgram)
	need(p, "recipe.timeoutSeconds", in.TimeoutSeconds, &w.TimeoutSeconds)
	need(p, "recipe.order", in.Order, &w.Order)
	need(p, "recipe.maxConcurrency", in.MaxConcurrency, &w.MaxConcurrency)
	if delays, set := in.RetryDelays.ValueOK(); set {
		w.RetryDelays = delays // null is none, which is refused
	}
	if headers, set := in.Headers.ValueOK(); set {
		w.Headers = p.headers(headers)
	}
}

// headers reads an object of names and values.
func (p *patch) headers(in any) webhook.Headers {
	headers := webhook.Headers{}
	if in == nil {
		return headers
	}
	object, ok := in.(map[string]any)
	for name, value := range object {
		text, isText := value.(string)
		ok = ok && isText
		headers[name] = text
	}
	if !ok {
		p.fail(billing.Invalid, "recipe.headers", `Headers are an object of names and texts, such as {"X-Source": "billing"}.`)
		return webhook.Headers{}
	}
	return headers
}

// releaseOf is which events go out, unless the caller says otherwise only the
// latest.
func releaseOf(in *webhook.Release) webhook.Release {
	if in == nil {
		return webhook.ReleaseLatest
	}
	return *in
}
