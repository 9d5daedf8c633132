package program

import (
	"encoding/json"

	"github.com/tenantry/tenantry/internal/billing/webhook"
)

// Samples are bodies in which every state and every null appears, for Check.
func Samples() [][]byte {
	var all [][]byte
	for _, state := range webhook.SampleStates() {
		all = append(all, state.Body())
	}
	return all
}

// describe names a sample by the code of its tenant.
func describe(sample []byte) string {
	var body struct {
		Payload struct {
			Tenant struct {
				Code string `json:"code"`
			} `json:"tenant"`
		} `json:"payload"`
	}
	if err := json.Unmarshal(sample, &body); err != nil || body.Payload.Tenant.Code == "" {
		return shorten(string(sample[:min(len(sample), 60)]))
	}
	return "the tenant " + body.Payload.Tenant.Code
}
