-- The ids of audit entries and of attestations are the database's to give.
--
-- Whoever may insert could name ids that are yet to be given (OVERRIDING SYSTEM VALUE). Once they are, whatever comes with
-- one is refused: an audit entry, and with it the revocation or registration that it is of.

-- With its owner's rights: whoever inserts has none on the sequence. A session that was given no id yet is refused as well,
-- by `currval` itself.
CREATE FUNCTION refuse_chosen_id() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NEW.id <> currval(pg_get_serial_sequence(TG_RELID::regclass::text, 'id')) THEN
        RAISE EXCEPTION 'the id of a row of % is the database''s to give', TG_TABLE_NAME
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER attestations_id_given BEFORE INSERT ON attestations FOR EACH ROW EXECUTE FUNCTION refuse_chosen_id();
CREATE TRIGGER audit_id_given BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION refuse_chosen_id();
