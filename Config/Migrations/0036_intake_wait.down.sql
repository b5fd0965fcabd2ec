-- A group of uploads waits for a row as long as any other statement of its session.
ALTER FUNCTION capture_intake_v1 RESET lock_timeout;
