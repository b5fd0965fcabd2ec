public import Foundation

/// A value that is made once, by the first who asks; the others wait for it.
public actor Once<Value: Sendable> {
    private let make: @Sendable () async throws -> Value
    private var task: Task<Value, any Error>?

    /// Notes how to make the value.
    public init(_ make: @escaping @Sendable () async throws -> Value) {
        self.make = make
    }

    /// The value, made now if need be.
    public func value() async throws -> Value {
        if let task { return try await task.value }
        let make = make
        let task = Task { try await make() }
        self.task = task
        return try await task.value
    }
}

/// Directories for one test run.
///
/// Short paths: a unix socket's path has room for 107 bytes.
public enum TemporaryDirectory {
    /// Makes a new one that any user may enter, since PostgreSQL may run as another user.
    public static func make(_ purpose: String) throws -> URL {
        let name = "cq-\(purpose)-\(UUID().uuidString.prefix(8).lowercased())"
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755]
        )
        return url
    }
}

/// Free TCP ports of the loopback interface.
public enum FreePort {
    /// Asks the system for one.
    ///
    /// Another process may take it before it is used; servers then say so and the test fails.
    public static func take() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw LeashedProcess.Failure(description: "no socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard bound else { throw LeashedProcess.Failure(description: "no free port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

/// The programs of this package, built beside the tests.
public enum Programs {
    /// The path of one, for example `capture-worker`.
    public static func path(_ name: String) -> String {
        // The test bundle lies in the folder of the build products.
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let folder =
            bundle?.deletingLastPathComponent()
            ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return folder.appendingPathComponent(name).path
    }
}

/// Real attestations and assertions, kept outside the project.
public enum Vectors {
    /// Where they are: `CAPTURE_VECTORS_DIR`, or `../shared/vectors` beside the package.
    public static let directory: URL = {
        if let path = ProcessInfo.processInfo.environment["CAPTURE_VECTORS_DIR"] { return URL(fileURLWithPath: path) }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return package.deletingLastPathComponent().appendingPathComponent("shared/vectors")
    }()

    /// Whether they are there.
    ///
    /// Tests over them fail loudly when they are not.
    public static var areAvailable: Bool {
        FileManager.default.fileExists(atPath: directory.appendingPathComponent("index.json").path)
    }

    /// The bytes of one file.
    public static func data(_ name: String) throws -> Data {
        guard areAvailable else {
            throw LeashedProcess.Failure(
                description:
                    "NO TEST VECTORS at \(directory.path): set CAPTURE_VECTORS_DIR; verification is untested without"
            )
        }
        return try Data(contentsOf: directory.appendingPathComponent(name))
    }
}

/// Asks again until something is so; the test's time limit ends it.
///
/// For what another process knows and announces to nobody (how many clients a server has, whether a queue is empty).
/// What announces itself is awaited instead.
public func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await pass(.milliseconds(10)) }
}

/// Asks again until something is so, or the time for it is over; says whether it came to be so.
public func eventually(within limit: Duration, _ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else { return false }
        try await pass(.milliseconds(100))
    }
    return true
}

/// Lets time pass: the only sleep of the tests.
///
/// For what is time itself and has no event to await: how long a fault lasts, the pace of a load, a client's pause
/// before it tries again, bytes that trickle.
public func pass(_ time: Duration) async throws {
    try await Task.sleep(for: time)
}
