-- The audit: who did what. And the function by which the database refuses to change what is kept for good.
-- Migrations of a release are never edited afterwards; a change is a new pair of files.

-- For triggers of tables whose rows are written once.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME
        USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
END
$$;

-- Who did what, in the order of commits as near as makes no difference. DATA.md lists the actions.
CREATE TABLE audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object')
);

CREATE INDEX audit_by_subject ON audit (subject, id);

CREATE TRIGGER audit_kept BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_not_emptied BEFORE TRUNCATE ON audit EXECUTE FUNCTION refuse_change();
