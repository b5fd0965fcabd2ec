import CaptureStore
import RedisClient
import Testing

@Suite("Which faults are tried again")
struct RetryPolicyTests {
    @Test(arguments: [
        "LOADING Redis is loading the dataset in memory", "READONLY You can't write against a read only replica.",
        "OOM command not allowed when used memory > 'maxmemory'.", "BUSY Redis is busy running a script.",
        "MASTERDOWN Link with MASTER is down", "CLUSTERDOWN The cluster is down", "TRYAGAIN Multiple keys request",
        "NOREPLICAS Not enough good replicas to write.",
        "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
        "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
    ])
    func `what a Redis says that starts, fails over or is full passes by itself`(line: String) {
        #expect(RedisServerError(line).isTransient)
    }

    @Test(arguments: [
        "ERR unknown command", "WRONGTYPE Operation against a key", "NOAUTH Authentication required.",
        "NOPERM this user has no permissions", "INVALID device: not a UUID",
    ])
    func `what a Redis refuses is not tried again`(line: String) {
        #expect(!RedisServerError(line).isTransient)
    }

    @Test func `what the record refuses concerns what was sent, and what is tried again later nobody's capture`() {
        #expect(!StoreError(.unavailable, "away").mayBeOfOneCapture)
        #expect(!StoreError(.conflict, "deadlock").mayBeOfOneCapture)
        #expect(!StoreError(.refused, "no permission", scope: .everybody).mayBeOfOneCapture)
        #expect(StoreError(.refused, "never sent").mayBeOfOneCapture)
        #expect(StoreError(.malformedRow, "no verdict").mayBeOfOneCapture)
    }
}
