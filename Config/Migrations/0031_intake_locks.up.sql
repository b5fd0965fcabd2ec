-- One order of locks for the rows of a batch, whatever is to become of them: that of their ids. Others lock some of them at
-- once, too, and whoever takes two rows the other way round closes a circle.

-- Deletes or closes the rows of captures in the transaction that writes their results, whichever release of a worker runs
-- it. Deleted are those that capture_intake_v1 finds by their results: verified, of the row's very bytes, and with a
-- counter that the database can read itself.
--
-- Row by row by the index, which OFFSET sees to, or by an array of ids. Most of the time there are next to no rows, and
-- PostgreSQL believes so when there are many: left to join as it likes, it would go through all of them for every batch.
-- An index gives the rows of an array in the order of their ids, and a bitmap in that of their places in the table.
CREATE OR REPLACE FUNCTION intake_close() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
DECLARE
    ids uuid[] := ARRAY(SELECT id FROM settled);
    -- Looked for before anything is locked, which alone tells whether one statement is to do.
    deletable uuid[] := ARRAY(
        SELECT same.capture_id
        FROM settled
        CROSS JOIN LATERAL (
            SELECT intake.capture_id
            FROM intake
            WHERE intake.capture_id = settled.id
                AND intake.device_id = settled.device_id AND intake.photo_digest = settled.photo_digest
                AND intake.depth_digest = settled.depth_digest AND intake.assertion = settled.assertion
                AND intake.metadata = settled.metadata
            OFFSET 0
        ) AS same
        WHERE settled.verdict = 'verified' AND assertion_counter(settled.assertion) = settled.counter
    );
BEGIN
    IF cardinality(deletable) = cardinality(ids) THEN
        DELETE FROM intake WHERE capture_id = ANY (deletable);
    ELSE
        -- What one statement is to close may come before what the other has deleted.
        PERFORM FROM intake WHERE capture_id = ANY (ids) ORDER BY capture_id FOR UPDATE;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
        DELETE FROM intake WHERE capture_id = ANY (deletable);
        UPDATE intake SET closed_at = clock_timestamp(), assertion = '', metadata = ''
        WHERE capture_id = ANY (ids);
    END IF;
    RETURN NULL;
END
$$;
