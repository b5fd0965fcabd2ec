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
