-- A device as it is known now, as before, and the attestation that names its latest version is looked for among its own:
-- where a few devices have many, PostgreSQL took going back through all attestations by their ids for the shorter way, of
-- every device, and that has no end for one without any. Only the index of a device's attestations has an order that
-- begins with the device. One that is said to be equal drops out of the order, so it is said to lie between itself and
-- itself.
CREATE OR REPLACE VIEW known_devices_v1 AS
SELECT id, key_id, algorithm, public_key, level, environment, app_id, trust_root, unverified_reason, platform, model,
    has_lidar, registered_at,
    least(revoked_at, superseded_at) AS revoked_at,
    risk_metric, risk_metric_at,
    -- Of the latest attestation that names one: what says nothing hides nothing. Registrations of before kept the empty
    -- text where a certificate names none.
    coalesce((
        SELECT attestations.os_version FROM attestations
        WHERE attestations.device_id BETWEEN devices.id AND devices.id AND attestations.os_version <> ''
        ORDER BY attestations.device_id DESC, attestations.id DESC LIMIT 1),
        nullif(devices.os_version, '')) AS latest_os_version
FROM devices LEFT JOIN receipts ON receipts.device_id = devices.id;
