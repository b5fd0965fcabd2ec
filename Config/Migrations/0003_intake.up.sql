-- The intake ledger: what gateways have accepted, committed before it is answered with 202.
--
-- A row is open until its capture has a result. From the open rows the queue is made whole again when Redis has lost
-- data; the closed ones let a bundle that is sent again be recognised for a while, and are purged then.
CREATE TABLE intake (
    capture_id uuid PRIMARY KEY,
    -- The order of acceptance. A device's next capture is sent after the answer to the one before, which is after its
    -- commit: whatever the gateways' clocks say, the later capture has the higher place.
    place bigint GENERATED ALWAYS AS IDENTITY,
    bundle_digest bytea NOT NULL CHECK (octet_length(bundle_digest) = 32),
    device_id uuid NOT NULL,
    binding text NOT NULL,
    -- Both are emptied when the row is closed: the result keeps them.
    assertion bytea NOT NULL,
    metadata bytea NOT NULL,
    photo_digest bytea NOT NULL CHECK (octet_length(photo_digest) = 32),
    depth_digest bytea NOT NULL CHECK (octet_length(depth_digest) = 32),
    photo_bytes bigint NOT NULL CHECK (photo_bytes >= 0),
    depth_bytes bigint NOT NULL CHECK (depth_bytes >= 0),
    received_at timestamptz NOT NULL,
    traceparent text,
    -- Where the bytes are.
    bundle_store text NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- When it was seen among the dead letters: brought back after that, it says that it is redriven.
    buried_at timestamptz,
    closed_at timestamptz
);

-- The same bundle is the same capture, whichever gateway is asked.
CREATE UNIQUE INDEX intake_bundle ON intake (bundle_digest);
-- The open rows in the order of acceptance.
CREATE INDEX intake_open ON intake (place) WHERE closed_at IS NULL;
-- The closed rows in the order in which they are purged.
CREATE INDEX intake_closed ON intake (closed_at) WHERE closed_at IS NOT NULL;

-- capture_intake_v1: records a group of uploads in one round trip and one transaction.
--
-- The arrays are parallel, one element per upload. Answers, per upload in the same order: under which id the bundle is
-- accepted (the given one, or that of the first time), and whether that capture still waits for its result. Nothing
-- when the row that stood against it was withdrawn at this very moment: asked again, it is recorded.
--
-- Rows are inserted in the order of their digests, so that groups of two gateways never wait for each other in a circle.
CREATE FUNCTION capture_intake_v1(
    id_of uuid[], bundle_digest_of bytea[], device_of uuid[], binding_of text[], assertion_of bytea[],
    metadata_of bytea[], photo_digest_of bytea[], depth_digest_of bytea[], photo_bytes_of bigint[],
    depth_bytes_of bigint[], received_of timestamptz[], traceparent_of text[], bundle_store_of text[]
) RETURNS TABLE (number bigint, first_id uuid, is_open boolean)
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
        depth_bytes, received_at, traceparent, bundle_store
    )
    SELECT *
    FROM unnest(
        id_of, bundle_digest_of, device_of, binding_of, assertion_of, metadata_of, photo_digest_of, depth_digest_of,
        photo_bytes_of, depth_bytes_of, received_of, traceparent_of, bundle_store_of
    ) AS upload (
        id, digest, device, binding, assertion, metadata, photo_digest, depth_digest, photo_bytes, depth_bytes,
        received_at, traceparent, bundle_store
    )
    ORDER BY upload.digest
    ON CONFLICT (bundle_digest) DO NOTHING;

    -- A statement of its own: it sees what stood against the first one, whoever committed it in the meantime.
    RETURN QUERY
    SELECT upload.number, intake.capture_id, intake.closed_at IS NULL
    FROM unnest(bundle_digest_of) WITH ORDINALITY AS upload (digest, number)
    JOIN intake ON intake.bundle_digest = upload.digest
    ORDER BY upload.number;
END
$$;

-- Closes the rows of captures in the transaction that writes their results, whichever release of a worker runs it.
CREATE FUNCTION intake_close() RETURNS trigger LANGUAGE plpgsql
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

CREATE TRIGGER captures_close_intake AFTER INSERT ON captures
    REFERENCING NEW TABLE AS settled FOR EACH STATEMENT
    EXECUTE FUNCTION intake_close();
