package import CaptureModel
package import CaptureQueue

/// The bytes of captures as files in a directory that all gateways and workers share.
///
/// When ``put(_:of:)`` returns, both files and the folders that name them are on the disk. Files are for their owner
/// only, so gateways and workers run as one user. Over NFS the same holds where the server is exported with `sync` and
/// the clients mount it with `hard`; leases and order never depend on the file system.
///
/// ```swift
/// let bundles = FilesystemBundleStore(directory: "/srv/bundles")
/// try await bundles.prepare(for: installation)   // once, by `capturectl migrate`
/// try await bundles.require(installation)        // by each program that starts
/// ```
/// A directory belongs to one installation: the sweeper of another one would remove everything in it, as neither its
/// queue nor its record knows any of that.
package struct FilesystemBundleStore: SweepableBundleStore {
    /// The bounds of the work on files.
    package struct Limits: Sendable {
        /// Calls that run at once (1 to 64).
        package var threads = 8
        /// Calls that run or wait (1 to 100,000); more are turned away.
        package var backlogMax = 1024
        /// How long one call may take, once it has begun, before it is given up; and wait before that.
        package var timeout: Duration = .seconds(10)

        /// The defaults.
        package init() {}
    }

    /// `filesystem`.
    package var name: BundleStoreName { .filesystem }

    /// Where the directory is.
    package var path: String { directory.path }

    let directory: BundleDirectory
    let threads: FileThreads
    /// Captures that are read at once.
    let atOnceMax: Int

    /// Names the directory; nothing is looked at yet.
    package init(directory: String, limits: Limits = Limits()) {
        self.init(directory: directory, limits: limits) { _ in }
    }

    /// Tells tests of every step, which they may make fail.
    init(directory: String, limits: Limits = Limits(), probe: @escaping FileProbe) {
        self.directory = BundleDirectory(path: directory, probe: probe)
        atOnceMax = limits.threads
        threads = FileThreads(count: limits.threads, backlogMax: limits.backlogMax, timeout: limits.timeout)
    }

    /// Makes the folders of an existing, empty directory; harmless for one that was prepared.
    ///
    /// - Parameter installation: Whose it is from now on, as far as its mark does not say that already.
    /// - Throws: `refused` for the directory of another installation, which stays as it is.
    package func prepare(for installation: InstallationID? = nil) async throws(QueueError) {
        try await threads.run(.directory, to: .change) { [directory] () throws(QueueError) in
            try directory.refuseOther(than: installation)
            do throws(FileFault) { try directory.prepare(for: installation) } catch { throw error.queueError }
            // Two installations may have been at it at once: one of them is told.
            try directory.refuseOther(than: installation)
        }
    }

    /// Whose the directory is; `nil` where it is not there, was not prepared, or is not mounted.
    package func mark() async throws(QueueError) -> BundleMark? {
        try await threads.run(.directory) { [directory] () throws(QueueError) in try directory.readMark() }
    }

    /// Looks whether the directory is there and was prepared, and holds it to be an installation's from now on.
    ///
    /// One whose mark names none is taken, as older releases have prepared it; it is not swept before it does.
    /// - Throws: `refused` for the directory of another installation: waiting does not mend that.
    @discardableResult
    package func require(_ installation: InstallationID) async throws(QueueError) -> BundleMark {
        try await threads.run(.directory, to: .change) { [directory] () throws(QueueError) -> BundleMark in
            try directory.own(as: installation)
        }
    }

    /// Looks whether the directory is there and was prepared.
    package func check() async throws(QueueError) {
        try await threads.run(.directory) { [directory] () throws(QueueError) in try directory.check() }
    }

    /// Has the disk itself answer, before anything in the directory is blamed for its own silence.
    package func prove() async throws(QueueError) {
        try await threads.run(.directory) { [directory] () throws(QueueError) in try directory.prove() }
    }

    /// Those of some captures that have no photo or no depth map here.
    package func missing(of captures: [CaptureID]) async throws(QueueError) -> [CaptureID] {
        guard !captures.isEmpty else { return [] }
        return try await threads.run(.directory) { [directory] () throws(QueueError) in
            try directory.missing(of: captures)
        }
    }

    /// Asks about each of some captures, as many at once as there are threads; the first failure ends it.
    func answers<Element: Sendable, Value: Sendable>(
        about elements: [Element], _ body: @escaping @Sendable (Element) async -> Result<Value, QueueError>
    ) async throws(QueueError) -> [Value] {
        typealias Done = (index: Int, result: Result<Value, QueueError>)
        let done = await withTaskGroup(of: Done.self) { group -> Result<[Value], QueueError> in
            var values = [Value?](repeating: nil, count: elements.count)
            var rest = Array(elements.enumerated())[...]
            for (index, element) in rest.prefix(atOnceMax) {
                group.addTask { (index, await body(element)) }
            }
            rest = rest.dropFirst(atOnceMax)
            while let (index, result) = await group.next() {
                switch result {
                case .success(let value): values[index] = value
                case .failure(let error): return .failure(error)
                }
                guard let next = rest.popFirst() else { continue }
                group.addTask { (next.offset, await body(next.element)) }
            }
            return .success(values.compactMap(\.self))
        }
        return try done.get()
    }

    /// Writes the bytes to the disk; harmless when they are there already.
    /// - Throws: At once while an earlier call hangs that wrote, read or removed this capture's files. One that runs is
    ///   waited for.
    package func put(_ bundle: CaptureBundle, of submission: CaptureSubmission) async throws(QueueError) {
        try await threads.run(.capture(submission.id), to: .write) { [directory] () throws(QueueError) in
            try directory.put(bundle, of: submission)
        }
    }
}
