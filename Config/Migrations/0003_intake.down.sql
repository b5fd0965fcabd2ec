DROP TRIGGER captures_close_intake ON captures;
DROP FUNCTION intake_close;
DROP FUNCTION capture_intake_v1;
DROP TABLE intake;
