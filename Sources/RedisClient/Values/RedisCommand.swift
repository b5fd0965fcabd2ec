/// A command and its arguments, not yet encoded.
///
/// ```swift
/// RedisCommand("SET", ["greeting", .buffer(bytes), "PX", .integer(500)])
/// ```
package struct RedisCommand: Sendable {
    /// The command's name; the server does not mind its case.
    package let name: String
    /// What follows the name.
    package let arguments: [RedisArgument]

    /// Names a command.
    package init(_ name: String, _ arguments: [RedisArgument] = []) {
        self.name = name
        self.arguments = arguments
    }

    /// The bytes that count against ``RedisConfiguration/backlogBytesMax``: the arguments and roughly their framing.
    var byteCount: Int {
        arguments.reduce(name.utf8.count + 16) { $0 + $1.byteCount + 8 }
    }
}
