import Logging
import NIOSSL
import Synchronization

/// The TLS context of new connections, made anew when one of its files has changed.
///
/// Certificates and authorities are renewed while programs run. New files that cannot be used, as while they are being
/// written, leave the last context that could be made. The system's own authorities are read once.
final class TLSContextSource: Sendable {
    private struct Made {
        var context: NIOSSLContext
        /// The files as they were just before they were read.
        var stamps: [FileStamp?]
        /// Why the present files cannot be used.
        var fault: String?
    }

    private let tls: RedisTLS
    private let logger: Logger
    private let made = Mutex<Made?>(nil)

    /// Reads nothing yet.
    init(_ tls: RedisTLS, logger: Logger) {
        self.tls = tls
        self.logger = logger
    }

    /// The context for a connection that is made now.
    ///
    /// It looks at up to three small files, and reads them where they have changed: this takes less than a handshake,
    /// so it may be called on an event loop.
    /// - Throws: ``RedisError`` with code `configuration` if the files could never be used.
    func context() throws(RedisError) -> NIOSSLContext {
        try made.withLock { made throws(RedisError) in
            // Before they are read: what is written meanwhile is seen the next time.
            let stamps = tls.files.map(FileStamp.init)
            if let made, made.fault == nil, made.stamps == stamps { return made.context }
            do throws(RedisTLS.FileFault) {
                let context = try tls.context()
                made = Made(context: context, stamps: stamps, fault: nil)
                return context
            } catch {
                guard let last = made else { throw RedisError(.configuration, "\(error)") }
                if last.fault != error.description { tell(error) }
                made?.fault = error.description
                return last.context
            }
        }
    }

    /// Programs silence their clients below this level.
    private func tell(_ fault: RedisTLS.FileFault) {
        logger.critical(
            "new TLS files for Redis cannot be used: connections are made with those that were read before",
            metadata: ["fault": "\(fault)"])
    }
}

extension RedisTLS {
    /// The files that a context is made of.
    fileprivate var files: [String] { [rootsFile, certificateFile, privateKeyFile].compactMap(\.self) }
}
