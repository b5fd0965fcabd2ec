-- What else is known of devices: DeviceCheck's answers, later attestations of the same key, and since when a key was
-- in other hands.

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

-- Attestations of a registered key after the first one, with their evidence. Rows are never changed.
CREATE TABLE attestations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    device_id uuid NOT NULL REFERENCES devices (id),
    attested_at timestamptz NOT NULL,
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

-- Since when a device's key may have been in other hands: its results from then on are marked when they are read.
ALTER TABLE devices
    ADD COLUMN compromised_since timestamptz,
    ADD COLUMN compromised_reason text,
    ADD COLUMN compromised_by text,
    ADD CONSTRAINT devices_compromised CHECK (
        (compromised_since IS NULL) = (compromised_reason IS NULL)
        AND (compromised_since IS NULL) = (compromised_by IS NULL)
        AND (compromised_since IS NULL OR revoked_at IS NOT NULL));
