CREATE OR REPLACE VIEW known_devices_v1 AS
SELECT id, key_id, algorithm, public_key, level, environment, app_id, trust_root, unverified_reason, platform, model,
    has_lidar, registered_at,
    least(revoked_at, superseded_at) AS revoked_at,
    risk_metric, risk_metric_at,
    -- Of the latest attestation that names one: what says nothing hides nothing. Registrations of before kept the empty
    -- text where a certificate names none.
    coalesce((
        SELECT attestations.os_version FROM attestations
        WHERE attestations.device_id = devices.id AND attestations.os_version <> ''
        ORDER BY attestations.id DESC LIMIT 1), nullif(devices.os_version, '')) AS latest_os_version
FROM devices LEFT JOIN receipts ON receipts.device_id = devices.id;
