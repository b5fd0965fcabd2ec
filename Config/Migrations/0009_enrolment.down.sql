DROP TABLE transaction_keys;
DROP TABLE enrolments;
DROP TABLE invitations;
DROP FUNCTION enrolments_end;
DROP FUNCTION enrolments_refuse_step;
