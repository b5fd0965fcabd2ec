import Synchronization

/// The state of a link that other threads may read: how much waits there, and whether it is up.
final class LinkGauge: Sendable {
    private let commands = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)
    private let up = Atomic<Bool>(false)
    private let commandsMax: Int
    private let bytesMax: Int

    init(commandsMax: Int, bytesMax: Int) {
        self.commandsMax = commandsMax
        self.bytesMax = bytesMax
    }

    /// Whether commands are being written.
    var isUp: Bool {
        get { up.load(ordering: .relaxed) }
        set { up.store(newValue, ordering: .relaxed) }
    }

    /// Commands accepted and not yet answered.
    var outstanding: Int { commands.load(ordering: .relaxed) }

    /// Counts commands in, if there is room.
    ///
    /// - Throws: ``RedisError`` with code `backlogFull` if either bound would be passed.
    func admit(commands count: Int, bytes byteCount: Int) throws(RedisError) {
        let total = commands.add(count, ordering: .relaxed).newValue
        let totalBytes = bytes.add(byteCount, ordering: .relaxed).newValue
        // A command that is alone may be larger than the byte bound; otherwise it could never be sent.
        guard total <= commandsMax, totalBytes <= bytesMax || total == count else {
            release(commands: count, bytes: byteCount)
            throw RedisError(.backlogFull, "too many commands wait for the server")
        }
    }

    /// Counts commands that must be sent regardless of the bounds: a log-in.
    func admitAlways(commands count: Int) {
        commands.add(count, ordering: .relaxed)
    }

    /// Gives the room back.
    func release(commands count: Int, bytes byteCount: Int) {
        commands.subtract(count, ordering: .relaxed)
        bytes.subtract(byteCount, ordering: .relaxed)
    }
}
