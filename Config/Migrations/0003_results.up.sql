-- Provenance results, with the evidence that each was decided on.

-- Written once, by capture_settle_v1, and never changed.
CREATE TABLE captures (
    id uuid PRIMARY KEY,
    device_id uuid NOT NULL,
    key_id bytea CHECK (octet_length(key_id) = 32),
    verdict text NOT NULL CHECK (verdict IN ('verified', 'rejected')),
    reason text,
    confidence text NOT NULL CHECK (confidence IN ('none', 'low', 'medium', 'high')),
    counter bigint CHECK (counter BETWEEN 0 AND 4294967295),
    counter_policy text NOT NULL,
    binding text NOT NULL,
    photo_digest bytea NOT NULL CHECK (octet_length(photo_digest) = 32),
    depth_digest bytea NOT NULL CHECK (octet_length(depth_digest) = 32),
    metadata_digest bytea NOT NULL CHECK (octet_length(metadata_digest) = 32),
    photo_bytes bigint NOT NULL CHECK (photo_bytes >= 0),
    depth_bytes bigint NOT NULL CHECK (depth_bytes >= 0),
    assertion bytea NOT NULL,
    metadata bytea NOT NULL,
    -- Check name → {"outcome", "reason"?}; the counter's is always there.
    checks jsonb NOT NULL CHECK (checks -> 'counter' IS NOT NULL),
    attempts integer NOT NULL CHECK (attempts > 0),
    redriven boolean NOT NULL,
    -- What was known of the device at the time.
    level text NOT NULL CHECK (level IN ('secure_enclave', 'unverified')),
    environment text,
    app_id text,
    trust_root text,
    captured_at timestamptz,
    received_at timestamptz NOT NULL,
    verified_at timestamptz NOT NULL,
    -- Taken under the key's lock: the order of a key's results, batch by batch.
    settled_at timestamptz NOT NULL,
    processor_version text NOT NULL,
    -- What the assertion signs. With concat-v1 the digests of photo and depth map do not tell it: without it no signature
    -- could be looked at again once the bytes are gone.
    client_data_hash bytea NOT NULL CHECK (octet_length(client_data_hash) = 32),
    -- What a counter that is none above all others was compared with: the highest one accepted before. The key's own moves
    -- on with every capture, and beside a replay of last week says nothing.
    counter_highest bigint,
    CONSTRAINT captures_verified CHECK (verdict <> 'verified'
        OR (reason IS NULL AND confidence <> 'none' AND key_id IS NOT NULL
            -- A CHECK lets NULL pass: hence both.
            AND counter IS NOT NULL AND counter > 0)),
    CONSTRAINT captures_rejected CHECK (verdict <> 'rejected' OR (reason IS NOT NULL AND confidence = 'none')),
    CONSTRAINT captures_unattested CHECK (level = 'secure_enclave' OR confidence <> 'high')
);

CREATE TRIGGER captures_kept BEFORE UPDATE OR DELETE ON captures FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER captures_not_emptied BEFORE TRUNCATE ON captures EXECUTE FUNCTION refuse_change();

-- An accepted capture uses its counter up. By key and counter, never by the assertion's bytes: signatures are malleable.
CREATE UNIQUE INDEX captures_counter_used ON captures (key_id, counter) WHERE verdict = 'verified';

-- What operators page through and search: newest first by the time of receipt, each filter by an index of its own, so that
-- the first page and the ten thousandth cost the same, however many results there are.

-- A list by verdict is one by confidence: rejected ones have 'none', verified ones one of the other three.
CREATE INDEX captures_by_confidence ON captures (confidence, received_at DESC, id DESC);
CREATE INDEX captures_by_device ON captures (device_id, confidence, received_at DESC, id DESC);
CREATE INDEX captures_by_reason ON captures (reason, received_at DESC, id DESC) WHERE reason IS NOT NULL;
-- The rejected captures of one device for one reason, however many there are of other reasons.
CREATE INDEX captures_of_device_by_reason ON captures (device_id, reason, received_at DESC, id DESC)
    WHERE reason IS NOT NULL;
-- The captures of one photo, oldest first. A hash index would have all of them in one chain of pages, which each further one
-- has to walk: who sends the same photo over and over would make every result of it dearer.
CREATE INDEX captures_of_photo ON captures (photo_digest, received_at, id);

-- Statistics of what statements look for, and of nothing else. ANALYZE comes again and again while this table grows, and
-- taking every column apart, evidence and documents with the rest, cost as much as every third result that was written
-- meanwhile. Statements go by indexes whatever the statistics say; a tenth of the usual sample is plenty for them.
-- A column that is added later gets 0 as well, unless it is looked for.
ALTER TABLE captures
    ALTER id SET STATISTICS 10, ALTER device_id SET STATISTICS 10, ALTER key_id SET STATISTICS 10,
    ALTER verdict SET STATISTICS 10, ALTER reason SET STATISTICS 10, ALTER confidence SET STATISTICS 10,
    ALTER counter SET STATISTICS 10, ALTER photo_digest SET STATISTICS 10, ALTER received_at SET STATISTICS 10,

    ALTER counter_policy SET STATISTICS 0, ALTER binding SET STATISTICS 0, ALTER depth_digest SET STATISTICS 0,
    ALTER metadata_digest SET STATISTICS 0, ALTER photo_bytes SET STATISTICS 0, ALTER depth_bytes SET STATISTICS 0,
    ALTER assertion SET STATISTICS 0, ALTER metadata SET STATISTICS 0, ALTER checks SET STATISTICS 0,
    ALTER attempts SET STATISTICS 0, ALTER redriven SET STATISTICS 0, ALTER level SET STATISTICS 0,
    ALTER environment SET STATISTICS 0, ALTER app_id SET STATISTICS 0, ALTER trust_root SET STATISTICS 0,
    ALTER captured_at SET STATISTICS 0, ALTER verified_at SET STATISTICS 0, ALTER settled_at SET STATISTICS 0,
    ALTER processor_version SET STATISTICS 0, ALTER client_data_hash SET STATISTICS 0,
    ALTER counter_highest SET STATISTICS 0;
