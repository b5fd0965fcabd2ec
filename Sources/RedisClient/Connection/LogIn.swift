import NIOCore

/// The commands that open every connection: who we are, which database, what we are called.
struct LogIn {
    let commands: [RedisCommand]
    private let nameIndex: Int?
    private let roleIndex: Int?

    /// - Parameter asksRole: Whether the server is asked if it is a replica.
    init(configuration: RedisConfiguration, asksRole: Bool) {
        var commands: [RedisCommand] = []
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
        // A name alone proves nothing about access, and there may be none: a PING always answers.
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

    /// Why the server does not let us in; nil if it does.
    ///
    /// Who we are and which database must be settled, whatever keeps the server from it: a connection whose `SELECT`
    /// was refused would go on in database 0. Only then does a server that may not be named or asked for its role (an
    /// ACL without `CLIENT` or `ROLE`), that may not be pinged, that is loading or that misses its master let us in all
    /// the same: commands get its answer to them.
    func fault(in replies: [RedisValue]) -> RedisError? {
        for (index, reply) in replies.enumerated() where index != nameIndex && index != roleIndex {
            guard let error = reply.error else { continue }
            let isPing = index == commands.count - 1
            if isPing, error.isTransient || error.prefix == "NOPERM" { continue }
            return RedisError(error)
        }
        return nil
    }

    /// Whether the server was asked and says that it is a replica.
    func isOfReplica(_ replies: [RedisValue]) -> Bool {
        guard let roleIndex, replies.indices.contains(roleIndex) else { return false }
        return replies[roleIndex].array?.first?.string == "slave"
    }
}
