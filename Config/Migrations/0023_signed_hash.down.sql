DROP FUNCTION capture_settle_v2;
DROP TRIGGER devices_kept ON devices;
DROP FUNCTION devices_refuse_change();
ALTER TABLE captures DROP COLUMN client_data_hash;
