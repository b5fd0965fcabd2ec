DROP FUNCTION capture_settle_v1;
