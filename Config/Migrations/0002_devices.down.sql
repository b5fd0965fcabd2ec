DROP TABLE device_checks;
DROP TABLE attestations;
DROP TABLE devices;
DROP TABLE counters;
DROP FUNCTION devices_refuse_root;
DROP FUNCTION devices_refuse_change;
DROP FUNCTION counters_refuse_decrease;
