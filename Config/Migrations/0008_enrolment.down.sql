DROP TABLE transaction_keys;
DROP TABLE enrolments;
DROP FUNCTION enrolments_refuse_step();
DROP TABLE invitations;
