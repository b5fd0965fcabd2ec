DROP TRIGGER enrolments_end_invitation ON enrolments;
DROP FUNCTION enrolments_end();
