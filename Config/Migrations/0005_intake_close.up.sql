-- What becomes of the ledger's rows when their captures get results.

-- Deletes or closes the rows of captures in the transaction that writes their results. Deleted are those that
-- capture_intake_v1 finds by their results: verified, of the row's very bytes, and with a counter that the database can read
-- itself.
--
-- A result under an open row's id is of the row's capture, or it is refused, with a constraint that is no table's: what the
-- worker brings was in Redis meanwhile, where somebody may have put another capture in its place.
-- Numbers of bytes are not compared: media of the same digests are the same, and a row may have what a hand-off declared.
--
-- Row by row by the index, which OFFSET sees to, or by an array of ids. Most of the time there are next to no rows, and
-- PostgreSQL believes so when there are many: left to join as it likes, it would go through all of them for every batch.
--
-- One order of locks for the rows of a batch, whatever is to become of them: that of their ids. Others lock some of them at
-- once, too, and whoever takes two rows the other way round closes a circle. An index gives the rows of an array in the
-- order of their ids, and a bitmap in that of their places in the table.
CREATE FUNCTION intake_close() RETURNS trigger LANGUAGE plpgsql
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
                AND intake.device_id = settled.device_id AND intake.binding = settled.binding
                AND intake.photo_digest = settled.photo_digest AND intake.depth_digest = settled.depth_digest
                AND intake.assertion = settled.assertion AND intake.metadata = settled.metadata
            OFFSET 0
        ) AS same
        WHERE settled.verdict = 'verified' AND assertion_counter(settled.assertion) = settled.counter
    );
    -- Whether a row is another capture's than its result.
    is_other boolean;
BEGIN
    IF cardinality(deletable) = cardinality(ids) THEN
        DELETE FROM intake WHERE capture_id = ANY (deletable);
    ELSE
        -- What one statement is to close may come before what the other has deleted.
        PERFORM FROM intake WHERE capture_id = ANY (ids) ORDER BY capture_id FOR UPDATE;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
        SELECT EXISTS (
            SELECT FROM settled
            CROSS JOIN LATERAL (
                SELECT FROM intake
                -- Not IS NULL: by id, and not through the index of all that is open.
                WHERE intake.capture_id = settled.id AND coalesce(intake.closed_at, 'infinity') = 'infinity'
                    AND (intake.device_id, intake.binding, intake.photo_digest, intake.depth_digest, intake.assertion,
                        intake.metadata)
                    <> (settled.device_id, settled.binding, settled.photo_digest, settled.depth_digest, settled.assertion,
                        settled.metadata)
                OFFSET 0
            ) AS other
        ) INTO is_other;
        IF is_other THEN
            RAISE EXCEPTION 'the capture''s id is that of another one, which has a row in the ledger'
                USING CONSTRAINT = 'id_of_another_capture_in_ledger';
        END IF;
        DELETE FROM intake WHERE capture_id = ANY (deletable);
        UPDATE intake SET closed_at = clock_timestamp(), assertion = '', metadata = ''
        WHERE capture_id = ANY (ids);
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER captures_close_intake AFTER INSERT ON captures
    REFERENCING NEW TABLE AS settled FOR EACH STATEMENT
    EXECUTE FUNCTION intake_close();
