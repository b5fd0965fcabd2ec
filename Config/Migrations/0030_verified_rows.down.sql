-- Closes the rows of captures in the transaction that writes their results, whichever release of a worker runs it.
--
-- By their ids and nothing else. That the row is open would let PostgreSQL go through the index of all open rows instead,
-- which is the shorter way only as long as there are as few of them as when statistics were last taken: of a queue that
-- was empty then, and is full now, every batch would read everything that waits. A result is written once, so no row is
-- closed twice.
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
    WHERE intake.capture_id = settled.id;
    RETURN NULL;
END
$$;
