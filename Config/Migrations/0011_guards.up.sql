-- What a wrong program could still do to the record, and what a device cost that was attested often.

-- Locks in the order in which transactions and statements take them: whoever waits for one of these then holds none that is
-- waited for here. Of devices, which others read at any time, only changes wait.
LOCK TABLE invitations, enrolments, captures;

-- As it was, but for the latest version: the index has a device's attestations that name one behind the others, so that one
-- entry is read from its end, even if none of them names one.
CREATE OR REPLACE VIEW known_devices_v1 AS
SELECT id, key_id, algorithm, public_key, level, environment, app_id, trust_root, unverified_reason, platform, model,
    has_lidar, registered_at,
    least(revoked_at, superseded_at) AS revoked_at,
    risk_metric, risk_metric_at,
    -- Of the latest attestation that names one: what says nothing hides nothing. The empty text names none, either.
    coalesce((
        SELECT nullif(attestations.os_version, '') FROM attestations
        WHERE attestations.device_id BETWEEN devices.id AND devices.id
        ORDER BY attestations.device_id DESC, (nullif(attestations.os_version, '') IS NOT NULL) DESC, attestations.id DESC
        LIMIT 1),
        nullif(devices.os_version, '')) AS latest_os_version
FROM devices LEFT JOIN receipts ON receipts.device_id = devices.id;

LOCK TABLE attestations;
LOCK TABLE devices IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE audit;

-- What attestations say of the app.

CREATE INDEX attestations_by_system ON attestations (device_id, (nullif(os_version, '') IS NOT NULL), id);

-- What the later attestations of a device say of the app, each pair once: a device has few, however often it is attested.
CREATE TABLE attested_apps (
    device_id uuid NOT NULL,
    -- A text of more than 64 bytes is no version (DottedVersion), whatever comes after them, and may be too long for an
    -- index: it is cut behind the 65th character.
    bundle_version text CHECK (length(bundle_version) <= 65),
    validation_category integer
);

INSERT INTO attested_apps (device_id, bundle_version, validation_category)
SELECT DISTINCT device_id, left(bundle_version, 65), validation_category FROM attestations
WHERE bundle_version IS NOT NULL OR validation_category IS NOT NULL;
-- Row by row, as they are filled in, these would take several times as long.
ALTER TABLE attested_apps
    ADD CONSTRAINT attested_apps_once UNIQUE NULLS NOT DISTINCT (device_id, bundle_version, validation_category),
    ADD CONSTRAINT attested_apps_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices (id);

CREATE TRIGGER attested_apps_kept BEFORE UPDATE OR DELETE ON attested_apps
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER attested_apps_not_emptied BEFORE TRUNCATE ON attested_apps EXECUTE FUNCTION refuse_change();

CREATE FUNCTION attested_apps_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO attested_apps (device_id, bundle_version, validation_category)
    VALUES (NEW.device_id, left(NEW.bundle_version, 65), NEW.validation_category)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

CREATE TRIGGER attestations_keep_app AFTER INSERT ON attestations FOR EACH ROW
    WHEN (NEW.bundle_version IS NOT NULL OR NEW.validation_category IS NOT NULL)
    EXECUTE FUNCTION attested_apps_keep();

-- Programs that go on while this is done need on it what they have on attestations.
DO $$
DECLARE
    given record;
BEGIN
    FOR given IN
        SELECT privilege_type AS verb, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS role
        FROM pg_class CROSS JOIN LATERAL aclexplode(relacl)
        WHERE pg_class.oid = 'attestations'::regclass AND grantee <> relowner AND privilege_type IN ('SELECT', 'INSERT')
    LOOP
        EXECUTE format('GRANT %s ON attested_apps TO %s', given.verb, given.role);
    END LOOP;
END
$$;

-- As it was, but for the table.
CREATE OR REPLACE FUNCTION attested_apps_v1(of_device uuid)
RETURNS TABLE (attested_bundle_versions text[], attested_categories integer[])
LANGUAGE sql STABLE
AS $$
    SELECT
        CASE WHEN bool_or(is_first AND version IS NULL) THEN '{}'
            ELSE coalesce(array_agg(DISTINCT version) FILTER (WHERE version IS NOT NULL), '{}') END,
        CASE WHEN bool_or(is_first AND category IS NULL) THEN '{}'
            ELSE coalesce(array_agg(DISTINCT category) FILTER (WHERE category IS NOT NULL), '{}') END
    FROM (
        SELECT bundle_version, validation_category, true FROM devices
        WHERE devices.id = of_device AND devices.level = 'secure_enclave'
        UNION ALL
        SELECT bundle_version, validation_category, false FROM attested_apps WHERE attested_apps.device_id = of_device
    ) AS said (version, category, is_first)
$$;

-- What has ended stays as it is.

CREATE TRIGGER invitations_begun BEFORE INSERT ON invitations FOR EACH ROW
    WHEN (NEW.used_at IS NOT NULL OR NEW.revoked_at IS NOT NULL)
    EXECUTE FUNCTION devices_refuse_change('an invitation is open at first');

CREATE TRIGGER invitations_kept BEFORE UPDATE ON invitations FOR EACH ROW
    WHEN (NEW.id <> OLD.id OR NEW.code_digest IS DISTINCT FROM OLD.code_digest
        OR (OLD.used_at IS NOT NULL AND NEW.used_at IS DISTINCT FROM OLD.used_at)
        OR (OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at))
    EXECUTE FUNCTION devices_refuse_change('an invitation keeps its code, and ends once');

CREATE TRIGGER enrolments_begun BEFORE INSERT ON enrolments FOR EACH ROW
    WHEN (NEW.state <> 'attestation_required')
    EXECUTE FUNCTION enrolments_refuse_step();

-- The package is emptied when the session is over.
CREATE TRIGGER enrolments_kept BEFORE UPDATE ON enrolments FOR EACH ROW
    WHEN (NEW.invitation_id <> OLD.invitation_id
        OR (OLD.password_hash IS NOT NULL
            AND (NEW.password_hash, NEW.device_key) IS DISTINCT FROM (OLD.password_hash, OLD.device_key))
        OR (OLD.state = 'enrolled' AND (
            (NEW.token_digest, NEW.credential_digest, NEW.enrolled_at)
                IS DISTINCT FROM (OLD.token_digest, OLD.credential_digest, OLD.enrolled_at)
            OR (NEW.package IS NOT NULL AND NEW.package IS DISTINCT FROM OLD.package))))
    EXECUTE FUNCTION devices_refuse_change('what an enrolment was given is never changed');

CREATE TRIGGER enrolments_not_deleted BEFORE DELETE ON enrolments FOR EACH ROW
    WHEN (OLD.state = 'enrolled') EXECUTE FUNCTION refuse_change();
CREATE TRIGGER enrolments_not_emptied BEFORE TRUNCATE ON enrolments EXECUTE FUNCTION refuse_change();

-- What no program writes: moments that none can read, and more bytes than any takes. What a program checks is there under
-- the same limit; actors and reasons have room above theirs.

ALTER TABLE invitations
    ADD CONSTRAINT invitations_moments CHECK (
        isfinite(created_at) AND isfinite(expires_at) AND isfinite(used_at) AND isfinite(revoked_at)),
    ADD CONSTRAINT invitations_lengths CHECK (octet_length(note) <= 1024 AND octet_length(created_by) <= 1024);

ALTER TABLE enrolments ADD CONSTRAINT enrolments_moments CHECK (
    isfinite(created_at) AND isfinite(expires_at) AND isfinite(enrolled_at));

-- As triggers, since a constraint would need a lock that keeps readers out. Looked at is what comes in and what changes: a
-- registration that is there cannot be mended, and is revoked like any other.
CREATE TRIGGER devices_registered BEFORE INSERT ON devices FOR EACH ROW
    WHEN (NOT (isfinite(NEW.registered_at) AND isfinite(NEW.revoked_at) AND isfinite(NEW.superseded_at)
        AND isfinite(NEW.compromised_since)
        AND octet_length(NEW.attestation_object) <= 16384 AND octet_length(NEW.client_data_hash) <= 32
        AND pg_column_size(NEW.certificate_chain) <= 32768 AND octet_length(NEW.receipt) <= 16384
        AND octet_length(NEW.revoked_reason) <= 1024 AND octet_length(NEW.revoked_by) <= 1024
        AND octet_length(NEW.compromised_reason) <= 1024 AND octet_length(NEW.compromised_by) <= 1024))
    EXECUTE FUNCTION devices_refuse_change('a device has a moment that none can read, or more bytes than any program takes');
CREATE TRIGGER devices_moments BEFORE UPDATE ON devices FOR EACH ROW
    WHEN ((NEW.revoked_at IS DISTINCT FROM OLD.revoked_at AND NOT isfinite(NEW.revoked_at))
        OR (NEW.superseded_at IS DISTINCT FROM OLD.superseded_at AND NOT isfinite(NEW.superseded_at))
        OR (NEW.compromised_since IS DISTINCT FROM OLD.compromised_since AND NOT isfinite(NEW.compromised_since)))
    EXECUTE FUNCTION devices_refuse_change('a moment of a device is none that can be read');
CREATE TRIGGER devices_lengths BEFORE UPDATE ON devices FOR EACH ROW
    WHEN ((NEW.revoked_reason IS DISTINCT FROM OLD.revoked_reason AND octet_length(NEW.revoked_reason) > 1024)
        OR (NEW.revoked_by IS DISTINCT FROM OLD.revoked_by AND octet_length(NEW.revoked_by) > 1024)
        OR (NEW.compromised_reason IS DISTINCT FROM OLD.compromised_reason
            AND octet_length(NEW.compromised_reason) > 1024)
        OR (NEW.compromised_by IS DISTINCT FROM OLD.compromised_by AND octet_length(NEW.compromised_by) > 1024))
    EXECUTE FUNCTION devices_refuse_change('what is kept of a device is longer than any program takes');

-- Rows of these are never changed: those that are there need no second look, which would take as long as reading all of
-- them, and could not be mended.

ALTER TABLE attestations
    ADD CONSTRAINT attestations_moments CHECK (isfinite(attested_at)) NOT VALID,
    ADD CONSTRAINT attestations_lengths CHECK (
        octet_length(attestation_object) <= 16384 AND octet_length(client_data_hash) <= 32
        AND pg_column_size(certificate_chain) <= 32768 AND octet_length(receipt) <= 16384) NOT VALID;

ALTER TABLE captures
    ADD CONSTRAINT captures_moments CHECK (
        isfinite(captured_at) AND isfinite(received_at) AND isfinite(verified_at) AND isfinite(settled_at)) NOT VALID,
    ADD CONSTRAINT captures_counter_highest CHECK (counter_highest BETWEEN 0 AND 4294967295) NOT VALID,
    ADD CONSTRAINT captures_lengths CHECK (
        octet_length(assertion) <= 16384 AND octet_length(metadata) <= 65536
        AND octet_length(reason) BETWEEN 1 AND 64) NOT VALID;

-- Nobody comes to the middle of what a bigint holds: whatever is added to a place does not overflow.
ALTER TABLE audit
    ADD CONSTRAINT audit_places CHECK (id BETWEEN 1 AND 4611686018427387903) NOT VALID,
    ADD CONSTRAINT audit_moments CHECK (isfinite(at)) NOT VALID,
    ADD CONSTRAINT audit_lengths CHECK (
        octet_length(actor) <= 1024 AND octet_length(action) <= 64 AND octet_length(subject) <= 1024
        AND pg_column_size(details) <= 65536) NOT VALID;

-- The counter that an assertion names, as it was: but its key is read the same way whatever a session takes a backslash in
-- a text for.
CREATE OR REPLACE FUNCTION assertion_counter(assertion bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    -- From where the key begins (1): 18 bytes of key, one that says a byte string, its length, 32 of hash, one of flags.
    SELECT CASE WHEN octet_length(assertion)
            >= nullif(position(decode('7161757468656e74696361746f724461746158', 'hex') IN assertion), 0) + 56
        THEN ('x' || encode(substring(assertion
            FROM position(decode('7161757468656e74696361746f724461746158', 'hex') IN assertion) + 53 FOR 4), 'hex'))::bit(32)::bigint
    END
$$;
