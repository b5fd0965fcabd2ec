CREATE OR REPLACE FUNCTION capture_settle_v2(
    policy_text text, back bigint, version_text text,
    id_of uuid[], device_of uuid[], known_of boolean[], counter_of bigint[], rejection_of text[],
    confidence_of text[], checks_of text[], binding_of text[], photo_digest_of bytea[], depth_digest_of bytea[],
    metadata_digest_of bytea[], client_data_hash_of bytea[], photo_bytes_of bigint[], depth_bytes_of bigint[],
    assertion_of bytea[], metadata_of bytea[], attempts_of integer[], redriven_of boolean[],
    captured_of timestamptz[], received_of timestamptz[], verified_of timestamptz[]
) RETURNS TABLE (place bigint, verdict text, reason text, settled_before boolean)
LANGUAGE plpgsql VOLATILE
-- Plans that stay good from the first row to the hundred millionth: by index, one row at a time, planned once.
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    moment timestamptz;
    -- Parallel to the arguments. Not open: has a result, or comes a second time.
    open_of boolean[];
    accepted_of boolean[];
    -- Accepted after a later capture of the key.
    late_of boolean[];
    -- Why a capture is rejected, before and after its counter was looked at.
    decided_of text[];
    conclusion_of text[];
    -- What is known of the device.
    key_of bytea[];
    level_of text[];
    environment_of text[];
    app_of text[];
    root_of text[];
    -- When it was received.
    time_of timestamptz[];
    fresh uuid[];
BEGIN
    -- 1. One batch at a time per key, in key order: batches never wait for each other in a circle.
    PERFORM 1 FROM counters
    WHERE key_id = ANY (ARRAY(SELECT devices.key_id FROM devices WHERE devices.id = ANY (device_of)))
    ORDER BY key_id
    FOR NO KEY UPDATE;
    moment := clock_timestamp();

    -- 2. Decide what has no result yet.
    WITH input AS (
        SELECT input.*,
            earlier.id IS NULL AND row_number() OVER (PARTITION BY input.id ORDER BY input.place) = 1 AS is_open
        FROM unnest(id_of, device_of, known_of, counter_of, rejection_of, received_of)
            WITH ORDINALITY AS input (id, device_id, known, counter, rejection, received_at, place)
        LEFT JOIN LATERAL (
            SELECT captures.id FROM captures WHERE captures.id BETWEEN input.id AND input.id
            ORDER BY captures.id LIMIT 1
        ) AS earlier ON true
    ), judged AS (
        SELECT input.place, input.counter, input.is_open, device.key_id, device.level, device.environment,
            device.app_id, device.trust_root, held.capture_highest AS stored,
            CASE WHEN device.superseded_at IS NULL THEN held.capture_highest ELSE coalesce(own.highest, 0) END AS floor,
            CASE WHEN device.superseded_at IS NOT NULL THEN device.id END AS succeeded,
            coalesce(ledger.received_at, input.received_at) AS received_at,
            CASE
                -- Succession counts as revocation; both from their moment on.
                WHEN least(device.revoked_at, device.superseded_at)
                    <= coalesce(ledger.received_at, input.received_at) THEN 'DEVICE_REVOKED'
                WHEN rejection IS NOT NULL THEN rejection
                WHEN device.id IS NULL THEN 'DEVICE_UNKNOWN'
            END AS decided
        FROM input
        LEFT JOIN devices AS device ON device.id = input.device_id AND input.known
        LEFT JOIN counters AS held ON held.key_id = device.key_id
        LEFT JOIN LATERAL (
            SELECT greatest(least(intake.received_at, intake.recorded_at), intake.recorded_at - interval '10 minutes')
                AS received_at
            FROM intake
            WHERE least(device.revoked_at, device.superseded_at) IS NOT NULL AND intake.capture_id = input.id
            LIMIT 1
        ) AS ledger ON true
        LEFT JOIN LATERAL (
            SELECT captures.counter AS highest FROM captures
            WHERE device.superseded_at IS NOT NULL AND captures.key_id = device.key_id
                AND captures.verdict = 'verified' AND captures.device_id = device.id
            ORDER BY captures.counter DESC LIMIT 1
        ) AS own ON true
    ), counted AS (
        -- Among those that only the counter decides: the highest one before each, and whether it is the first of its
        -- counter. The running maximum over all of them is that over the accepted ones, since a new maximum is accepted.
        SELECT judged.*, judged.is_open AND decided IS NULL AS is_counted, used.counter IS NOT NULL AS is_used,
            greatest(floor, max(judged.counter) OVER (
                PARTITION BY judged.key_id, succeeded, judged.is_open AND decided IS NULL ORDER BY judged.place
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS highest,
            row_number() OVER (
                PARTITION BY judged.key_id, judged.is_open AND decided IS NULL, judged.counter
                ORDER BY judged.place) AS occurrence
        FROM judged
        LEFT JOIN LATERAL (
            SELECT captures.counter FROM captures
            WHERE judged.is_open AND judged.decided IS NULL AND judged.counter <= judged.stored
                AND captures.key_id = judged.key_id AND captures.counter = judged.counter
                AND captures.verdict = 'verified'
            LIMIT 1
        ) AS used ON true
    ), compared AS (
        SELECT counted.*,
            is_counted AND counter > greatest(highest - back, 0) AND occurrence = 1 AND NOT is_used AS is_accepted
        FROM counted
    ), concluded AS (
        SELECT compared.*,
            CASE
                WHEN is_accepted THEN NULL
                WHEN decided IS NOT NULL THEN decided
                WHEN is_used OR first_value(is_accepted) OVER (
                    PARTITION BY key_id, is_counted, counter ORDER BY compared.place) THEN 'COUNTER_REPLAY'
                ELSE 'COUNTER_STALE'
            END AS conclusion
        FROM compared
        ORDER BY compared.place
    )
    SELECT array_agg(is_open), array_agg(is_accepted), array_agg(is_accepted AND counter < highest),
        array_agg(decided), array_agg(conclusion),
        array_agg(key_id), array_agg(level), array_agg(environment), array_agg(app_id), array_agg(trust_root),
        array_agg(received_at)
    INTO open_of, accepted_of, late_of, decided_of, conclusion_of, key_of, level_of, environment_of, app_of, root_of,
        time_of
    FROM concluded;

    -- 3. Record it, and move the counters.
    WITH recorded AS (
        INSERT INTO captures (
            id, device_id, key_id, verdict, reason, confidence, counter, counter_policy, binding, photo_digest,
            depth_digest, metadata_digest, client_data_hash, photo_bytes, depth_bytes, assertion, metadata, checks,
            attempts, redriven, level, environment, app_id, trust_root, captured_at, received_at, verified_at,
            settled_at, processor_version
        )
        SELECT id, device_id, key_id, CASE WHEN is_accepted THEN 'verified' ELSE 'rejected' END, conclusion,
            CASE
                WHEN NOT is_accepted THEN 'none'
                -- Nobody vouches for the key: never more than medium.
                WHEN level = 'unverified' AND confidence = 'high' THEN 'medium'
                ELSE confidence
            END,
            counter, policy_text, binding, photo_digest,
            depth_digest, metadata_digest, client_data_hash, photo_bytes, depth_bytes, assertion, metadata,
            checks::jsonb || CASE
                WHEN is_late THEN '{"counter": {"outcome": "pass", "reason": "COUNTER_OUT_OF_ORDER"}}'
                WHEN is_accepted THEN '{"counter": {"outcome": "pass"}}'
                WHEN decided IS NULL THEN
                    jsonb_build_object('counter', jsonb_build_object('outcome', 'fail', 'reason', conclusion))
                WHEN decided IS DISTINCT FROM rejection THEN
                    jsonb_build_object('device', jsonb_build_object('outcome', 'fail', 'reason', decided))
                    || '{"counter": {"outcome": "unavailable", "reason": "NOT_EVALUATED"}}'
                ELSE '{"counter": {"outcome": "unavailable", "reason": "NOT_EVALUATED"}}'
            END,
            attempts, redriven, coalesce(level, 'unverified'), environment, app_id, trust_root,
            captured_at, received_at, verified_at, moment, version_text
        FROM unnest(
            id_of, device_of, counter_of, rejection_of, confidence_of, checks_of, binding_of, photo_digest_of,
            depth_digest_of, metadata_digest_of, client_data_hash_of, photo_bytes_of, depth_bytes_of, assertion_of,
            metadata_of, attempts_of, redriven_of, captured_of, time_of, verified_of,
            open_of, accepted_of, late_of, decided_of, conclusion_of, key_of, level_of, environment_of, app_of, root_of
        ) AS input (
            id, device_id, counter, rejection, confidence, checks, binding, photo_digest,
            depth_digest, metadata_digest, client_data_hash, photo_bytes, depth_bytes, assertion, metadata, attempts,
            redriven, captured_at, received_at, verified_at,
            is_open, is_accepted, is_late, decided, conclusion, key_id, level, environment, app_id, trust_root
        )
        WHERE is_open
        ORDER BY id
        -- Somebody may settle a capture without a key at this very moment: whoever is first decides.
        ON CONFLICT (id) DO NOTHING
        RETURNING id, key_id, counter, verdict, reason, received_at
    ), advanced AS (
        UPDATE counters
        SET capture_highest = greatest(capture_highest, gain.highest),
            last_seen = greatest(last_seen, gain.seen)
        FROM (
            SELECT key_id, max(counter) FILTER (WHERE verdict = 'verified') AS highest, max(received_at) AS seen
            FROM recorded
            WHERE key_id IS NOT NULL AND (verdict = 'verified' OR reason IN ('COUNTER_REPLAY', 'COUNTER_STALE'))
            GROUP BY key_id
        ) AS gain
        WHERE counters.key_id = gain.key_id
    )
    SELECT array_agg(recorded.id) INTO fresh FROM recorded;

    -- 4. Answer for everything that was asked, whoever has settled it.
    IF cardinality(fresh) = cardinality(id_of) THEN
        RETURN QUERY
        SELECT decision.place, CASE WHEN is_accepted THEN 'verified' ELSE 'rejected' END, conclusion, false
        FROM unnest(accepted_of, conclusion_of) WITH ORDINALITY AS decision (is_accepted, conclusion, place);
    ELSE
        IF EXISTS (
            SELECT FROM unnest(id_of, device_of, photo_digest_of, depth_digest_of, metadata_digest_of)
                AS asked (id, device_id, photo_digest, depth_digest, metadata_digest)
            CROSS JOIN LATERAL (
                SELECT captures.device_id, captures.photo_digest, captures.depth_digest, captures.metadata_digest
                FROM captures WHERE captures.id BETWEEN asked.id AND asked.id
                ORDER BY captures.id LIMIT 1
            ) AS settled
            WHERE (asked.device_id, asked.photo_digest, asked.depth_digest, asked.metadata_digest)
                <> (settled.device_id, settled.photo_digest, settled.depth_digest, settled.metadata_digest)
        ) THEN
            RAISE EXCEPTION 'the capture''s id is that of another one, which has a result';
        END IF;
        RETURN QUERY
        SELECT asked.place, settled.verdict, settled.reason,
            NOT coalesce(asked.id = ANY (fresh), false)
                OR row_number() OVER (PARTITION BY asked.id ORDER BY asked.place) > 1
        FROM unnest(id_of) WITH ORDINALITY AS asked (id, place)
        CROSS JOIN LATERAL (
            SELECT captures.verdict, captures.reason FROM captures WHERE captures.id BETWEEN asked.id AND asked.id
            ORDER BY captures.id LIMIT 1
        ) AS settled
        ORDER BY asked.place;
    END IF;
END
$$;
