-- Receipts of attested devices, which Apple exchanges for newer ones, and the risk that they tell.

-- The latest receipt of each attested device, and when it may be exchanged.
CREATE TABLE receipts (
    device_id uuid PRIMARY KEY REFERENCES devices (id),
    receipt bytea NOT NULL CHECK (octet_length(receipt) BETWEEN 1 AND 65536),
    -- What the attestation was checked against that it came with; NULL for a renewed one, which does not tell.
    client_data_hash bytea,
    -- The moment as of which it is verified, whenever that is done.
    received_at timestamptz NOT NULL,
    -- About how many keys were attested on the device in 30 days, and when Apple said so.
    risk_metric integer CHECK (risk_metric >= 0),
    risk_metric_at timestamptz,
    not_before timestamptz,
    outcome text NOT NULL,
    reason text,
    -- How often in a row asking has failed.
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    asked_at timestamptz,
    -- When it is due; NULL: never by itself.
    next_at timestamptz,
    -- The claim in force, if there is one: whoever holds another one has lost it.
    claim bigint,
    CONSTRAINT receipts_risk CHECK ((risk_metric IS NULL) = (risk_metric_at IS NULL))
);

CREATE INDEX receipts_due ON receipts (next_at) WHERE next_at IS NOT NULL;

-- Devices that are there already, as after a way down: their receipts are verified before they are sent anywhere.
INSERT INTO receipts (device_id, receipt, client_data_hash, received_at, outcome, next_at)
SELECT id, receipt, client_data_hash, registered_at, 'waiting', registered_at
FROM devices
WHERE level = 'secure_enclave' AND octet_length(receipt) BETWEEN 1 AND 65536;

-- Every risk that Apple told, so that a result can be read with what was known when it was settled: settling itself,
-- which every capture goes through, does nothing for it.
CREATE TABLE risks (
    device_id uuid NOT NULL REFERENCES devices (id),
    -- By this server's clock, as the results' own time: a result has no risk that was noted after it.
    noted_at timestamptz NOT NULL,
    metric integer NOT NULL CHECK (metric >= 0),
    -- When Apple said so.
    metric_at timestamptz NOT NULL,
    PRIMARY KEY (device_id, noted_at)
);

-- Whatever is given, it is noted now.
CREATE FUNCTION risks_keep_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.noted_at := clock_timestamp();
    RETURN NEW;
END
$$;

CREATE TRIGGER risks_timed BEFORE INSERT ON risks FOR EACH ROW EXECUTE FUNCTION risks_keep_time();
CREATE TRIGGER risks_kept BEFORE UPDATE OR DELETE ON risks FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER risks_not_emptied BEFORE TRUNCATE ON risks EXECUTE FUNCTION refuse_change();
