DROP TRIGGER enrolments_in_order ON enrolments;
CREATE TRIGGER enrolments_in_order BEFORE UPDATE ON enrolments FOR EACH ROW
    WHEN (NEW.id <> OLD.id OR NEW.user_guid <> OLD.user_guid OR NEW.device_id <> OLD.device_id
        OR (NEW.state <> OLD.state AND (OLD.state, NEW.state) NOT IN (
            ('attestation_required', 'password_required'), ('password_required', 'password_set'),
            ('password_set', 'enrolled'))))
    EXECUTE FUNCTION enrolments_refuse_step();
DROP TRIGGER enrolments_digested ON enrolments;
DROP FUNCTION enrolments_digest();
ALTER TABLE enrolments DROP COLUMN session_digest;
