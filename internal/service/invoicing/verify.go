package invoicing

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// verifyBatch is how many documents or subscriptions are read together.
	verifyBatch = 250
	// verifyAhead is how many batches are read and computed at once: while the
	// database reads one, another is computed.
	verifyAhead = 3
	// maxFindings is how many findings are kept; there may be more.
	maxFindings = 100
)

// Verification is what came of recomputing documents.
type Verification struct {
	// Documents and Subscriptions are how many were looked at.
	Documents, Subscriptions int
	// Findings are what is wrong, at most maxFindings of them.
	Findings []string
	// Failed counts them all.
	Failed int
}

func (v *Verification) fail(format string, args ...any) {
	if v.Failed++; len(v.Findings) < maxFindings {
		v.Findings = append(v.Findings, fmt.Sprintf(format, args...))
	}
}

// add adds what came of a part.
func (v *Verification) add(part *Verification) {
	v.Documents, v.Subscriptions, v.Failed = v.Documents+part.Documents, v.Subscriptions+part.Subscriptions, v.Failed+part.Failed
	v.Findings = append(v.Findings, part.Findings[:min(len(part.Findings), maxFindings-len(v.Findings))]...)
}

// DocumentsVerify walks the series of an entity, of all if it is nil, and
// recomputes every document from a day on, from the first if it is nil: its number,
// its place in the chain, its totals and its taxes, and each item from its
// explanation. Then it compares what was billed with the subscriptions. progress is
// told of every batch; it may be nil.
func (s *Service) DocumentsVerify(ctx context.Context, entity *billing.EntityID, from *billing.Date, progress func(*Verification)) (*Verification, error) {
	ctx = store.WithAllowance(ctx, func(int) error { return nil }) // what is read is no part of an answer
	v := &Verification{}
	if progress == nil {
		progress = func(*Verification) {}
	}
	var sellers *sellers
	var series []store.Series
	err := s.Read().AtOneMoment(ctx, func(ctx context.Context, q store.Queries) (err error) {
		if sellers, err = loadSellers(ctx, q); err != nil {
			return err
		}
		var only billing.EntityID
		if entity != nil {
			if only = *entity; sellers.byID(only) == nil {
				return billing.Missing("entityId", "entity", only)
			}
		}
		series, err = store.AllSeries(ctx, q, only)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.verifySeries(ctx, v, series, sellers, from, progress); err != nil {
		return nil, err
	}
	if from == nil && entity == nil {
		err = s.verifySubscriptions(ctx, v, sellers, progress)
	}
	return v, err
}
