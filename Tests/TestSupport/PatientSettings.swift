/// Settings with which no server counts as away because the machine is busy with everybody's tests.
///
/// Tests of servers that are away take limits of their own.
package enum PatientSettings {
    /// How long every program waits for Redis and PostgreSQL.
    ///
    /// A program takes the shortest of the limits that concern it, so all of them are here.
    package static let servers = [
        "CAPTURE_REDIS_CONNECT_TIMEOUT": "20s", "CAPTURE_REDIS_COMMAND_TIMEOUT": "60s",
        "CAPTURE_REDIS_SEND_TIMEOUT": "60s",
        "CAPTURE_POSTGRES_CONNECT_TIMEOUT": "20s", "CAPTURE_POSTGRES_ACQUIRE_TIMEOUT": "60s",
        "CAPTURE_POSTGRES_STATEMENT_TIMEOUT": "60s", "CAPTURE_POSTGRES_LOCK_TIMEOUT": "60s",
        "CAPTURE_GATEWAY_SERVER_TIMEOUT": "60s", "CAPTURE_GATEWAY_READINESS_TIMEOUT": "30s",
        "CAPTURE_WORKER_READINESS_TIMEOUT": "30s", "CAPTURE_INTAKE_WAIT": "30s", "CAPTURE_INTAKE_RESTORE_WAIT": "30s",
    ]
}
