-- A device as it is known now, for whoever judges by it: when it ended, Apple's latest risk, what its attestations say.

-- Statements take all of its columns, so that these never change: another set of columns is another view.
--
-- The attestation that names the latest version is looked for among the device's own: where a few devices have many,
-- PostgreSQL took going back through all attestations by their ids for the shorter way, of every device, and that has no end
-- for one without any. Only the index of a device's attestations has an order that begins with the device. One that is said
-- to be equal drops out of the order, so it is said to lie between itself and itself.
CREATE VIEW known_devices_v1 AS
SELECT id, key_id, algorithm, public_key, level, environment, app_id, trust_root, unverified_reason, platform, model,
    has_lidar, registered_at,
    least(revoked_at, superseded_at) AS revoked_at,
    risk_metric, risk_metric_at,
    -- Of the latest attestation that names one: what says nothing hides nothing. The empty text names none, either.
    coalesce((
        SELECT attestations.os_version FROM attestations
        WHERE attestations.device_id BETWEEN devices.id AND devices.id AND attestations.os_version <> ''
        ORDER BY attestations.device_id DESC, attestations.id DESC LIMIT 1),
        nullif(devices.os_version, '')) AS latest_os_version
FROM devices LEFT JOIN receipts ON receipts.device_id = devices.id;

-- What every attestation of a device's key says about the app, for the statements that read a device to decide by it.
-- Nothing where its registration names nothing: what was signed before a later attestation may come after it.
-- One function and not a view: it is put into the statement, and reads the rows of one device by their indexes.
CREATE FUNCTION attested_apps_v1(of_device uuid)
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
        SELECT bundle_version, validation_category, false FROM attestations WHERE attestations.device_id = of_device
    ) AS said (version, category, is_first)
$$;
