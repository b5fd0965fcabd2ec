-- The intake ledger: what gateways have accepted, committed before it is answered with 202.
--
-- A row is open until its capture has a result. From the open rows the queue is made whole again when Redis has lost data.
-- The row of a verified capture is deleted with its result: the result tells the bundle's first id from then on, for ever.
-- Other rows are closed: they let a bundle that is sent again be recognised for a while, and are purged then.
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
    -- By the gateway's clock.
    received_at timestamptz NOT NULL,
    traceparent text,
    -- Where the bytes are.
    bundle_store text NOT NULL,
    -- By the record's clock.
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- When it was seen among the dead letters: brought back after that, it says that it is redriven.
    buried_at timestamptz,
    closed_at timestamptz,
    -- When somebody read the row in order to enqueue its capture. A gateway whose upload was refused takes its row back
    -- only while nobody has: else it would take back what another one, or the reconciler, has just put into the queue. Row
    -- locks decide who comes first.
    claimed_at timestamptz
);

-- The same bundle is the same capture, whichever gateway is asked.
CREATE UNIQUE INDEX intake_bundle ON intake (bundle_digest);
-- The open rows in the order of acceptance.
CREATE INDEX intake_open ON intake (place) WHERE closed_at IS NULL;
-- The closed rows in the order in which they are purged.
CREATE INDEX intake_closed ON intake (closed_at) WHERE closed_at IS NOT NULL;
-- What operators page through and search. Those without a result are few, and so are these entries.
CREATE INDEX intake_open_newest ON intake (received_at DESC, capture_id DESC) WHERE closed_at IS NULL;
CREATE INDEX intake_open_of_device ON intake (device_id, received_at DESC, capture_id DESC) WHERE closed_at IS NULL;

-- Statistics of what statements look for, and of nothing else, as of captures.
ALTER TABLE intake
    ALTER capture_id SET STATISTICS 10, ALTER place SET STATISTICS 10, ALTER bundle_digest SET STATISTICS 10,
    ALTER device_id SET STATISTICS 10, ALTER photo_digest SET STATISTICS 10, ALTER received_at SET STATISTICS 10,
    ALTER closed_at SET STATISTICS 10,

    ALTER binding SET STATISTICS 0, ALTER assertion SET STATISTICS 0, ALTER metadata SET STATISTICS 0,
    ALTER depth_digest SET STATISTICS 0, ALTER photo_bytes SET STATISTICS 0, ALTER depth_bytes SET STATISTICS 0,
    ALTER traceparent SET STATISTICS 0, ALTER bundle_store SET STATISTICS 0, ALTER recorded_at SET STATISTICS 0,
    ALTER buried_at SET STATISTICS 0, ALTER claimed_at SET STATISTICS 0;

-- The counter that an assertion names, read where the encoding of every phone so far has it: behind the key
-- `authenticatorData` a byte string of less than 256 bytes, in it four bytes after hash and flags. NULL where there is
-- none. Good enough to look for a result by, which is then compared with the bundle.
--
-- One expression, and not STRICT: PostgreSQL puts it into the statement, and calls no function for each capture.
CREATE FUNCTION assertion_counter(assertion bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    -- From where the key begins (1): 18 bytes of key, one that says a byte string, its length, 32 of hash, one of flags.
    SELECT CASE WHEN octet_length(assertion)
            >= nullif(position('\x7161757468656e74696361746f724461746158'::bytea IN assertion), 0) + 56
        THEN ('x' || encode(substring(assertion
            FROM position('\x7161757468656e74696361746f724461746158'::bytea IN assertion) + 53 FOR 4), 'hex'))::bit(32)::bigint
    END
$$;

-- capture_intake_v1: records a group of uploads in one round trip and one transaction.
--
-- The arrays are parallel, one element per upload. Per upload, in the same order, it answers under which id the bundle is
-- accepted: the given one, or that of the first time. It answers nothing for an upload if the row that stood against it was
-- withdrawn at this very moment: asked again, it is recorded.
--
-- The bundle of a verified capture is not recorded again: it is told under that capture's id, as closed, for as long as its
-- result is there. Called a replay, it would be a genuine capture that is refused. It is the same bundle
-- - whatever bytes its assertion came in: of one signature anybody can make a second one, and put what nobody signed beside
--   it. Whoever sends such a bundle first would have the genuine one called a replay. What is signed is the same where key,
--   counter, binding, media and metadata are: the client data hash is made of these;
-- - whatever binding it is sent under the second time, if it is the very same bytes;
-- - whichever registration of the key has sent it first: one that has taken another's place is the same phone under another
--   id, and sends what it had sent before.
-- With anything else changed it is a bundle of its own, and a replay. Whether the signature of other bytes is good the
-- database cannot see. A gateway that finds it is not records the upload by its bundle digest alone, as of a capture of its
-- own: else anybody could be told of a device's capture, who has its media and metadata and no signature.
--
-- Results are looked for after the rows are in. A result comes in the transaction that deletes its row: looked for before
-- that, it would not be there yet, and its row no longer be in the way when the new one is inserted.
--
-- Places follow the order of the arrays, which is that of arrival: a device may have two uploads on their way at once. Rows
-- are inserted in the order of their digests, so that groups of two gateways never wait for each other in a circle. The same
-- upload recorded twice at the same moment is no fault: its id may be found taken before its digest is.
--
-- For a row that another transaction is changing it waits only for a moment. A claim of a gateway that stands still, or an
-- operator in an open transaction, may keep the earlier row of one bundle for long, and a group of uploads waits and fails
-- as a whole. After a short wait the gateway divides the group, so that only the uploads of this bundle are refused. The first
-- wait is long enough for a result that is being committed. The parts need not wait as long again: they name a shorter time.
CREATE FUNCTION capture_intake_v1(
    id_of uuid[], -- the capture's id if the bundle is new
    bundle_digest_of bytea[],
    device_of uuid[],
    binding_of text[],
    assertion_of bytea[],
    metadata_of bytea[],
    photo_digest_of bytea[],
    depth_digest_of bytea[],
    photo_bytes_of bigint[], -- how many bytes the photo has
    depth_bytes_of bigint[], -- how many bytes the depth map has
    received_of timestamptz[],
    traceparent_of text[],
    bundle_store_of text[], -- where the bytes are
    lock_wait integer DEFAULT NULL, -- how many milliseconds it waits for a row at most, or NULL: as set below
    by_digest_alone boolean DEFAULT false -- whether no result is looked for: the signatures are bad
) RETURNS TABLE (
    number bigint, -- which upload, from 1
    first_id uuid, -- the id under which the bundle is accepted
    is_open boolean, -- whether that capture still waits for its result
    is_claimed boolean -- whether somebody has read its row in order to enqueue it
)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
SET lock_timeout = '250ms'
AS $$
DECLARE
    -- The captures whose rows are new, and those of them whose bundles have a result.
    fresh uuid[];
    settled uuid[];
BEGIN
    IF lock_wait IS NOT NULL THEN
        -- Until the function ends, as it has a value of its own.
        PERFORM set_config('lock_timeout', lock_wait::text, true);
    END IF;
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
                SELECT captures.id, captures.binding, captures.assertion, captures.metadata, captures.photo_digest,
                    captures.depth_digest
                FROM captures
                WHERE NOT by_digest_alone
                    AND captures.key_id = (SELECT devices.key_id FROM devices WHERE devices.id = upload.device)
                    AND captures.counter = assertion_counter(upload.assertion) AND captures.verdict = 'verified'
                LIMIT 1
            ) AS same
            WHERE same.metadata = upload.metadata AND same.photo_digest = upload.photo
                AND same.depth_digest = upload.depth AND (same.binding = upload.binding OR same.assertion = upload.assertion)
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
