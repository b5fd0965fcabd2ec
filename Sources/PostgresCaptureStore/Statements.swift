import PostgresClient

/// Every statement of the record; the names are unique.
enum Statements {
    /// All statements, for the tests.
    static let all: [PostgresStatement] =
        [
            settle, counterConflicts, result, results, settledAmong, uploaded, laterAttestation, advanceRequestCounter,
            noteRequest, recordAudit, auditTrail, auditLog, auditLogOfSubject, auditPlace, auditPlaceOfSubject,
            auditMoment, time, ensureCounters, lockKey, keyHolder, supersede, reinstate,
            insertDevice, insertDeviceCheck, deviceOfKey, device, devices, deviceRecord, revoke, listDevices,
            listDevicesAfter, missingRights, grantee, durabilitySettings, durabilityStandbys,
            transactionIDsUsed, transactionIDHolders,
        ] + migrations + installations + intake + archive + receipts + registry + invitations + enrolments
}
