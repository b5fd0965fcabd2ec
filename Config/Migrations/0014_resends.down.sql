-- capture_intake_v1: records a group of uploads in one round trip and one transaction.
--
-- As before, and the same upload recorded twice at the same moment is no fault: its id may be found taken before its
-- digest is.
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
BEGIN
    INSERT INTO intake (
        capture_id, bundle_digest, device_id, binding, assertion, metadata, photo_digest, depth_digest, photo_bytes,
        depth_bytes, received_at, traceparent, bundle_store, place
    )
    OVERRIDING SYSTEM VALUE
    SELECT
        arrival.id, arrival.digest, arrival.device, arrival.binding, arrival.assertion, arrival.metadata, arrival.photo,
        arrival.depth, arrival.photo_bytes, arrival.depth_bytes, arrival.received_at, arrival.traceparent,
        arrival.bundle_store, arrival.place
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
    ON CONFLICT DO NOTHING;

    -- A statement of its own: it sees what stood against the first one, whoever committed it in the meantime.
    RETURN QUERY
    SELECT upload.number, intake.capture_id, intake.closed_at IS NULL, intake.claimed_at IS NOT NULL
    FROM unnest(bundle_digest_of) WITH ORDINALITY AS upload (digest, number)
    JOIN intake ON intake.bundle_digest = upload.digest
    ORDER BY upload.number;
END
$$;

DROP FUNCTION assertion_counter(bytea);
