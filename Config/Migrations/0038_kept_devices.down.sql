DROP TRIGGER counters_not_deleted ON counters;
DROP TRIGGER devices_not_deleted ON devices;
CREATE OR REPLACE TRIGGER devices_kept BEFORE UPDATE ON devices FOR EACH ROW
    WHEN ((OLD.id, OLD.key_id, OLD.algorithm, OLD.public_key, OLD.level, OLD.attestation_object, OLD.client_data_hash,
            OLD.registered_at)
        IS DISTINCT FROM (NEW.id, NEW.key_id, NEW.algorithm, NEW.public_key, NEW.level, NEW.attestation_object,
            NEW.client_data_hash, NEW.registered_at))
    EXECUTE FUNCTION devices_refuse_change();

-- Deletes or closes the rows of captures in the transaction that writes their results, whichever release of a worker runs
-- it. Deleted are those that capture_intake_v1 finds by their results: verified, of the row's very bytes, and with a
-- counter that the database can read itself.
--
-- A result under an open row's id is of the row's capture, or it is refused: what the worker brings was in Redis meanwhile,
-- where somebody may have put another capture in its place.
--
-- Row by row by the index, which OFFSET sees to, or by an array of ids. Most of the time there are next to no rows, and
-- PostgreSQL believes so when there are many: left to join as it likes, it would go through all of them for every batch.
-- An index gives the rows of an array in the order of their ids, and a bitmap in that of their places in the table.
CREATE OR REPLACE FUNCTION intake_close() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
DECLARE
    ids uuid[] := ARRAY(SELECT id FROM settled);
    -- Looked for before anything is locked, which alone tells whether one statement is to do.
    deletable uuid[] := ARRAY(
        SELECT same.capture_id
        FROM settled
        CROSS JOIN LATERAL (
            SELECT intake.capture_id
            FROM intake
            WHERE intake.capture_id = settled.id
                AND intake.device_id = settled.device_id AND intake.binding = settled.binding
                AND intake.photo_digest = settled.photo_digest AND intake.depth_digest = settled.depth_digest
                AND intake.assertion = settled.assertion AND intake.metadata = settled.metadata
            OFFSET 0
        ) AS same
        WHERE settled.verdict = 'verified' AND assertion_counter(settled.assertion) = settled.counter
    );
    -- Whether a row is another capture's than its result.
    is_other boolean;
BEGIN
    IF cardinality(deletable) = cardinality(ids) THEN
        DELETE FROM intake WHERE capture_id = ANY (deletable);
    ELSE
        -- What one statement is to close may come before what the other has deleted.
        PERFORM FROM intake WHERE capture_id = ANY (ids) ORDER BY capture_id FOR UPDATE;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
        SELECT EXISTS (
            SELECT FROM settled
            CROSS JOIN LATERAL (
                SELECT FROM intake
                -- Not IS NULL: by id, and not through the index of all that is open.
                WHERE intake.capture_id = settled.id AND coalesce(intake.closed_at, 'infinity') = 'infinity'
                    AND (intake.device_id, intake.binding, intake.photo_digest, intake.depth_digest, intake.assertion,
                        intake.metadata)
                    <> (settled.device_id, settled.binding, settled.photo_digest, settled.depth_digest, settled.assertion,
                        settled.metadata)
                OFFSET 0
            ) AS other
        ) INTO is_other;
        IF is_other THEN
            RAISE EXCEPTION 'the capture''s id is that of another one, which has a row in the ledger';
        END IF;
        DELETE FROM intake WHERE capture_id = ANY (deletable);
        UPDATE intake SET closed_at = clock_timestamp(), assertion = '', metadata = ''
        WHERE capture_id = ANY (ids);
    END IF;
    RETURN NULL;
END
$$;

-- capture_settle_v2: decides a batch of captures in one transaction and one round trip.
--
-- As before, and a capture with a row in the ledger was received when the row says, whatever the state of its device. Without
-- one it was received at this moment at the latest.
--
-- Order of locks, the same in every transaction so that none waits in a circle: keys in order, then results in order.
-- Each statement of a function sees what was committed before it began (READ COMMITTED): those after the first one see
-- everything that earlier holders of the keys have done.
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
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    moment timestamptz;
    -- Parallel to the arguments: when a capture was received.
    time_of timestamptz[];
    -- Captures side by side whose device is the same one: the places of the first and the last of each such run, and what
    -- is known of the device.
    first_of bigint[];
    last_of bigint[];
    key_of bytea[];
    level_of text[];
    environment_of text[];
    app_of text[];
    root_of text[];
    -- Whether the whole batch is accepted as it stands. If so, nothing below it is set.
    is_plain boolean;
    -- Parallel to the arguments. Not open: has a result, or comes a second time.
    open_of boolean[];
    accepted_of boolean[];
    -- Accepted after a later capture of the key.
    late_of boolean[];
    -- Why a capture is rejected, before and after its counter was looked at.
    decided_of text[];
    conclusion_of text[];
    -- The highest one accepted before, where the capture's own is none above it.
    highest_of bigint[];
    -- What has a result already, and what got one.
    settled uuid[];
    fresh uuid[];
    -- Whether such a result is another capture's.
    is_other boolean;
BEGIN
    -- 1. One batch at a time per key, in key order: batches never wait for each other in a circle.
    PERFORM 1 FROM counters
    WHERE key_id = ANY (ARRAY(SELECT devices.key_id FROM devices WHERE devices.id = ANY (device_of)))
    ORDER BY key_id
    FOR NO KEY UPDATE;
    moment := clock_timestamp();
    -- The row is of the ledger's own making; what the worker brings was in Redis meanwhile.
    time_of := ARRAY(
        SELECT coalesce(
            (
                SELECT greatest(least(intake.received_at, intake.recorded_at), intake.recorded_at - interval '10 minutes')
                FROM intake WHERE intake.capture_id = id_of[n]
            ),
            least(received_of[n], moment))
        FROM generate_series(1, cardinality(id_of)) AS n
        ORDER BY n
    );

    -- 2. Decide. First what nothing speaks against: every device is in force and stands in one place of the batch, and its
    -- counters rise, from above the highest. No such capture can be a verified one; whether it has another result is seen
    -- when it is recorded, and changes nothing for those after it.
    is_plain := NOT EXISTS (
        SELECT FROM generate_series(1, cardinality(id_of)) AS n
        WHERE (known_of[n] AND rejection_of[n] IS NULL
            AND (device_of[n] IS DISTINCT FROM device_of[n - 1] OR counter_of[n] > counter_of[n - 1])) IS NOT TRUE
    );
    IF is_plain THEN
        WITH run AS (
            SELECT n AS first, lead(n, 1, cardinality(id_of) + 1) OVER (ORDER BY n) - 1 AS last
            FROM generate_series(1, cardinality(id_of)) AS n
            WHERE device_of[n] IS DISTINCT FROM device_of[n - 1]
        )
        SELECT array_agg(run.first), array_agg(run.last), array_agg(device.key_id), array_agg(device.level),
            array_agg(device.environment), array_agg(device.app_id), array_agg(device.trust_root),
            count(*) = count(DISTINCT device.key_id) AND bool_and((device.revoked_at IS NULL
                AND device.superseded_at IS NULL AND counter_of[run.first] > held.capture_highest) IS TRUE)
        INTO first_of, last_of, key_of, level_of, environment_of, app_of, root_of, is_plain
        FROM run
        LEFT JOIN devices AS device ON device.id = device_of[run.first]
        LEFT JOIN counters AS held ON held.key_id = device.key_id;
    END IF;

    -- Then everything else, capture by capture.
    IF NOT is_plain THEN
        -- Planned each time: a plan that was made while the table was known to be empty reads whichever index of it seemed the
        -- smallest from end to end, once for every capture, for as long as nobody analyses it.
        EXECUTE 'SELECT array_agg(id) FROM captures WHERE id = ANY ($1)' INTO settled USING id_of;
        WITH input AS (
            SELECT input.*, NOT coalesce(input.id = ANY (settled), false)
                AND row_number() OVER (PARTITION BY input.id ORDER BY input.place) = 1 AS is_open
            FROM unnest(id_of, device_of, known_of, counter_of, rejection_of, time_of)
                WITH ORDINALITY AS input (id, device_id, known, counter, rejection, received_at, place)
        ), judged AS (
            SELECT input.place, input.counter, input.is_open, device.key_id, device.level, device.environment,
                device.app_id, device.trust_root, held.capture_highest AS stored,
                CASE WHEN device.superseded_at IS NOT NULL THEN device.id END AS succeeded,
                CASE
                    -- Succession counts as revocation; both from their moment on.
                    WHEN least(device.revoked_at, device.superseded_at) <= input.received_at THEN 'DEVICE_REVOKED'
                    WHEN rejection IS NOT NULL THEN rejection
                    WHEN device.id IS NULL THEN 'DEVICE_UNKNOWN'
                END AS decided
            FROM input
            LEFT JOIN devices AS device ON device.id = input.device_id AND input.known
            LEFT JOIN counters AS held ON held.key_id = device.key_id
        ), own AS MATERIALIZED (
            -- The highest counter of each registration that was superseded and has anything to decide. Most often it is one
            -- of the key's highest; else it is looked for among the registration's own, however many its successor has.
            SELECT asked.succeeded, coalesce(
                (
                    SELECT latest.counter
                    FROM (
                        SELECT captures.device_id, captures.counter FROM captures
                        WHERE captures.key_id = asked.key_id AND captures.verdict = 'verified'
                        ORDER BY captures.counter DESC LIMIT 100
                    ) AS latest
                    WHERE latest.device_id = asked.succeeded
                    ORDER BY latest.counter DESC LIMIT 1
                ),
                (
                    SELECT max(each.counter)
                    FROM (
                        SELECT captures.counter FROM captures
                        WHERE captures.device_id = asked.succeeded AND captures.verdict = 'verified'
                        -- As the index of a device's captures has them, lest one of all captures will do while there are none.
                        ORDER BY captures.confidence
                    ) AS each
                ), 0) AS highest
            FROM (
                SELECT DISTINCT judged.key_id, judged.succeeded FROM judged
                WHERE judged.is_open AND judged.decided IS NULL AND judged.succeeded IS NOT NULL
            ) AS asked
        ), counted AS (
            -- Among those that only the counter decides: the highest one of the key before each. The running maximum over all
            -- of them is that over the accepted ones, since a new maximum is accepted.
            SELECT judged.*, own.highest AS own_stored,
                judged.is_open AND decided IS NULL AS is_counted, used.counter IS NOT NULL AS is_used,
                greatest(stored, max(judged.counter) OVER (
                    PARTITION BY judged.key_id, judged.is_open AND decided IS NULL ORDER BY judged.place
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS key_highest
            FROM judged
            LEFT JOIN own ON own.succeeded = judged.succeeded
            LEFT JOIN LATERAL (
                SELECT captures.counter FROM captures
                WHERE judged.is_open AND judged.decided IS NULL AND judged.counter <= judged.stored
                    AND captures.key_id = judged.key_id AND captures.counter = judged.counter
                    AND captures.verdict = 'verified'
                LIMIT 1
            ) AS used ON true
        ), taken AS (
            -- Whether the counter is used, or the registration in force, which is held to the key's highest one, has taken it
            -- before in this batch.
            SELECT counted.*, is_used OR coalesce(
                bool_or(is_counted AND succeeded IS NULL AND counter > greatest(key_highest - back, 0)) OVER (
                    PARTITION BY key_id, is_counted, counter ORDER BY counted.place
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), false) AS is_taken
            FROM counted
        ), ranked AS (
            -- A registration that was superseded is held to its own: a new maximum of it is accepted unless it is taken.
            SELECT taken.*,
                CASE WHEN succeeded IS NULL THEN key_highest ELSE greatest(own_stored,
                    max(counter) FILTER (WHERE NOT is_taken) OVER (
                        PARTITION BY key_id, succeeded, is_counted ORDER BY taken.place
                        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) END AS highest
            FROM taken
        ), possible AS (
            SELECT ranked.*, is_counted AND NOT is_taken AND counter > greatest(highest - back, 0) AS is_possible
            FROM ranked
        ), compared AS (
            -- The first that could be accepted is, whatever of the same counter could not be before it.
            SELECT possible.*,
                is_possible AND row_number() OVER (
                    PARTITION BY key_id, counter, is_possible ORDER BY possible.place) = 1 AS is_accepted
            FROM possible
        ), concluded AS (
            SELECT compared.*,
                CASE
                    WHEN is_accepted THEN NULL
                    WHEN decided IS NOT NULL THEN decided
                    WHEN is_used OR bool_or(is_accepted) OVER (
                        PARTITION BY key_id, is_counted, counter ORDER BY compared.place
                        ROWS UNBOUNDED PRECEDING) THEN 'COUNTER_REPLAY'
                    ELSE 'COUNTER_STALE'
                END AS conclusion
            FROM compared
            ORDER BY compared.place
        )
        SELECT array_agg(place), array_agg(place), array_agg(key_id), array_agg(level), array_agg(environment),
            array_agg(app_id), array_agg(trust_root), array_agg(is_open), array_agg(is_accepted),
            array_agg(is_accepted AND counter < highest),
            array_agg(decided), array_agg(conclusion),
            array_agg(CASE
                WHEN is_counted AND counter <= highest THEN highest
                -- Of a registration that was superseded: its successor has taken the counter.
                WHEN is_counted AND NOT is_accepted THEN key_highest
            END)
        INTO first_of, last_of, key_of, level_of, environment_of, app_of, root_of,
            open_of, accepted_of, late_of, decided_of, conclusion_of, highest_of
        FROM concluded;
    END IF;

    -- 3. Record it, and move the counters.
    WITH recorded AS (
        INSERT INTO captures (
            id, device_id, key_id, verdict, reason, confidence, counter, counter_policy, binding, photo_digest,
            depth_digest, metadata_digest, client_data_hash, photo_bytes, depth_bytes, assertion, metadata, checks,
            attempts, redriven, level, environment, app_id, trust_root, captured_at, received_at, verified_at,
            settled_at, processor_version, counter_highest
        )
        SELECT id_of[n], device_of[n], key_id, CASE WHEN is_accepted THEN 'verified' ELSE 'rejected' END,
            conclusion_of[n],
            CASE
                WHEN NOT is_accepted THEN 'none'
                -- Nobody vouches for the key: never more than medium.
                WHEN level = 'unverified' AND confidence_of[n] = 'high' THEN 'medium'
                ELSE confidence_of[n]
            END,
            counter_of[n], policy_text, binding_of[n], photo_digest_of[n], depth_digest_of[n], metadata_digest_of[n],
            client_data_hash_of[n], photo_bytes_of[n], depth_bytes_of[n], assertion_of[n], metadata_of[n],
            -- The last one of a name counts.
            (CASE checks_of[n] WHEN '{}' THEN '{' ELSE left(checks_of[n], -1) || ',' END || CASE
                WHEN late_of[n] THEN '"counter":{"outcome":"pass","reason":"COUNTER_OUT_OF_ORDER"}}'
                WHEN is_accepted THEN '"counter":{"outcome":"pass"}}'
                WHEN decided_of[n] IS NULL THEN '"counter":{"outcome":"fail","reason":"' || conclusion_of[n] || '"}}'
                WHEN decided_of[n] IS DISTINCT FROM rejection_of[n] THEN
                    '"device":{"outcome":"fail","reason":"' || decided_of[n]
                    || '"},"counter":{"outcome":"unavailable","reason":"NOT_EVALUATED"}}'
                ELSE '"counter":{"outcome":"unavailable","reason":"NOT_EVALUATED"}}'
            END)::jsonb,
            attempts_of[n], redriven_of[n], coalesce(level, 'unverified'), environment, app_id, trust_root,
            captured_of[n], time_of[n], verified_of[n], moment, version_text,
            highest_of[n]
        FROM (
            SELECT n, coalesce(accepted_of[n], is_plain) AS is_accepted, run.*
            FROM unnest(first_of, last_of, key_of, level_of, environment_of, app_of, root_of)
                AS run (first, last, key_id, level, environment, app_id, trust_root),
                generate_series(run.first, run.last) AS n
            WHERE coalesce(open_of[n], is_plain)
            ORDER BY id_of[n], n
        ) AS input
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
        SELECT n, CASE WHEN coalesce(accepted_of[n], is_plain) THEN 'verified' ELSE 'rejected' END, conclusion_of[n], false
        FROM generate_series(1, cardinality(id_of)::bigint) AS n;
    ELSE
        EXECUTE $query$
            SELECT EXISTS (
                SELECT FROM unnest($1, $2, $3, $4, $5) AS asked (id, device_id, photo, depth, metadata)
                JOIN captures ON captures.id = asked.id
                WHERE (asked.device_id, asked.photo, asked.depth, asked.metadata)
                    <> (captures.device_id, captures.photo_digest, captures.depth_digest, captures.metadata_digest)
            )
        $query$ INTO is_other USING id_of, device_of, photo_digest_of, depth_digest_of, metadata_digest_of;
        IF is_other THEN
            RAISE EXCEPTION 'the capture''s id is that of another one, which has a result';
        END IF;
        RETURN QUERY EXECUTE $query$
            SELECT asked.place, captures.verdict, captures.reason,
                NOT coalesce(asked.id = ANY ($2), false)
                    OR row_number() OVER (PARTITION BY asked.id ORDER BY asked.place) > 1
            FROM unnest($1) WITH ORDINALITY AS asked (id, place)
            JOIN captures ON captures.id = asked.id
            ORDER BY asked.place
        $query$ USING id_of, fresh;
    END IF;
END
$$;
