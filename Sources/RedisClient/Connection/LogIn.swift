import NIOCore

/// The commands that open every connection: user, database and client name.
struct LogIn {
    let commands: [RedisCommand]
    private let password: String?
    private let nameIndex: Int?
    private let roleIndex: Int?

    /// - Parameter asksRole: Whether to ask the server if it is a replica.
    init(configuration: RedisConfiguration, asksRole: Bool) {
        var commands: [RedisCommand] = []
        password = configuration.password
        if let password = configuration.password {
            // `AUTH password` is the form of servers before ACL (Redis 6), and means the user `default` since.
            let user = configuration.username.map { [RedisArgument.string($0)] } ?? []
            commands.append(RedisCommand("AUTH", user + [.string(password)]))
        }
        if configuration.database != 0 {
            commands.append(RedisCommand("SELECT", [.integer(configuration.database)]))
        }
        if let name = configuration.clientName {
            nameIndex = commands.count
            commands.append(RedisCommand("CLIENT", ["SETNAME", .string(name)]))
        } else {
            nameIndex = nil
        }
        roleIndex = asksRole ? commands.count : nil
        if asksRole { commands.append(RedisCommand("ROLE")) }
        // Setting a name proves no access, and there may be no name: PING always tests it.
        commands.append(RedisCommand("PING"))
        self.commands = commands
    }

    /// The commands as one entry of the pipeline.
    func pending(_ promise: EventLoopPromise<[RedisValue]>, timeout: TimeAmount) -> PendingCommand<Waiter> {
        PendingCommand(
            id: 0, payload: .several(commands), replyCount: commands.count, byteCount: 0, timeout: timeout,
            sendBy: .distantFuture, ticket: .promises(promise)
        )
    }

    /// Why the log-in failed; `nil` if it did not.
    ///
    /// Any error to `AUTH` or `SELECT` is a failure: a connection whose `SELECT` was refused would go on in database 0.
    /// Errors to `CLIENT SETNAME` and `ROLE` are ignored. So is a `PING` that the ACL forbids, or that a transient
    /// state refuses (loading, no link to the master): commands then get the server's own answers.
    func fault(in replies: [RedisValue]) -> RedisError? {
        for (index, reply) in replies.enumerated() where index != nameIndex && index != roleIndex {
            guard let error = reply.error else { continue }
            let isPing = index == commands.count - 1
            if isPing, error.isTransient || error.prefix == "NOPERM" { continue }
            return RedisError(password != nil && index == 0 ? Self.discreet(error) : error)
        }
        return nil
    }

    /// The server's reason for closing the connection, if it gave one error line and no more; otherwise `nil`.
    ///
    /// Redis rejects a connection with an unrequested line: too many clients, protected mode (`src/networking.c`,
    /// `acceptCommonHandler`).
    func dismissal(in replies: [RedisValue]) -> RedisError? {
        guard replies.count == 1, let error = replies[0].error else { return nil }
        let isQuoting = password.map { error.message.contains($0) } ?? false
        let line = isQuoting ? Self.discreet(error) : error
        return RedisError(.connection, "the server closed the connection: \(line)")
    }

    /// The answer to `AUTH` in words that cannot quote the password.
    private static func discreet(_ error: RedisServerError) -> RedisServerError {
        let isKnown = knownRefusals.contains { error.message.hasPrefix($0) }
        return isKnown || error.isTransient ? error : RedisServerError("\(error.prefix) the log-in was refused")
    }

    /// Answers of Redis to `AUTH` that quote no argument.
    private static let knownRefusals = ["WRONGPASS ", "NOAUTH ", "NOPERM ", "ERR AUTH <password> called without"]

    /// Whether the server was asked and says that it is a replica.
    func isOfReplica(_ replies: [RedisValue]) -> Bool {
        guard let roleIndex, replies.indices.contains(roleIndex) else { return false }
        return replies[roleIndex].array?.first?.string == "slave"
    }
}
