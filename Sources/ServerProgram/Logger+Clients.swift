package import Logging

extension Logger {
    /// The log of a program's clients of Redis.
    ///
    /// They tell of each connection when `log.level` is `debug`; otherwise the program itself tells once that a server
    /// is away, and once that it is back, however many connections and clients it has.
    package var ofClients: Logger {
        guard logLevel > .debug else { return self }
        var quiet = self
        quiet.logLevel = .critical
        return quiet
    }
}
