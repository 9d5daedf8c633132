package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/client"
)

// mostDiffering is how many tenants a Report names.
const mostDiffering = 100

// sending is a report under way. It holds the lines of one request at most.
type sending struct {
	reporter             *Reporter
	ctx                  context.Context // of the call that it lives in
	begun                time.Time
	maxTenants, maxBytes int

	lines   bytes.Buffer
	tenants int // in lines
	report  *Report
}

func (r *Reporter) start(ctx context.Context, id string) *sending {
	s := &sending{
		// A key of the caller's would be that of the first part only.
		reporter: r, ctx: client.WithIdempotencyKey(ctx, ""), begun: r.now(), report: &Report{ID: id},
		maxTenants: client.MaxStateTenants, maxBytes: client.MaxStateBytes,
	}
	if r.MaxTenants > 0 {
		s.maxTenants = min(s.maxTenants, r.MaxTenants)
	}
	if r.MaxBytes > 0 {
		s.maxBytes = min(s.maxBytes, r.MaxBytes)
	}
	return s
}

// add takes a tenant into the next request, and sends that before if it is full.
func (s *sending) add(tenant TenantState) error {
	if tenant.At.IsZero() {
		tenant.At = s.begun
	}
	if s.reporter.Sequences != nil {
		switch err := s.look(&tenant); {
		case errors.Is(err, ErrNoTenant):
			return nil
		case err != nil:
			return fmt.Errorf("tenant %q: %w", tenant.Code, err)
		}
	}
	line, err := tenant.line()
	if err != nil {
		return fmt.Errorf("tenant %q: %w", tenant.Code, err)
	}
	if len(line) > s.maxBytes {
		return fmt.Errorf("tenant %q has %d bytes of features, and a request has at most %d", tenant.Code, len(line), s.maxBytes)
	}
	if s.tenants == s.maxTenants || s.lines.Len()+len(line) > s.maxBytes {
		if err := s.flush(false); err != nil {
			return err
		}
	}
	s.lines.Write(line)
	s.tenants++
	return nil
}

// look reads the sequence and the features of a tenant in its turn: the handler, which
// needs the turn too, changes neither of them meanwhile.
func (s *sending) look(tenant *TenantState) error {
	if tenant.ID == 0 {
		return errors.New("it has no ID, by which the store knows it: leave out tenants that no webhook has told of")
	}
	return s.reporter.Sequences.Update(s.ctx, tenant.ID, func(ctx context.Context, last int64) (int64, error) {
		tenant.Sequence, tenant.At = last, s.reporter.now()
		var err error
		tenant.Features, err = s.reporter.Features(ctx, *tenant)
		return last, err
	})
}

// line is the tenant as it is sent.
func (t TenantState) line() ([]byte, error) {
	type feature struct {
		Code     string `json:"code"`
		Value    string `json:"value,omitempty"`
		Quantity *int64 `json:"quantity,omitempty"`
	}
	features := make([]feature, len(t.Features))
	for i, f := range t.Features {
		features[i] = feature{f.Code, f.Value, f.Quantity}
	}
	text, err := json.Marshal(struct {
		Code     string    `json:"code"`
		Sequence int64     `json:"sequence"`
		At       time.Time `json:"at"`
		Features []feature `json:"features"`
	}{t.Code, t.Sequence, t.At.UTC(), features})
	return append(text, '\n'), err
}

// flush sends what has been taken in. The last part of a full report is sent even if
// nothing is left for it.
func (s *sending) flush(complete bool) error {
	if s.tenants == 0 && !complete {
		return nil
	}
	result, err := s.reporter.Client.TenantStateSend(s.ctx, client.TenantStatePart{
		Platform: s.reporter.Platform, Report: s.report.ID, Complete: complete, Lines: s.lines.Bytes(),
	})
	if err != nil {
		return err
	}
	s.report.Requests++
	s.report.Tenants += s.tenants
	s.report.count(result)
	s.lines = bytes.Buffer{} // an attempt that was given up may still read the old one
	s.tenants = 0
	return nil
}

// count adds what came of a part. The server has the sum of a full report.
func (r *Report) count(part *client.TenantStateResult) {
	r.Repaired += part.Repaired
	r.Differing = append(r.Differing, part.Differing[:min(len(part.Differing), mostDiffering-len(r.Differing))]...)
	if part.Report != nil {
		r.Outcomes, r.Held = part.Report.Outcomes, part.Report.Held
		return
	}
	r.Outcomes.InSync += part.Outcomes.InSync
	r.Outcomes.Behind += part.Outcomes.Behind
	r.Outcomes.Drifted += part.Outcomes.Drifted
	r.Outcomes.Ahead += part.Outcomes.Ahead
	r.Outcomes.UnknownTenant += part.Outcomes.UnknownTenant
}
