DROP FUNCTION attested_apps_v1(uuid);
