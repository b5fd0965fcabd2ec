-- Results, audit entries and attestations are written once: the database itself refuses to change or remove them.

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME
        USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
END
$$;

CREATE TRIGGER captures_kept BEFORE UPDATE OR DELETE ON captures FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER captures_not_emptied BEFORE TRUNCATE ON captures EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_kept BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_not_emptied BEFORE TRUNCATE ON audit EXECUTE FUNCTION refuse_change();
CREATE TRIGGER attestations_kept BEFORE UPDATE OR DELETE ON attestations FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER attestations_not_emptied BEFORE TRUNCATE ON attestations EXECUTE FUNCTION refuse_change();

-- The rejected captures of one device for one reason: by index, however many there are of other reasons.
CREATE INDEX captures_of_device_by_reason ON captures (device_id, reason, received_at DESC, id DESC)
    WHERE reason IS NOT NULL;

-- Invitations that nobody has used, which are all that is ever purged by its time.
CREATE INDEX invitations_unused ON invitations (expires_at) WHERE used_at IS NULL;
DROP INDEX invitations_expiry;
