package invoicing

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// policiesSetting has the policies, and which entity has which, that unpaid invoices
// were last looked at with.
const policiesSetting = "dunning policies"

// policyText tells policies and who has them apart from others.
func (s *sellers) policyText() string {
	var text strings.Builder
	for n := range s.Policies {
		fmt.Fprintf(&text, "%d:%d ", s.Policies[n].ID, s.Policies[n].UpdatedAt.UnixMilli())
	}
	for n := range s.Entities {
		if id := s.Entities[n].DunningPolicyID; id != nil {
			fmt.Fprintf(&text, "%d=%d ", s.Entities[n].ID, *id)
		}
	}
	return text.String()
}

// dunAgain has all open invoices looked at if a policy was changed, or which entity has
// it, since somebody did so the last time.
func (s *Service) dunAgain(ctx context.Context, now time.Time, sellers *sellers, zone *time.Location) error {
	text := sellers.policyText()
	if s.dunned == text {
		return nil
	}
	last, _, err := store.Setting(ctx, s.Read(), policiesSetting)
	if err != nil {
		return err
	}
	if last != text {
		err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			if err := store.SetSetting(ctx, tx, policiesSetting, text); err != nil {
				return err
			}
			return store.DunAgain(ctx, tx, nil, billing.DateOf(now, zone).AddDays(-1))
		})
	}
	if err == nil {
		s.dunned = text
	}
	return err
}
