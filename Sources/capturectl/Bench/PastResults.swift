import PostgresClient

/// Results of years gone by, as settling leaves them: ten of each of as many devices, with their ledger rows closed.
///
/// Written by SQL: a million captures that nobody signed are no captures, but tables and indexes are of the size that
/// they would have.
struct PastResults: Sendable {
    private static let perDevice = 10
    /// Results of one statement.
    private static let page = 20_000

    let database: PostgresClient

    /// Adds results from one number to another.
    func write(from first: Int, to last: Int, progress: (Int) -> Void) async throws {
        for start in stride(from: first, to: last, by: Self.page) {
            let end = min(start + Self.page, last)
            try await database.withTransaction { connection throws(PostgresError) in
                let devices: [PostgresValue] = [
                    .int8(Int64(start / Self.perDevice)), .int8(Int64((end - 1) / Self.perDevice)),
                ]
                _ = try await connection.execute(Self.counters, devices)
                _ = try await connection.execute(Self.devices, devices)
                _ = try await connection.execute(Self.results, [.int8(Int64(start)), .int8(Int64(end - 1))])
            }
            progress(end)
        }
    }

    private static let counters = PostgresStatement(
        "past_counters",
        """
        INSERT INTO counters (key_id, capture_highest, last_seen)
        SELECT sha256(int8send(n)), 10, now() FROM generate_series($1::bigint, $2::bigint) AS n
        ON CONFLICT DO NOTHING
        """)

    private static let devices = PostgresStatement(
        "past_devices",
        """
        INSERT INTO devices (
            id, key_id, algorithm, public_key, level, environment, app_id, trust_root, platform, model, has_lidar,
            attestation_object, client_data_hash, registered_at
        )
        SELECT
            md5('device ' || n)::uuid, sha256(int8send(n)), 'p256', '\\x04' || sha256(int8send(n)) || sha256(int8send(-n)),
            'secure_enclave', 'production', 'BENCHTEAM1.org.example.capture', 'TEST ONLY', 'ios', 'iPhone17,1', true,
            '\\x00', '\\x00', now() - interval '2 years'
        FROM generate_series($1::bigint, $2::bigint) AS n
        ON CONFLICT DO NOTHING
        """)

    /// Places follow each other, so the ten of a device have different last digits: these are the counters.
    private static let results = PostgresStatement(
        "past_results",
        """
        WITH closed AS (
            INSERT INTO intake (
                capture_id, bundle_digest, device_id, binding, assertion, metadata, photo_digest, depth_digest,
                photo_bytes, depth_bytes, received_at, bundle_store, recorded_at, closed_at
            )
            SELECT
                -- RFC 9562 version 7, as every capture's id.
                (lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || '70008'
                    || right(md5('capture ' || n), 15))::uuid,
                sha256(int8send(n) || 'bundle'), md5('device ' || n / 10)::uuid, 'concat-v1', '', '',
                sha256(int8send(n) || 'photo'), sha256(int8send(n) || 'depth'), 4080, 16, moment, 'redis', moment, moment
            FROM generate_series($1::bigint, $2::bigint) AS n, LATERAL (
                SELECT date_trunc('day', now()) - interval '1 year' + n * interval '20 seconds' AS moment
            ) AS past
            RETURNING *
        )
        INSERT INTO captures (
            id, device_id, key_id, verdict, confidence, counter, counter_policy, binding, photo_digest, depth_digest,
            metadata_digest, photo_bytes, depth_bytes, assertion, metadata, checks, attempts, redriven, level,
            environment, app_id, trust_root, captured_at, received_at, verified_at, settled_at, processor_version
        )
        SELECT
            capture_id, device_id, key_id, 'verified', 'high', place % 10 + 1, 'strict', binding, photo_digest,
            depth_digest, sha256(photo_digest), photo_bytes, depth_bytes, sha512(photo_digest) || sha512(depth_digest),
            convert_to(repeat('metadata ', 40), 'UTF8'),
            '{"assertion": {"outcome": "pass"}, "binding": {"outcome": "pass"}, "counter": {"outcome": "pass"},
              "depth": {"outcome": "pass"}, "device": {"outcome": "pass"}, "metadata": {"outcome": "pass"},
              "photo": {"outcome": "pass"}}',
            1, false, level, environment, app_id, trust_root, received_at, received_at, received_at, received_at, 'bench'
        FROM closed JOIN devices ON devices.id = device_id
        """)
}
