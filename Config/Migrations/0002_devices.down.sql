DROP TABLE device_checks;
DROP TABLE attestations;
DROP TABLE devices;
DROP TABLE counters;
DROP FUNCTION devices_refuse_root;
DROP FUNCTION attestations_keep_time;
DROP FUNCTION devices_refuse_change;
DROP FUNCTION counters_refuse_decrease;
