/// Fills the record of a test with results, by one statement instead of as many settlements.
enum VerifiedResults {
    /// SQL for verified results of every device: their counters begin with 1, and each is received a second after the one
    /// before.
    /// - Parameter start: When they begin, as PostgreSQL reads a time.
    static func insert(_ count: Int, from start: String) -> String {
        """
        INSERT INTO captures (
            id, device_id, key_id, verdict, confidence, counter, counter_policy, binding, photo_digest, depth_digest,
            metadata_digest, client_data_hash, photo_bytes, depth_bytes, assertion, metadata, checks, attempts,
            redriven, level, received_at, verified_at, settled_at, processor_version)
        SELECT gen_random_uuid(), devices.id, key_id, 'verified', 'high', n, 'strict', 'concat-v1',
            sha256(n::text::bytea), sha256(''), sha256(''), sha256(''), 1, 1, '', '',
            '{"counter": {"outcome": "pass"}}', 1, false, 'secure_enclave', timestamptz '\(start)' + n * interval '1 second', now(), now(), '0'
        FROM devices, generate_series(1, \(count)) AS n
        """
    }
}
