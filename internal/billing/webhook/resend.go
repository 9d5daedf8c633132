package webhook

import "time"

// Reached is the number of the newest state that the application has been told
// or will be by what waits. resent is the highest number of what was queued
// again behind the newest event, 0 if nothing was. To send anything older takes
// the tenant back in time.
func (l *Stream) Reached(resent int) int {
	reached := max(l.HighestSequence, resent)
	if l.NewestPosition > l.DonePosition {
		reached = max(reached, l.LastSequence)
	}
	return reached
}

// NextAttempt is when the next request for a delivery in that state is due, nil
// if that depends on something else than time.
func (l *Stream) NextAttempt(d *Delivery, state DeliveryState) *time.Time {
	isHead := d.Position == l.Head()
	if !isHead || state != StatePending && state != StateRetryWait {
		return nil
	}
	return l.DueAt
}

// ProvisioningStatus says how far an application is up to date about a tenant.
type ProvisioningStatus struct {
	InSync            bool
	DesiredSequence   int
	DeliveredSequence int
	LastError         *string
	LastDeliveredAt   *time.Time
}

// Status is what a stream says about its tenant. A tenant without one was never
// told anything, and there is nothing to tell.
func (l *Stream) Status() ProvisioningStatus {
	if l == nil {
		return ProvisioningStatus{InSync: true}
	}
	return ProvisioningStatus{
		InSync: l.InSync(), DesiredSequence: l.LastSequence, DeliveredSequence: l.DeliveredSequence,
		LastError: l.LastError, LastDeliveredAt: l.DeliveredAt,
	}
}
