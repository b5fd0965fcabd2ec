CREATE OR REPLACE FUNCTION intake_close() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
BEGIN
    UPDATE intake SET closed_at = clock_timestamp(), assertion = '', metadata = ''
    FROM settled
    WHERE intake.capture_id = settled.id AND intake.closed_at IS NULL;
    RETURN NULL;
END
$$;
