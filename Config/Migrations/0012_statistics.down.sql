DO $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT attrelid::regclass AS relation, attname AS name FROM pg_attribute
        WHERE attrelid IN ('captures'::regclass, 'intake'::regclass) AND attnum > 0 AND NOT attisdropped
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS -1', one.relation, one.name);
    END LOOP;
END
$$;
