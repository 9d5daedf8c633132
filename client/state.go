package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// The most that one request to TenantStateSend may have.
const (
	MaxStateTenants = 10_000
	MaxStateBytes   = 8 << 20
)

// TenantStatePart is one request of a report of what tenants have in an application.
type TenantStatePart struct {
	// Platform is the code of the platform whose tenants these are.
	Platform string
	// Report is the id of the full report that this is a part of; empty if it is
	// about some tenants only.
	Report string
	// Complete says that this is the last part of the full report.
	Complete bool
	// Lines has a line of JSON for each tenant, up to MaxStateTenants and
	// MaxStateBytes.
	Lines []byte
}

// TenantStateResult is what came of a part of a report.
type TenantStateResult struct {
	// Outcomes counts the tenants of the part, and with the last one those that are
	// missing.
	Outcomes DriftOutcomes
	// Differing are the first 100 of the part that are not in sync.
	Differing []DifferingTenant
	// Repaired is how many tenants were told their state again.
	Repaired int
	// Report is the full report so far; nil if this is no part of one.
	Report *FullReport
}

// FullReport is how far a full report has come.
type FullReport struct {
	ID       string
	Complete bool
	Outcomes DriftOutcomes
	// Held says that too much of the report differs for it to be believed, so that
	// nothing is repaired until a person does it.
	Held bool
}

// DifferingTenant is a tenant that does not have what the application was told.
type DifferingTenant struct {
	Code     string       `json:"code"`
	Outcome  DriftOutcome `json:"outcome"`
	Sequence int64        `json:"sequence"`
	// Persistent says that a repair was delivered and changed nothing.
	Persistent bool `json:"persistent"`
	// Repaired says that this report had the tenant told its state again. One that waits
	// for its turn, or that was told before, is not.
	Repaired bool                `json:"repaired"`
	Features []FeatureDifference `json:"features"`
}

// FeatureDifference is a feature that is not as the application was told. Expected
// is nil if it is EXTRA, Actual if it is MISSING.
type FeatureDifference struct {
	Code     string        `json:"code"`
	Kind     DriftKind     `json:"kind"`
	Expected *FeatureState `json:"expected"`
	Actual   *FeatureState `json:"actual"`
}

// FeatureState is the value and the quantity of a feature; nil means no limit.
type FeatureState struct {
	Value    string `json:"value"`
	Quantity *int64 `json:"quantity"`
}

// TenantStateSend sends a part of a report, which counts once however often it has to be
// sent. It is for those who put the lines together themselves: the Reporter of package
// webhook does all of it. The client needs the scope standard:write.
func (c *Client) TenantStateSend(ctx context.Context, part TenantStatePart) (*TenantStateResult, error) {
	query := url.Values{"platform": {part.Platform}}
	if part.Report != "" {
		query.Set("report", part.Report)
	}
	if part.Complete {
		query.Set("complete", "true")
	}
	header := http.Header{"Content-Type": {"application/x-ndjson"}}
	if err := markMutation(ctx, header); err != nil {
		return nil, err
	}
	var result *TenantStateResult
	err := c.retry.do(ctx, func(ctx context.Context) error {
		response, err := c.ask(ctx, c.base+"/tenants/state?"+query.Encode(), header, part.Lines)
		if err == nil {
			result, err = readState(response)
		}
		return err
	})
	return result, err
}

func readState(response *response) (*TenantStateResult, error) {
	if response.status != http.StatusOK {
		return nil, stateFailure(response)
	}
	var told struct {
		Outcomes outcomeCounts     `json:"outcomes"`
		Tenants  []DifferingTenant `json:"tenants"`
		Repaired int               `json:"repaired"`
		Report   *struct {
			ID       string        `json:"id"`
			Complete bool          `json:"complete"`
			Outcomes outcomeCounts `json:"outcomes"`
			Held     bool          `json:"held"`
		} `json:"report"`
	}
	if err := json.Unmarshal(response.body, &told); err != nil {
		return nil, fmt.Errorf("tenantry: the answer to a report cannot be read, is the base URL right? %w", err)
	}
	result := &TenantStateResult{Outcomes: told.Outcomes.typed(), Differing: told.Tenants, Repaired: told.Repaired}
	if r := told.Report; r != nil {
		result.Report = &FullReport{r.ID, r.Complete, r.Outcomes.typed(), r.Held}
	}
	return result, nil
}

// stateFailure is why a part does not count: what the server says about it, or the
// status if that is not its own answer or may be another at the next try.
func stateFailure(response *response) error {
	var told struct {
		Errors Errors `json:"errors"`
	}
	if passingStatus(response.status) || json.Unmarshal(response.body, &told) != nil || len(told.Errors) == 0 {
		return response.failure()
	}
	if wait, asked := retryAfter(response.header, time.Now()); asked && response.status == http.StatusConflict {
		return &stillRunning{errors: told.Errors, wait: wait} // the first try with this key
	}
	return told.Errors
}

// outcomeCounts are counts by outcome, as they are in an answer.
type outcomeCounts map[DriftOutcome]int

func (c outcomeCounts) typed() DriftOutcomes {
	return DriftOutcomes{
		InSync: c[DriftOutcomeInSync], Behind: c[DriftOutcomeBehind], Drifted: c[DriftOutcomeDrifted],
		Ahead: c[DriftOutcomeAhead], UnknownTenant: c[DriftOutcomeUnknownTenant], Missing: c[DriftOutcomeMissing],
	}
}
