-- +goose Up

-- When a payment method was declined for good; null if it was not, or if it was renewed or charged since.
ALTER TABLE payment_method ADD COLUMN refused_at BIGINT;

-- Those whose last attempt was declined for good.
UPDATE payment_method SET refused_at = (SELECT CASE WHEN a.hard THEN a.finished_at END
	FROM payment_collection c JOIN payment_attempt a ON a.payment_collection_id = c.id
	WHERE c.account_id = payment_method.account_id AND c.payment_method_id = payment_method.id
	AND (a.outcome IN ('SUCCEEDED', 'DECLINED') OR a.outcome = 'FAILED' AND a.hard) AND a.finished_at IS NOT NULL
	ORDER BY a.finished_at DESC, a.id DESC LIMIT 1);
