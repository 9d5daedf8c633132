package delivery

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// WorkflowDraft is a workflow as a caller edits it: with the address, which is
// its platform's, and with its headers in the open.
type WorkflowDraft struct {
	webhook.Workflow
	URL     *string         `json:"url"`
	Headers webhook.Headers `json:"headers"`
	// Secrets of the platform can be set with the address, which they are for.
	Secrets PlatformSecrets `json:"-"`
}

// shown is the draft as the audit log may keep it.
func (d WorkflowDraft) shown() *WorkflowDraft {
	d.Headers = d.Headers.Shown()
	return &d
}

var workflows = operation.Resource[webhook.Workflow, billing.WorkflowID]{
	Name: "workflow", Words: "workflow", Table: store.Workflows,
}

// WorkflowUpdate changes how the webhooks of a platform are sent. If it enables
// the workflow, release says which of the waiting events go out.
func (s *Service) WorkflowUpdate(ctx context.Context, id billing.WorkflowID, edit func(*WorkflowDraft) error, release webhook.Release) (*webhook.Workflow, error) {
	var probe WorkflowDraft
	_ = edit(&probe) // what is wrong with it is told when it counts
	change := workflowChange{
		s: s, edit: edit, release: release,
		address: s.judgeURL(ctx, "recipe.url", probe.URL),
		program: s.judgeProgram(ctx, probe.PayloadProgram),
		state:   s.judgeStateProgram(ctx, probe.StateProgram),
	}
	return workflows.Operation(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*webhook.Workflow, error) {
		return change.run(ctx, tx, id)
	})
}

type workflowChange struct {
	s                       *Service
	edit                    func(*WorkflowDraft) error
	release                 webhook.Release
	address, program, state verdict
}

// run takes the platform's row, then the workflow's, then the endpoint.
func (c workflowChange) run(ctx context.Context, tx *store.Tx, id billing.WorkflowID) (*webhook.Workflow, error) {
	found, err := operation.Find(ctx, tx, store.Workflows, "id", workflows.Words, id)
	if err != nil {
		return nil, err
	}
	platform, err := Platforms.Lock(ctx, tx, found.PlatformID)
	if err != nil {
		return nil, err
	}
	row, err := workflows.Lock(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	headers, err := c.s.headersOf(row)
	if err != nil {
		return nil, err
	}
	before := WorkflowDraft{Workflow: *row, URL: platform.WebhookURL, Headers: headers}
	after := before
	after.Headers = headers.Shown() // what the caller leaves hidden is kept
	after.RetryDelays = slices.Clone(before.RetryDelays)
	was := *platform
	if err := c.apply(&before, &after, platform); err != nil {
		return nil, err
	}
	if err := c.save(ctx, tx, &before, &after, &was, platform); err != nil {
		return nil, err
	}
	if after.Secrets.AuthToken != nil || after.Secrets.PlainSignatureKey != nil {
		if err := operation.Audit(ctx, tx, "platformUpdate", Platforms.Name, int64(platform.ID), billing.Changes(&was, platform)); err != nil {
			return nil, err
		}
	}
	return &after.Workflow, operation.Audit(ctx, tx, "workflowUpdate", workflows.Name, int64(id), billing.Changes(before.shown(), after.shown()))
}

// apply makes the caller's edit and checks the outcome; what is wrong with
// either is told together.
func (c workflowChange) apply(before, after *WorkflowDraft, platform *webhook.Platform) error {
	var problems billing.Problems
	if err := c.edit(after); err != nil {
		found, known := billing.AsProblems(err)
		if !known {
			return err
		}
		problems = found
	}
	after.normalize()
	kept, given := after.Headers.Secrets()
	after.Headers.Restore(before.Headers)
	problems = append(problems, after.check(platform)...)
	problems = append(problems, c.address.problem(before.URL)...)
	problems = append(problems, c.program.problem(before.PayloadProgram)...)
	problems = append(problems, c.state.problem(before.StateProgram)...)
	after.HeadersSealed = c.s.sealHeaders(after.Headers)
	if e := after.BindHeaders(after.URL, kept, given); e != nil {
		problems = append(problems, e)
	}
	platform.WebhookURL = after.URL
	problems = append(problems, c.s.sealSecrets(platform, after.Secrets)...)
	for _, p := range platform.Check() {
		if p.Field[0] == webhook.SecretPlainKey {
			problems = append(problems, p)
		}
	}
	if after.Secrets.Ask {
		problems = append(problems, askFor(platform, &after.Workflow)...)
	}
	return problems.Err()
}

// normalize takes an empty text for none.
func (d *WorkflowDraft) normalize() {
	for _, text := range []**string{&d.URL, &d.PayloadProgram, &d.StateProgram, &d.Description} {
		if *text != nil && **text == "" {
			*text = nil
		}
	}
	if d.Headers == nil {
		d.Headers = webhook.Headers{}
	}
}

// check returns what is wrong with the draft, in the places where the caller
// wrote it.
func (d *WorkflowDraft) check(platform *webhook.Platform) billing.Problems {
	var problems billing.Problems
	for _, p := range d.Workflow.Check() {
		if field := p.Field[0]; field != "name" && field != "description" {
			p.Field = []string{"recipe", field}
		}
		problems = append(problems, p)
	}
	addressed := *platform
	addressed.WebhookURL = d.URL
	for _, p := range addressed.Check() {
		if p.Field[0] == "webhookUrl" {
			p.Field = []string{"recipe", "url"}
			problems = append(problems, p)
		}
	}
	if name := platform.PlainSignatureHeader; name != nil && d.Headers.Has(*name) {
		problems = append(problems, billing.Fail(billing.Invalid, "recipe.headers",
			"The header %s carries the platform's plain signature; choose another name, or give the signature another header first.", *name))
	}
	return append(problems, d.Headers.Check("recipe.headers")...)
}

// signatureFree refuses a header for the plain signature that the platform's
// recipe sets already.
func (s *Service) signatureFree(ctx context.Context, tx *store.Tx, before, after *webhook.Platform) error {
	name := after.PlainSignatureHeader
	if name == nil || same(before.PlainSignatureHeader, name) {
		return nil
	}
	found, err := store.WorkflowsOf(ctx, tx.Queries, []billing.PlatformID{after.ID})
	if err != nil {
		return err
	}
	for i := range found {
		headers, err := s.headersOf(&found[i])
		if err != nil {
			return err
		}
		if headers.Has(*name) {
			return billing.Fail(billing.Invalid, "plainSignatureHeader",
				"The recipe of the platform's workflow sets the header %s already; choose another name, or remove it there first.", *name)
		}
	}
	return nil
}

func (c workflowChange) save(ctx context.Context, tx *store.Tx, before, after *WorkflowDraft, was, platform *webhook.Platform) error {
	if err := store.Workflows.Update(ctx, tx, &after.Workflow); err != nil {
		return err
	}
	if !reflect.DeepEqual(was, platform) {
		if err := store.Platforms.Update(ctx, tx, platform); err != nil {
			return err
		}
		if err := AddressChanged(ctx, tx, was, platform); err != nil {
			return err
		}
	}
	outbox.Requeue(tx, platform.ID)
	if before.Enabled || !after.Enabled {
		return nil
	}
	return changeEndpoint(ctx, tx, platform.ID, func(_ *outbox.Route, e *webhook.Endpoint) error {
		e.Release(c.release, tx.Now)
		return nil
	})
}

func same(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// WorkflowPreview returns the body that a payload program makes, and sends
// nothing: the stored program if source is nil, of the current state of a
// tenant, or of made-up data if that is nil.
func (s *Service) WorkflowPreview(ctx context.Context, id billing.WorkflowID, source *string, tenant *billing.TenantID) (json.RawMessage, error) {
	workflow, err := store.Workflows.Get(ctx, s.Read(), id)
	if err != nil {
		return nil, err
	}
	if workflow == nil {
		return nil, billing.Missing("workflowId", workflows.Words, id)
	}
	body, err := s.previewed(ctx, workflow, tenant)
	if err != nil {
		return nil, err
	}
	if source == nil {
		source = workflow.PayloadProgram
	}
	return s.runProgram(ctx, source, body, "payloadProgram")
}

// previewed is the standard body that a preview starts from.
func (s *Service) previewed(ctx context.Context, workflow *webhook.Workflow, tenant *billing.TenantID) ([]byte, error) {
	if tenant == nil {
		platform, err := store.Platforms.Get(ctx, s.Read(), workflow.PlatformID)
		if err != nil {
			return nil, err
		}
		if platform == nil { // deleted meanwhile
			return nil, billing.Missing("workflowId", workflows.Words, workflow.ID)
		}
		return webhook.TestState(*platform).Body(), nil
	}
	state, err := s.Provisioning.State(ctx, *tenant)
	if err != nil {
		return nil, err
	}
	if state == nil {
		return nil, billing.Missing("tenantId", "tenant", *tenant)
	}
	if state.Platform.ID != workflow.PlatformID {
		return nil, billing.Fail(billing.Invalid, "tenantId", "The tenant is on the platform %s, which has another workflow.", state.Platform.Code)
	}
	return state.Body(), nil
}

// runProgram makes the body to send of the standard one; field is where a
// problem with the program is told.
func (s *Service) runProgram(ctx context.Context, source *string, body []byte, field string) ([]byte, error) {
	if source == nil || *source == "" {
		return body, nil
	}
	if s.webhooks.RunProgram == nil {
		return nil, billing.Fail(billing.NotAllowed, field, "This process does not run payload programs.")
	}
	made, err := s.webhooks.RunProgram(ctx, *source, body)
	if err != nil {
		return nil, billing.Fail(billing.Invalid, field, "%s", sentence(err.Error()))
	}
	return made, nil
}
