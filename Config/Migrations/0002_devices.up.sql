-- Keys with their counters, and the devices that were registered with them.

-- A key's counters. They outlive every registration of the key and never go down: one key can be registered twice.
CREATE TABLE counters (
    key_id bytea PRIMARY KEY CHECK (octet_length(key_id) = 32),
    -- The highest counter of an accepted capture; 0: none yet (assertions count from 1). Only capture_settle_v1 moves it.
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

-- Registrations, with the evidence that each was decided on. Whoever changes one locks its key's counters first, so that
-- nobody waits in a circle.
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
    -- What the counters of a superseded registration's captures are compared with: the key's highest one when it was
    -- superseded, and its own ones that were accepted since. In force, it goes by the key's: NULL.
    superseded_highest bigint CHECK (superseded_highest BETWEEN 0 AND 4294967295),
    -- Since when the key may have been in other hands: its results from then on are marked when they are read.
    compromised_since timestamptz,
    compromised_reason text,
    compromised_by text,
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
        AND (superseded_highest IS NULL) = (superseded_by IS NULL)
        AND (superseded_by IS NULL OR (level = 'unverified' AND superseded_by <> id))),
    CONSTRAINT devices_compromised CHECK (
        (compromised_since IS NULL) = (compromised_reason IS NULL)
        AND (compromised_since IS NULL) = (compromised_by IS NULL)
        AND (compromised_since IS NULL OR revoked_at IS NOT NULL))
);

-- At most one registration of a key is in force.
CREATE UNIQUE INDEX devices_key_in_force ON devices (key_id) WHERE superseded_by IS NULL;
CREATE INDEX devices_newest_first ON devices (registered_at DESC, id DESC);
-- Every registration of a key, for whoever notes that it was in other hands.
CREATE INDEX devices_of_key ON devices (key_id);
-- Registrations that have ended, by the moment: to find those whose moment lies ahead of the clock.
CREATE INDEX devices_ended ON devices (least(revoked_at, superseded_at))
    WHERE least(revoked_at, superseded_at) IS NOT NULL;

-- All that a device was registered with is kept. The rest is decided about it afterwards: its root, revocation, compromise
-- and succession. Of two moments of a revocation, or of a compromise, the earlier one holds.
CREATE FUNCTION devices_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
END
$$;

CREATE TRIGGER devices_kept BEFORE UPDATE ON devices FOR EACH ROW
    WHEN ((OLD.id, OLD.key_id, OLD.algorithm, OLD.public_key, OLD.level, OLD.environment, OLD.app_id,
            OLD.unverified_reason, OLD.platform, OLD.model, OLD.has_lidar, OLD.attestation_object,
            OLD.client_data_hash, OLD.certificate_chain, OLD.receipt, OLD.os_version, OLD.validation_category,
            OLD.bundle_version, OLD.registered_at)
        IS DISTINCT FROM (NEW.id, NEW.key_id, NEW.algorithm, NEW.public_key, NEW.level, NEW.environment, NEW.app_id,
            NEW.unverified_reason, NEW.platform, NEW.model, NEW.has_lidar, NEW.attestation_object,
            NEW.client_data_hash, NEW.certificate_chain, NEW.receipt, NEW.os_version, NEW.validation_category,
            NEW.bundle_version, NEW.registered_at))
    EXECUTE FUNCTION devices_refuse_change('what a device was registered with is never changed');

CREATE TRIGGER devices_revocation_kept BEFORE UPDATE ON devices FOR EACH ROW
    WHEN (OLD.revoked_at IS NOT NULL AND (NEW.revoked_at < OLD.revoked_at) IS NOT TRUE
        AND (OLD.revoked_at, OLD.revoked_reason, OLD.revoked_by)
        IS DISTINCT FROM (NEW.revoked_at, NEW.revoked_reason, NEW.revoked_by))
    EXECUTE FUNCTION devices_refuse_change('a revocation changes only to an earlier moment');

CREATE TRIGGER devices_compromise_kept BEFORE UPDATE ON devices FOR EACH ROW
    WHEN (OLD.compromised_since IS NOT NULL AND (NEW.compromised_since < OLD.compromised_since) IS NOT TRUE
        AND (OLD.compromised_since, OLD.compromised_reason, OLD.compromised_by)
        IS DISTINCT FROM (NEW.compromised_since, NEW.compromised_reason, NEW.compromised_by))
    EXECUTE FUNCTION devices_refuse_change('a compromise changes only to an earlier moment');

-- Attestations of a registered key after the first one, with their evidence. Rows are never changed.
CREATE TABLE attestations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    device_id uuid NOT NULL REFERENCES devices (id),
    -- When it was good, by the gateway's clock, and no later than it is kept.
    attested_at timestamptz NOT NULL,
    -- By the record's clock: a result's evidence names no attestation that was kept after it.
    kept_at timestamptz NOT NULL,
    attestation_object bytea NOT NULL,
    client_data_hash bytea NOT NULL,
    certificate_chain bytea[] NOT NULL,
    receipt bytea,
    trust_root text NOT NULL,
    model text NOT NULL,
    os_version text,
    validation_category integer,
    bundle_version text
);

CREATE INDEX attestations_by_device ON attestations (device_id, id);

-- Whatever is given, it is kept now. With the key's lock, as settling has it: no result is written between this moment and the
-- commit.
CREATE FUNCTION attestations_keep_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM counters
    WHERE counters.key_id = (SELECT devices.key_id FROM devices WHERE devices.id = NEW.device_id)
    FOR NO KEY UPDATE;
    NEW.kept_at := clock_timestamp();
    NEW.attested_at := least(NEW.attested_at, NEW.kept_at);
    RETURN NEW;
END
$$;

CREATE TRIGGER attestations_timed BEFORE INSERT ON attestations FOR EACH ROW EXECUTE FUNCTION attestations_keep_time();
CREATE TRIGGER attestations_kept BEFORE UPDATE OR DELETE ON attestations FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER attestations_not_emptied BEFORE TRUNCATE ON attestations EXECUTE FUNCTION refuse_change();

-- A device's root changes only to that of its latest attestation, which is kept first.
CREATE FUNCTION devices_refuse_root() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.trust_root IS DISTINCT FROM (
        SELECT attestations.trust_root FROM attestations
        WHERE attestations.device_id = NEW.id ORDER BY attestations.id DESC LIMIT 1
    ) THEN
        RAISE EXCEPTION 'the latest attestation of the device does not name this root'
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER devices_root_kept BEFORE UPDATE ON devices FOR EACH ROW
    WHEN (NEW.trust_root IS DISTINCT FROM OLD.trust_root) EXECUTE FUNCTION devices_refuse_root();

-- A result can be checked as long as its device's attestation is there, and a counter is good once as long as its key's row
-- is. TRUNCATE needs no trigger of its own: it takes attestations with it, whose trigger refuses it, or is refused.
CREATE TRIGGER counters_not_deleted BEFORE DELETE ON counters FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER devices_not_deleted BEFORE DELETE ON devices FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- What Apple's DeviceCheck said of devices that registered without App Attest.
CREATE TABLE device_checks (
    device_id uuid PRIMARY KEY REFERENCES devices (id),
    -- unknown is never the same as never_set.
    standing text NOT NULL CHECK (standing IN ('unknown', 'never_set', 'set')),
    bit0 boolean,
    bit1 boolean,
    -- The month in which the bits were set.
    last_update text CHECK (last_update ~ '^[0-9]{4}-[0-9]{2}$'),
    -- Why it is unknown.
    reason text,
    checked_at timestamptz NOT NULL,
    CONSTRAINT device_checks_set CHECK ((standing = 'set') = (bit0 IS NOT NULL)
        AND (standing = 'set') = (bit1 IS NOT NULL) AND (standing = 'set') = (last_update IS NOT NULL)),
    CONSTRAINT device_checks_unknown CHECK ((standing = 'unknown') = (reason IS NOT NULL))
);
