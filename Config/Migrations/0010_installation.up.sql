-- Which installation this database is the record of. The queue in Redis and the bundle directory carry the same id, so that
-- a program notices that it was given those of two installations before it has destroyed anything.

-- One row, as the key has one value.
CREATE TABLE installation (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    id uuid NOT NULL,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Random; where the schema was brought down and up again it is the one of before, which the audit has.
INSERT INTO installation (id)
SELECT coalesce(
    (
        SELECT (audit.details ->> 'id')::uuid FROM audit
        WHERE audit.subject = 'installation' AND audit.details ->> 'id' IS NOT NULL
        ORDER BY audit.id DESC LIMIT 1
    ),
    gen_random_uuid());
INSERT INTO audit (at, actor, action, subject, details)
SELECT clock_timestamp(), 'capturectl migrate', 'installation.new', 'installation',
    jsonb_build_object('id', installation.id::text)
FROM installation
WHERE NOT EXISTS (SELECT FROM audit WHERE audit.subject = 'installation');

-- Never changed, but by the function below, which names the id that it takes the place of.
CREATE TRIGGER installation_kept BEFORE UPDATE ON installation FOR EACH ROW
    WHEN (current_setting('capture.installation_renewed', true) IS DISTINCT FROM OLD.id::text)
    EXECUTE FUNCTION refuse_change();
CREATE TRIGGER installation_not_deleted BEFORE DELETE ON installation FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER installation_not_emptied BEFORE TRUNCATE ON installation EXECUTE FUNCTION refuse_change();

-- installation_renew_v1: gives a copied database an id of its own, and notes it in the audit. Returns the new one, or NULL
-- when the database has another one than was expected by now.
CREATE FUNCTION installation_renew_v1(expected uuid, by_actor text) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
    renewed uuid;
BEGIN
    -- Until the transaction ends, and good for this id only, which nothing has from the next statement on.
    PERFORM set_config('capture.installation_renewed', expected::text, true);
    UPDATE installation SET id = gen_random_uuid(), made_at = clock_timestamp()
    WHERE installation.id = expected
    RETURNING installation.id INTO renewed;
    IF renewed IS NOT NULL THEN
        INSERT INTO audit (at, actor, action, subject, details)
        VALUES (clock_timestamp(), by_actor, 'installation.renew', 'installation',
            jsonb_build_object('id', renewed::text, 'was', expected::text));
    END IF;
    RETURN renewed;
END
$$;
