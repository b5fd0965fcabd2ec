-- Sessions are found by SHA-256 of the id that their device has, as invitations are by that of their code: who reads this
-- table cannot go on with one. A row's own id means nothing outside of the database, but where a gateway of an earlier
-- release has begun the session: such gateways find it by that, and it is the device's.
ALTER TABLE enrolments ADD COLUMN session_digest bytea UNIQUE CHECK (octet_length(session_digest) = 32);

-- Nobody goes on with those that have been over for long, of which there may be many.
UPDATE enrolments SET session_digest = sha256(convert_to('enrolment|' || id, 'UTF8'))
WHERE expires_at > now() - interval '1 day';

CREATE FUNCTION enrolments_digest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.session_digest := sha256(convert_to('enrolment|' || NEW.id, 'UTF8'));
    RETURN NEW;
END
$$;

-- For what gateways of earlier releases begin.
CREATE TRIGGER enrolments_digested BEFORE INSERT ON enrolments FOR EACH ROW
    WHEN (NEW.session_digest IS NULL)
    EXECUTE FUNCTION enrolments_digest();

DROP TRIGGER enrolments_in_order ON enrolments;
CREATE TRIGGER enrolments_in_order BEFORE UPDATE ON enrolments FOR EACH ROW
    WHEN (NEW.id <> OLD.id OR NEW.session_digest IS DISTINCT FROM OLD.session_digest
        OR NEW.user_guid <> OLD.user_guid OR NEW.device_id <> OLD.device_id
        OR (NEW.state <> OLD.state AND (OLD.state, NEW.state) NOT IN (
            ('attestation_required', 'password_required'), ('password_required', 'password_set'),
            ('password_set', 'enrolled'))))
    EXECUTE FUNCTION enrolments_refuse_step();
