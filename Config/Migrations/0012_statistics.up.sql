-- Statistics of what statements look for, and of nothing else. ANALYZE comes again and again while these tables grow, and
-- taking every column apart, evidence and documents with the rest, cost as much as every third result that was written
-- meanwhile. Statements go by indexes whatever the statistics say; a tenth of the usual sample is plenty for them.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT attrelid::regclass AS relation, attname AS name, attname IN (
            'id', 'capture_id', 'device_id', 'key_id', 'verdict', 'reason', 'confidence', 'counter', 'photo_digest',
            'bundle_digest', 'place', 'received_at', 'closed_at') AS is_looked_for
        FROM pg_attribute
        WHERE attrelid IN ('captures'::regclass, 'intake'::regclass) AND attnum > 0 AND NOT attisdropped
    LOOP
        EXECUTE format(
            'ALTER TABLE %s ALTER COLUMN %I SET STATISTICS %s', one.relation, one.name,
            CASE WHEN one.is_looked_for THEN 10 ELSE 0 END);
    END LOOP;
END
$$;
