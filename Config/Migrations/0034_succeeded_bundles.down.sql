-- capture_intake_v1: records a group of uploads in one round trip and one transaction.
--
-- As before, and results are looked for after the rows are in, for the sake of migration 30, with which a result comes in
-- the transaction that deletes its row: looked for before that, it would not be there yet, and its row no longer be in the
-- way when the new one is inserted. And what is the very same bytes is the same bundle, whatever binding it is sent under
-- the second time.
CREATE OR REPLACE FUNCTION capture_intake_v1(
    id_of uuid[], bundle_digest_of bytea[], device_of uuid[], binding_of text[], assertion_of bytea[],
    metadata_of bytea[], photo_digest_of bytea[], depth_digest_of bytea[], photo_bytes_of bigint[],
    depth_bytes_of bigint[], received_of timestamptz[], traceparent_of text[], bundle_store_of text[]
) RETURNS TABLE (number bigint, first_id uuid, is_open boolean, is_claimed boolean)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
DECLARE
    -- The captures whose rows are new, and those of them whose bundles have a result.
    fresh uuid[];
    settled uuid[];
BEGIN
    WITH kept AS (
        INSERT INTO intake (
            capture_id, bundle_digest, device_id, binding, assertion, metadata, photo_digest, depth_digest,
            photo_bytes, depth_bytes, received_at, traceparent, bundle_store, place
        )
        OVERRIDING SYSTEM VALUE
        SELECT
            arrival.id, arrival.digest, arrival.device, arrival.binding, arrival.assertion, arrival.metadata,
            arrival.photo, arrival.depth, arrival.photo_bytes, arrival.depth_bytes, arrival.received_at,
            arrival.traceparent, arrival.bundle_store, arrival.place
        FROM (
            SELECT upload.*, nextval('intake_place_seq') AS place
            FROM unnest(
                id_of, bundle_digest_of, device_of, binding_of, assertion_of, metadata_of, photo_digest_of,
                depth_digest_of, photo_bytes_of, depth_bytes_of, received_of, traceparent_of, bundle_store_of
            ) WITH ORDINALITY AS upload (
                id, digest, device, binding, assertion, metadata, photo, depth, photo_bytes, depth_bytes, received_at,
                traceparent, bundle_store, number
            )
            ORDER BY upload.number
        ) AS arrival
        ORDER BY arrival.digest, arrival.number
        ON CONFLICT DO NOTHING
        RETURNING capture_id
    )
    SELECT array_agg(kept.capture_id) INTO fresh FROM kept;

    -- A statement of its own: it sees what stood against the first one, or had a result by then, whoever committed it in
    -- the meantime.
    FOR number, first_id, is_open, is_claimed IN
        SELECT upload.number, coalesce(verified.id, earlier.capture_id),
            verified.id IS NULL AND earlier.closed_at IS NULL, verified.id IS NULL AND earlier.claimed_at IS NOT NULL
        FROM unnest(
            bundle_digest_of, device_of, binding_of, assertion_of, metadata_of, photo_digest_of, depth_digest_of
        ) WITH ORDINALITY AS upload (digest, device, binding, assertion, metadata, photo, depth, number)
        LEFT JOIN LATERAL (
            SELECT same.id
            FROM (
                -- The one that has used the counter up, by the index of these: there is no other one to compare with.
                -- LIMIT keeps the comparison outside, or else it might be looked for by its photo, which others may have
                -- too.
                SELECT captures.id, captures.device_id, captures.binding, captures.assertion, captures.metadata,
                    captures.photo_digest, captures.depth_digest
                FROM captures
                WHERE captures.key_id = (SELECT devices.key_id FROM devices WHERE devices.id = upload.device)
                    AND captures.counter = assertion_counter(upload.assertion) AND captures.verdict = 'verified'
                LIMIT 1
            ) AS same
            WHERE same.device_id = upload.device AND same.metadata = upload.metadata
                AND same.photo_digest = upload.photo AND same.depth_digest = upload.depth
                AND (same.binding = upload.binding OR same.assertion = upload.assertion)
        ) AS verified ON true
        LEFT JOIN LATERAL (
            SELECT intake.capture_id, intake.closed_at, intake.claimed_at
            FROM intake
            WHERE intake.bundle_digest = upload.digest
            -- For each upload by the index, as above: a plan that was made of few rows might go through all of them.
            OFFSET 0
        ) AS earlier ON true
        WHERE verified.id IS NOT NULL OR earlier.capture_id IS NOT NULL
        ORDER BY upload.number
    LOOP
        IF NOT is_open AND id_of[number] = ANY (fresh) THEN
            settled := settled || id_of[number];
        END IF;
        RETURN NEXT;
    END LOOP;
    IF settled IS NOT NULL THEN
        DELETE FROM intake WHERE intake.capture_id = ANY (settled);
    END IF;
END
$$;
