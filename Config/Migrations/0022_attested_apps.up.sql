-- What every attestation of a device's key says about the app, for the statements that read a device to decide by it.
-- One function and not a view: it is put into the statement, and reads the rows of one device by their indexes.
CREATE FUNCTION attested_apps_v1(of_device uuid)
RETURNS TABLE (attested_bundle_versions text[], attested_categories integer[])
LANGUAGE sql STABLE
AS $$
    SELECT coalesce(array_agg(DISTINCT version) FILTER (WHERE version IS NOT NULL), '{}'),
        coalesce(array_agg(DISTINCT category) FILTER (WHERE category IS NOT NULL), '{}')
    FROM (
        SELECT bundle_version, validation_category FROM devices
        WHERE devices.id = of_device AND devices.level = 'secure_enclave'
        UNION ALL
        SELECT bundle_version, validation_category FROM attestations WHERE attestations.device_id = of_device
    ) AS said (version, category)
$$;
