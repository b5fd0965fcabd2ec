-- The record: keys and their counters, devices, provenance results, and who did what.
-- Released migrations are never edited; a change is a new pair of files.

-- A key's counters. They outlive every registration of the key, and never go down: one key can be attested twice.
CREATE TABLE counters (
    key_id bytea PRIMARY KEY CHECK (octet_length(key_id) = 32),
    -- The highest counter of an accepted capture; 0: none yet (assertions count from 1).
    capture_highest bigint NOT NULL DEFAULT 0 CHECK (capture_highest BETWEEN 0 AND 4294967295),
    -- The highest counter of an authenticated request. A stream of its own, since requests overtake queued captures.
    request_highest bigint NOT NULL DEFAULT 0 CHECK (request_highest BETWEEN 0 AND 4294967295),
    -- The latest authenticated capture or request.
    last_seen timestamptz NOT NULL
)
-- Room in each page for the next version of a row: an update then touches no index.
WITH (fillfactor = 60);

CREATE FUNCTION counters_refuse_decrease() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a counter never goes down' USING ERRCODE = 'check_violation', CONSTRAINT = 'counters_increase';
END
$$;

CREATE TRIGGER counters_increase BEFORE UPDATE ON counters FOR EACH ROW
    WHEN (NEW.capture_highest < OLD.capture_highest OR NEW.request_highest < OLD.request_highest
        OR NEW.key_id <> OLD.key_id)
    EXECUTE FUNCTION counters_refuse_decrease();

-- Registrations, with the evidence that each was decided on. Only revocation and succession ever change a row.
CREATE TABLE devices (
    id uuid PRIMARY KEY,
    key_id bytea NOT NULL REFERENCES counters (key_id),
    algorithm text NOT NULL CHECK (algorithm IN ('p256', 'ed25519')),
    public_key bytea CHECK (octet_length(public_key) = CASE algorithm WHEN 'p256' THEN 65 ELSE 32 END),
    level text NOT NULL CHECK (level IN ('secure_enclave', 'unverified')),
    environment text CHECK (environment IN ('production', 'development')),
    app_id text,
    trust_root text,
    unverified_reason text,
    platform text NOT NULL,
    model text NOT NULL,
    has_lidar boolean NOT NULL,
    attestation_object bytea,
    client_data_hash bytea,
    certificate_chain bytea[] NOT NULL DEFAULT '{}',
    receipt bytea,
    os_version text,
    validation_category integer,
    bundle_version text,
    registered_at timestamptz NOT NULL,
    revoked_at timestamptz,
    revoked_reason text,
    revoked_by text,
    superseded_at timestamptz,
    superseded_by uuid REFERENCES devices (id) DEFERRABLE INITIALLY DEFERRED,
    -- What is called attested names everything that it was attested by and with.
    CONSTRAINT devices_attested CHECK (level <> 'secure_enclave' OR (
        algorithm = 'p256' AND public_key IS NOT NULL AND environment IS NOT NULL AND app_id IS NOT NULL
        AND trust_root IS NOT NULL AND unverified_reason IS NULL
        AND attestation_object IS NOT NULL AND client_data_hash IS NOT NULL)),
    -- What is not attested names no root.
    CONSTRAINT devices_unverified CHECK (level <> 'unverified' OR trust_root IS NULL),
    CONSTRAINT devices_revoked CHECK (
        (revoked_at IS NULL) = (revoked_reason IS NULL) AND (revoked_at IS NULL) = (revoked_by IS NULL)),
    -- Only an unverified registration is ever superseded.
    CONSTRAINT devices_superseded CHECK ((superseded_at IS NULL) = (superseded_by IS NULL)
        AND (superseded_by IS NULL OR (level = 'unverified' AND superseded_by <> id)))
);

-- At most one registration of a key is in force.
CREATE UNIQUE INDEX devices_key_in_force ON devices (key_id) WHERE superseded_by IS NULL;
CREATE INDEX devices_newest_first ON devices (registered_at DESC, id DESC);

-- Provenance results, with the evidence that each was decided on. Written once, by capture_settle_v1, never changed.
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
    CONSTRAINT captures_verified CHECK (verdict <> 'verified'
        OR (reason IS NULL AND confidence <> 'none' AND key_id IS NOT NULL
            -- A CHECK lets NULL pass: hence both.
            AND counter IS NOT NULL AND counter > 0)),
    CONSTRAINT captures_rejected CHECK (verdict <> 'rejected' OR (reason IS NOT NULL AND confidence = 'none')),
    CONSTRAINT captures_unattested CHECK (level = 'secure_enclave' OR confidence <> 'high')
);

-- An accepted capture uses its counter up. By key and counter, never by the assertion's bytes: signatures are malleable.
CREATE UNIQUE INDEX captures_counter_used ON captures (key_id, counter) WHERE verdict = 'verified';

-- Who did what, in the order of commits as near as makes no difference.
CREATE TABLE audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object')
);

CREATE INDEX audit_by_subject ON audit (subject, id);
