-- With a session that came to nothing goes its invitation, whichever release of a gateway purges it. Those of sessions
-- that releases before migration 16 had purged are not found by any time of theirs, and go now.
DELETE FROM invitations
WHERE used_at IS NOT NULL AND NOT EXISTS (SELECT FROM enrolments WHERE enrolments.invitation_id = invitations.id);

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
