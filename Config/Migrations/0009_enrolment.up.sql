-- Enrolment: invitations, sessions as a state machine, and their transaction keys.

CREATE TABLE invitations (
    id uuid PRIMARY KEY,
    -- SHA-256 of the code: who reads this table cannot enrol.
    code_digest bytea NOT NULL UNIQUE CHECK (octet_length(code_digest) = 32),
    note text,
    created_at timestamptz NOT NULL,
    created_by text NOT NULL,
    expires_at timestamptz NOT NULL CHECK (expires_at > created_at),
    used_at timestamptz,
    revoked_at timestamptz,
    CONSTRAINT invitations_end CHECK (used_at IS NULL OR revoked_at IS NULL)
);

CREATE INDEX invitations_newest_first ON invitations (created_at DESC, id DESC);
-- Invitations that nobody has used, which are all that is purged by its own time.
CREATE INDEX invitations_unused ON invitations (expires_at) WHERE used_at IS NULL;

CREATE TABLE enrolments (
    -- It means nothing outside of the database.
    id uuid PRIMARY KEY,
    user_guid uuid NOT NULL UNIQUE,
    -- An invitation opens one session.
    invitation_id uuid NOT NULL UNIQUE REFERENCES invitations (id),
    -- The device is registered under this id when the state is password_required or later.
    device_id uuid NOT NULL,
    state text NOT NULL CHECK (state IN ('attestation_required', 'password_required', 'password_set', 'enrolled')),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL CHECK (expires_at > created_at),
    -- NULL once it was answered, whatever came of it.
    challenge bytea CHECK (octet_length(challenge) = 32),
    -- The X25519 key that the device has sealed its password hash with.
    device_key bytea CHECK (octet_length(device_key) = 32),
    password_hash text CHECK (password_hash LIKE '$argon2id$v=19$%' AND length(password_hash) <= 256),
    token_digest bytea UNIQUE CHECK (octet_length(token_digest) = 32),
    credential_digest bytea CHECK (octet_length(credential_digest) = 32),
    enrolled_at timestamptz,
    -- What the last step answers, sealed; emptied when the session is over.
    package bytea,
    -- SHA-256 of the id that the session's device has, by which it is found: who reads this table cannot go on with one.
    session_digest bytea NOT NULL UNIQUE CHECK (octet_length(session_digest) = 32),
    CONSTRAINT enrolments_challenge CHECK (challenge IS NULL OR state = 'attestation_required'),
    CONSTRAINT enrolments_password CHECK ((password_hash IS NOT NULL) = (state IN ('password_set', 'enrolled'))
        AND (device_key IS NOT NULL) = (password_hash IS NOT NULL)),
    CONSTRAINT enrolments_enrolled CHECK ((enrolled_at IS NOT NULL) = (state = 'enrolled')
        AND (token_digest IS NOT NULL) = (state = 'enrolled')
        AND (credential_digest IS NOT NULL) = (state = 'enrolled')
        AND (package IS NULL OR state = 'enrolled'))
);

CREATE INDEX enrolments_unfinished ON enrolments (expires_at) WHERE state <> 'enrolled';
CREATE INDEX enrolments_packages ON enrolments (expires_at) WHERE package IS NOT NULL;

CREATE FUNCTION enrolments_refuse_step() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an enrolment takes one step after the other'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'enrolments_in_order';
END
$$;

CREATE TRIGGER enrolments_in_order BEFORE UPDATE ON enrolments FOR EACH ROW
    WHEN (NEW.id <> OLD.id OR NEW.session_digest IS DISTINCT FROM OLD.session_digest
        OR NEW.user_guid <> OLD.user_guid OR NEW.device_id <> OLD.device_id
        OR (NEW.state <> OLD.state AND (OLD.state, NEW.state) NOT IN (
            ('attestation_required', 'password_required'), ('password_required', 'password_set'),
            ('password_set', 'enrolled'))))
    EXECUTE FUNCTION enrolments_refuse_step();

-- With a session that came to nothing goes its invitation, whoever purges the session.
CREATE FUNCTION enrolments_end() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
BEGIN
    DELETE FROM invitations USING ended WHERE invitations.id = ended.invitation_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER enrolments_end_invitation AFTER DELETE ON enrolments
    REFERENCING OLD TABLE AS ended FOR EACH STATEMENT
    EXECUTE FUNCTION enrolments_end();

-- X25519 keys of sessions; those of an enrolment that was finished stay for what comes after it.
CREATE TABLE transaction_keys (
    id uuid PRIMARY KEY,
    enrolment_id uuid NOT NULL REFERENCES enrolments (id) ON DELETE CASCADE,
    place integer NOT NULL CHECK (place >= 0),
    public_key bytea NOT NULL UNIQUE CHECK (octet_length(public_key) = 32),
    -- Sealed under a key that this database does not have; NULL once the key is used up.
    private_key bytea,
    used_at timestamptz,
    UNIQUE (enrolment_id, place),
    CONSTRAINT transaction_keys_used CHECK ((private_key IS NULL) = (used_at IS NOT NULL))
);
