package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing/email"
)

// TimeZoneSetting is the operator's time zone: days begin at its midnight.
const TimeZoneSetting = "time_zone"

// KeyFingerprintSetting tells the secret key that this database was written
// with from others.
const KeyFingerprintSetting = "secret_key_fingerprint"

// EmailSetting is what becomes of e-mail to customers: an email.Mode.
const EmailSetting = "email"

// txSettings is what a transaction goes by and hardly ever changes. It is read
// once in a transaction, with one statement.
type txSettings struct {
	read    bool
	version int64 // of the catalog
	zone    *string
	// eventEndpoints says that somebody is told of business events.
	eventEndpoints bool
	email          *string
}

// settingsOf returns what the transaction goes by.
func settingsOf(ctx context.Context, q Queries) (txSettings, error) {
	state := stateOf(q)
	if state.settings.read {
		return state.settings, nil
	}
	const text = `SELECT counter.value, (SELECT setting.value FROM setting WHERE setting.name = '` + TimeZoneSetting + `'),
			EXISTS (SELECT 1 FROM platform WHERE ` + isEventEndpoint + ` AND platform.provisioning_enabled),
			(SELECT setting.value FROM setting WHERE setting.name = '` + EmailSetting + `')
		FROM counter WHERE counter.name = 'catalog'`
	s := txSettings{read: true}
	_, err := q.One(ctx, text, nil, &s.version, &s.zone, &s.eventEndpoints, &s.email)
	if err == nil {
		state.settings = s
	}
	return s, err
}

// TimeZone returns the operator's time zone, and whether it is set. Within a
// transaction it is always the same.
func TimeZone(ctx context.Context, q Queries) (name string, set bool, err error) {
	s, err := settingsOf(ctx, q)
	if err != nil || s.zone == nil {
		return "", false, err
	}
	return *s.zone, true, nil
}

// EmailMode returns what becomes of e-mail to customers. In a transaction it is read
// with other settings, at no cost of its own.
func EmailMode(ctx context.Context, q Queries) (email.Mode, error) {
	s, err := settingsOf(ctx, q)
	if err != nil || s.email == nil {
		return email.Off, err
	}
	return email.Mode(*s.email), nil
}
