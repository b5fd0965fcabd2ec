DROP VIEW known_devices_v1;
