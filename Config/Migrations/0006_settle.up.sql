-- capture_settle_v1: checks the counters of a batch of captures, advances them and writes the results, in one round trip and
-- one transaction. Nothing else compares or moves a capture's counter, and nothing else writes a result.
--
-- All arrays but `checks` are parallel, one element per capture. Captures of one key count in the order of the arrays. The
-- answer is in the same order.
--
-- Each capture is decided by the first of these that holds:
-- - DEVICE_REVOKED: its device was revoked or superseded when the capture was received, or before. No moment is ever written
--   that lies ahead of now. One that does, by more than the second that clocks are corrected by, was made under a clock that
--   was set back since, and counts as made.
-- - The verification's own rejection.
-- - DEVICE_UNKNOWN: its device was not registered when it was verified.
-- - Verified: no verified capture of the key has its counter, and it is above the highest one (strict) or above that less
--   `back` (window). If it is not above the highest one, its check passes as COUNTER_OUT_OF_ORDER.
-- - COUNTER_REPLAY: a verified capture of the key has its counter, from an earlier batch or from before it in this one.
-- - COUNTER_STALE: all else.
--
-- The highest counter is the key's, with what was accepted before it in this batch. It belongs to the key and not to a
-- registration. Only verified captures move it, and it never goes down. The result of a capture whose counter is not above
-- it keeps what it was (counter_highest).
--
-- Superseded registrations: another registration of a key may have taken the place of the one before. The captures of the two
-- are in two lanes, and the later ones may be settled first. So captures of a superseded registration are not held to the
-- key's highest counter, but to what that was at the succession (devices.superseded_highest), which each one that is accepted
-- raises. Those of its successor make none of them stale. A counter that either has used is used for both. A batch with
-- captures of both decides as if they came one by one: a counter is taken by the capture that is accepted with it, and not by
-- the first that has it.
--
-- The same capture again: one that has a result keeps it. Nothing is decided or moved for it again, and the answer is
-- that result. So a batch that runs twice has the effect and the verdicts of one run. A capture under the id of a result of
-- another device, photo, depth map or metadata is refused, and told nothing of that result: the whole batch fails with the
-- constraint id_of_another_capture_with_result, which is no table's. Programs tell nothing of a refusal but its constraint,
-- as its words may quote data.
--
-- When a capture was received: what the worker says was in Redis meanwhile. So the ledger's row decides, if there is one. A
-- gateway told its time by its own clock, so it counts within what the record's clock says of when the row was written: no
-- later than that, and at most ten minutes earlier. A clock that is behind makes no capture older than a revocation. But a row
-- that was written more than a second after this moment, to go by its clock, was written under a clock that was set back since
-- and says nothing: then the gateway's clock counts. With a row or without one, the capture was received at this moment at the
-- latest. So what was received before a revocation stays valid. The result keeps the time that decided.
--
-- The trigger captures_close_intake deletes or closes the ledger's rows in the same transaction.
--
-- Order of locks, the same in every transaction so that none waits in a circle: keys in order, then results in order, then
-- rows of the ledger in order. Each statement of a function sees what was committed before it began (READ COMMITTED): those
-- after the first one see everything that earlier holders of the keys have done. One big statement would not.
--
-- Cost:
-- - A batch of which every capture is simply accepted is seen to be one by a look at each lane's device and the order of its
--   counters, without the search among earlier results that everything else needs.
-- - Elements are taken from the arrays by their place: `unnest` of them all would copy each one twice. Only places are
--   sorted, not evidence.
-- - The checks of most captures are the same. Each text is read once for a batch, and the counter's check put into it.
-- - Plans stay good from the first row to the hundred millionth: by index, one row at a time, planned once. PostgreSQL keeps
--   a plan for as long as a connection lasts, and one that was made while a table was known to be empty would go through all
--   of it for each batch. A bitmap is never the way: it is all there before its first row, and one row is looked for, or a
--   batch's.
CREATE FUNCTION capture_settle_v1(
    policy_text text, -- the counter policy as results name it
    back bigint, -- 0: strict. n > 0: an unused counter that is greater than the highest − n is taken too
    version_text text, -- the version of the program that settles
    id_of uuid[],
    device_of uuid[],
    known_of boolean[], -- whether the verification found the device registered
    counter_of bigint[], -- the authenticated counter, or NULL
    rejection_of text[], -- why the verification decided against the capture, or NULL
    confidence_of text[], -- what it becomes if it is verified; `medium` at most if nobody vouches for the key
    checks text[], -- the checks that captures of the batch have, all but the counter's, as JSON objects, each text once
    checks_at integer[], -- which of `checks` the capture has, from 1
    binding_of text[],
    photo_digest_of bytea[],
    depth_digest_of bytea[],
    metadata_digest_of bytea[],
    client_data_hash_of bytea[], -- what the assertion signs
    photo_bytes_of bigint[], -- how many bytes the photo has
    depth_bytes_of bigint[], -- how many bytes the depth map has
    assertion_of bytea[],
    metadata_of bytea[],
    attempts_of integer[], -- which attempt this is, from 1
    redriven_of boolean[], -- whether an operator has put it back
    captured_of timestamptz[], -- when the phone says that it took the photo, or NULL
    received_of timestamptz[], -- when the job says that it was received
    verified_of timestamptz[]
) RETURNS TABLE (
    place bigint, -- which element, from 1
    verdict text, -- `verified` or `rejected`
    reason text, -- of a rejected one
    settled_before boolean -- whether an earlier run had settled it, or an element before it
)
LANGUAGE plpgsql VOLATILE
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
    -- Accepted of a superseded registration.
    succeeded_of boolean[];
    -- Why a capture is rejected, before and after its counter was looked at.
    decided_of text[];
    conclusion_of text[];
    -- The highest one accepted before, where the capture's own is none above it.
    highest_of bigint[];
    -- Parallel to `checks`: as they come, and with the counter's check of an accepted capture that is not late.
    read_checks jsonb[] := checks::jsonb[];
    passed_checks jsonb[] := ARRAY(
        SELECT one || '{"counter": {"outcome": "pass"}}'
        FROM unnest(read_checks) WITH ORDINALITY AS all_of (one, place)
        ORDER BY place
    );
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
        SELECT least(moment, coalesce(
            (
                SELECT CASE
                    WHEN intake.recorded_at > moment + interval '1 second' THEN intake.received_at
                    ELSE greatest(least(intake.received_at, intake.recorded_at), intake.recorded_at - interval '10 minutes')
                END
                FROM intake WHERE intake.capture_id = id_of[n]
            ),
            received_of[n]))
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
                device.superseded_highest AS own_stored,
                CASE
                    -- Succession counts as revocation; both from their moment on.
                    WHEN least(device.revoked_at, device.superseded_at) <= input.received_at
                        OR least(device.revoked_at, device.superseded_at) > moment + interval '1 second'
                        THEN 'DEVICE_REVOKED'
                    WHEN rejection IS NOT NULL THEN rejection
                    WHEN device.id IS NULL THEN 'DEVICE_UNKNOWN'
                END AS decided
            FROM input
            LEFT JOIN devices AS device ON device.id = input.device_id AND input.known
            LEFT JOIN counters AS held ON held.key_id = device.key_id
        ), counted AS (
            -- Among those that only the counter decides: the highest one of the key before each. The running maximum over all
            -- of them is that over the accepted ones, since a new maximum is accepted.
            SELECT judged.*,
                judged.is_open AND decided IS NULL AS is_counted, used.counter IS NOT NULL AS is_used,
                greatest(stored, max(judged.counter) OVER (
                    PARTITION BY judged.key_id, judged.is_open AND decided IS NULL ORDER BY judged.place
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS key_highest
            FROM judged
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
            array_agg(is_accepted AND counter < highest), array_agg(is_accepted AND succeeded IS NOT NULL),
            array_agg(decided), array_agg(conclusion),
            array_agg(CASE
                WHEN is_counted AND counter <= highest THEN highest
                -- Of a registration that was superseded: its successor has taken the counter.
                WHEN is_counted AND NOT is_accepted THEN key_highest
            END)
        INTO first_of, last_of, key_of, level_of, environment_of, app_of, root_of,
            open_of, accepted_of, late_of, succeeded_of, decided_of, conclusion_of, highest_of
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
            CASE
                WHEN is_accepted AND late_of[n] IS NOT TRUE THEN passed_checks[checks_at[n]]
                -- Of two of one name the latter counts.
                ELSE read_checks[checks_at[n]] || CASE
                    WHEN is_accepted THEN '{"counter": {"outcome": "pass", "reason": "COUNTER_OUT_OF_ORDER"}}'
                    WHEN decided_of[n] IS NULL THEN
                        jsonb_build_object('counter', jsonb_build_object('outcome', 'fail', 'reason', conclusion_of[n]))
                    WHEN decided_of[n] IS DISTINCT FROM rejection_of[n] THEN
                        jsonb_build_object('device', jsonb_build_object('outcome', 'fail', 'reason', decided_of[n]))
                        || '{"counter": {"outcome": "unavailable", "reason": "NOT_EVALUATED"}}'
                    ELSE '{"counter": {"outcome": "unavailable", "reason": "NOT_EVALUATED"}}'
                END
            END,
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
    IF true = ANY (succeeded_of) THEN
        UPDATE devices SET superseded_highest = gain.highest
        FROM (
            SELECT device_of[n] AS id, max(counter_of[n]) AS highest
            FROM generate_series(1, cardinality(id_of)) AS n
            WHERE succeeded_of[n] AND id_of[n] = ANY (fresh)
            GROUP BY device_of[n]
        ) AS gain
        WHERE devices.id = gain.id AND devices.superseded_highest < gain.highest;
    END IF;

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
            RAISE EXCEPTION 'the capture''s id is that of another one, which has a result'
                USING CONSTRAINT = 'id_of_another_capture_with_result';
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
