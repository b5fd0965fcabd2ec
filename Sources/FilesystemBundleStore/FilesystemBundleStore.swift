package import CaptureModel
package import CaptureQueue

/// The bytes of captures as files in a directory that all gateways and workers share.
///
/// When ``put(_:of:)`` returns, both files and the folders that name them are on the disk. Files are for their owner
/// only, so gateways and workers run as one user. Over NFS this also holds if the server exports with `sync` and the
/// clients mount with `hard`; leases and order never depend on the file system.
///
/// ```swift
/// let bundles = FilesystemBundleStore(directory: "/srv/bundles")
/// try await bundles.prepare(for: installation)   // once, by `capturectl migrate`
/// try await bundles.require(installation)        // by each program that starts
/// ```
/// A directory belongs to one installation: another one's sweeper would remove everything in it, as neither its queue
/// nor its record knows those captures.
package struct FilesystemBundleStore: SweepableBundleStore {
    /// The bounds of the work on files.
    package struct Limits: Sendable {
        /// Calls that run at once (1 to 64).
        package var threads = 8
        /// Calls that run or wait (1 to 100,000); more are turned away.
        package var backlogMax = 1024
        /// How long a call may wait before it begins, and how long it may run before it counts as hanging.
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

    /// Names the directory, without looking at it yet.
    package init(directory: String, limits: Limits = Limits()) {
        self.init(directory: directory, limits: limits) { _ in }
    }

    /// Reports every step to tests, which may make it fail.
    init(directory: String, limits: Limits = Limits(), probe: @escaping FileProbe) {
        self.directory = BundleDirectory(path: directory, probe: probe)
        atOnceMax = limits.threads
        threads = FileThreads(count: limits.threads, backlogMax: limits.backlogMax, timeout: limits.timeout)
    }

    /// Makes the folders of an existing, empty directory; harmless for one that was prepared.
    ///
    /// - Parameter installation: The owner that the mark names from then on.
    /// - Throws: `refused` for the directory of another installation, which stays as it is.
    package func prepare(for installation: InstallationID) async throws(QueueError) {
        try await threads.run(.directory, to: .change) { [directory] () throws(QueueError) in
            try directory.refuseOther(than: installation)
            do throws(FileFault) { try directory.prepare(for: installation) } catch { throw error.bundleFault }
            // Two installations may have prepared it at once: the one that lost learns it here.
            try directory.refuseOther(than: installation)
        }
    }

    /// The directory's mark; `nil` if the directory is not there, was not prepared to the end, or is not mounted.
    package func mark() async throws(QueueError) -> BundleMark? {
        try await threads.run(.directory) { [directory] () throws(QueueError) in try directory.readMark() }
    }

    /// Whether the directory has the file of a mark, be it an empty one, which does not say whose the directory is.
    package func hasMark() async throws(QueueError) -> Bool {
        try await threads.run(.directory) { [directory] () throws(QueueError) in try directory.hasMark() }
    }

    /// Checks that the directory was prepared, and binds it to an installation from now on.
    ///
    /// - Throws: `refused` for the directory of another installation, as waiting does not help.
    package func require(_ installation: InstallationID) async throws(QueueError) {
        try await threads.run(.directory, to: .change) { [directory] () throws(QueueError) in
            try directory.own(as: installation)
        }
    }

    /// Checks that the directory is there and was prepared, and that its mark can be read.
    package func check() async throws(QueueError) {
        try await threads.run(.directory) { [directory] () throws(QueueError) in try directory.check() }
    }

    /// Checks that the disk itself answers, before a single capture is blamed for not answering.
    package func prove() async throws(QueueError) {
        try await threads.run(.directory) { [directory] () throws(QueueError) in try directory.prove() }
    }

    /// How much more the directory's file system takes; a quota of its owner's is not seen.
    package func room() async throws(QueueError) -> BundleRoom {
        try await threads.run(.directory) { [directory] () throws(QueueError) in try directory.room() }
    }

    /// The captures that have no photo or no depth map here.
    package func missing(of captures: [CaptureID]) async throws(QueueError) -> [CaptureID] {
        guard !captures.isEmpty else { return [] }
        return try await threads.run(.directory) { [directory] () throws(QueueError) in
            try directory.missing(of: captures)
        }
    }

    /// Runs a body for each element, as many at once as there are threads.
    ///
    /// The first failure ends it: no further one begins, and reads under way are given up. Changes under way go on.
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
                case .failure(let error):
                    // The group waits for its children: one that hangs would keep the answer from its caller.
                    group.cancelAll()
                    return .failure(error)
                }
                guard let next = rest.popFirst() else { continue }
                group.addTask { (next.offset, await body(next.element)) }
            }
            return .success(values.compactMap(\.self))
        }
        return try done.get()
    }

    /// Writes the bytes to the disk; harmless when they are there already.
    /// - Throws: At once if an earlier call about this capture's files hangs. One that still runs is waited for.
    package func put(_ media: CaptureMedia, of submission: CaptureSubmission) async throws(QueueError) {
        try await threads.run(.capture(submission.id), to: .write) { [directory] () throws(QueueError) in
            try directory.put(media, of: submission)
        }
    }

    /// Writes the bytes to the disk in the place of the files that are there.
    package func replace(_ media: CaptureMedia, of submission: CaptureSubmission) async throws(QueueError) {
        try await threads.run(.capture(submission.id), to: .write) { [directory] () throws(QueueError) in
            try directory.replace(media, of: submission)
        }
    }
}
