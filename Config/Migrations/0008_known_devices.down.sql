DROP FUNCTION attested_apps_v1;
DROP VIEW known_devices_v1;
