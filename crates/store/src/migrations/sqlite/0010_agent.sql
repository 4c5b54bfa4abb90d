-- Why a wake waits that could otherwise run; empty if nothing puts it off.
ALTER TABLE wake_queue ADD COLUMN put_off TEXT;
CREATE INDEX wake_queue_put_off ON wake_queue (ws, put_off) WHERE put_off IS NOT NULL;

-- What a person allowed beyond the budget of a day; since when a scope has no room for the next
-- call, and what that call may cost.
ALTER TABLE spend ADD COLUMN extra BIGINT NOT NULL DEFAULT 0;
ALTER TABLE spend ADD COLUMN held_at BIGINT;
ALTER TABLE spend ADD COLUMN wanted BIGINT NOT NULL DEFAULT 0;
CREATE INDEX spend_held ON spend (ws, day, scope, unit) WHERE held_at IS NOT NULL;

-- Why a provider is not available.
ALTER TABLE breakers ADD COLUMN why TEXT NOT NULL DEFAULT 'outage';
