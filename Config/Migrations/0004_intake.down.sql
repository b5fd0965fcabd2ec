DROP FUNCTION capture_intake_v1;
DROP FUNCTION assertion_counter;
DROP TABLE intake;
