-- +goose Up

-- The events that were sent to repair tenants, with what each was sent for, as JSON: null if nobody knows it any more. It goes with the event.
CREATE TABLE repair_event (
	event_id INTEGER NOT NULL PRIMARY KEY REFERENCES webhook_event (id) ON DELETE CASCADE,
	platform_id INTEGER NOT NULL,
	repair TEXT NOT NULL
) STRICT;
CREATE INDEX repair_event_platform ON repair_event (platform_id, event_id);
INSERT INTO repair_event (event_id, platform_id, repair)
	SELECT webhook_event.id, webhook_event.platform_id,
		COALESCE((SELECT tenant_drift.last_repair FROM webhook_stream JOIN tenant_drift ON tenant_drift.tenant_id = webhook_stream.subject_id
			WHERE webhook_stream.id = webhook_event.stream_id AND webhook_stream.subject_kind = 'TENANT'
				AND json_extract(tenant_drift.last_repair, '$.sequence') = webhook_event.sequence), 'null')
	FROM webhook_event WHERE webhook_event.reason = 'drift.repair' AND webhook_event.stream_id IS NOT NULL;
