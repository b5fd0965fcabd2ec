DROP TRIGGER captures_close_intake ON captures;
DROP FUNCTION intake_close;
