-- capture_intake_v1: records a group of uploads in one round trip and one transaction.
--
-- As before, and the bundle of a verified capture is told under that capture's id whatever bytes its assertion came in:
-- of one signature anybody can make a second one, and put what nobody signed beside it. Whoever sends such a bundle first
-- would have the genuine one called a replay. What is signed is the same where device, counter, media and metadata are:
-- the client data hash is made of these.
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
    -- Parallel to the arguments: the verified capture of the same signed bytes.
    settled_of uuid[];
BEGIN
    SELECT array_agg(settled.id ORDER BY upload.number) INTO settled_of
    FROM unnest(device_of, binding_of, assertion_of, metadata_of, photo_digest_of, depth_digest_of)
        WITH ORDINALITY AS upload (device, binding, assertion, metadata, photo, depth, number)
    LEFT JOIN LATERAL (
        SELECT same.id
        FROM (
            -- The one that has used the counter up, by the index of these: there is no other one to compare with. LIMIT
            -- keeps the comparison outside, or else it might be looked for by its photo, which others may have too.
            SELECT captures.id, captures.device_id, captures.binding, captures.metadata, captures.photo_digest,
                captures.depth_digest
            FROM captures
            WHERE captures.key_id = (SELECT devices.key_id FROM devices WHERE devices.id = upload.device)
                AND captures.counter = assertion_counter(upload.assertion) AND captures.verdict = 'verified'
            LIMIT 1
        ) AS same
        WHERE same.device_id = upload.device AND same.binding = upload.binding AND same.metadata = upload.metadata
            AND same.photo_digest = upload.photo AND same.depth_digest = upload.depth
    ) AS settled ON true;

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
            depth_digest_of, photo_bytes_of, depth_bytes_of, received_of, traceparent_of, bundle_store_of, settled_of
        ) WITH ORDINALITY AS upload (
            id, digest, device, binding, assertion, metadata, photo, depth, photo_bytes, depth_bytes, received_at,
            traceparent, bundle_store, settled, number
        )
        WHERE upload.settled IS NULL
        ORDER BY upload.number
    ) AS arrival
    ORDER BY arrival.digest, arrival.number
    ON CONFLICT DO NOTHING;

    -- A statement of its own: it sees what stood against the first one, whoever committed it in the meantime.
    RETURN QUERY
    SELECT upload.number, coalesce(upload.settled, intake.capture_id),
        upload.settled IS NULL AND intake.closed_at IS NULL, upload.settled IS NULL AND intake.claimed_at IS NOT NULL
    FROM unnest(bundle_digest_of, settled_of) WITH ORDINALITY AS upload (digest, settled, number)
    LEFT JOIN intake ON intake.bundle_digest = upload.digest
    WHERE upload.settled IS NOT NULL OR intake.capture_id IS NOT NULL
    ORDER BY upload.number;
END
$$;
