import Foundation
import Synchronization
import TestSupport

/// A headless Chromium, driven over the DevTools protocol through two pipes with names: messages of JSON,
/// each ended by a zero byte.
final class Chromium: Sendable {
    private let process: LeashedProcess
    private let directory: URL
    private let input: FileHandle
    private let state = Mutex(State())

    private struct State {
        var lastID = 0
        var waiters: [Int: CheckedContinuation<Data, any Error>] = [:]
        var rest: [UInt8] = []
        /// Whether the browser has ended: then nothing is answered any more.
        var isOver = false
    }

    private static let ended = LeashedProcess.Failure(description: "the browser has ended")

    /// Starts the browser; it ends with this object.
    init() throws {
        // Without it the pipes would stay silent, and a test would wait until its time is over.
        guard let program = Repository.program("chromium") else {
            throw LeashedProcess.Failure(description: "there is no chromium: Config/local/install.sh tests brings it")
        }
        directory = try TemporaryDirectory.make("chromium")
        let (to, from) = (directory.appendingPathComponent("to").path, directory.appendingPathComponent("from").path)
        guard mkfifo(to, 0o600) == 0, mkfifo(from, 0o600) == 0 else {
            throw LeashedProcess.Failure(description: "no pipes: errno \(errno)")
        }
        // Neither side waits for the other one to open its end. Only the browser has the writing end of what is read: so
        // it is over when the browser is.
        let (writer, reader) = (open(to, O_RDWR | O_CLOEXEC), open(from, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        guard writer >= 0, reader >= 0 else { throw LeashedProcess.Failure(description: "no pipes: errno \(errno)") }
        input = FileHandle(fileDescriptor: writer, closeOnDealloc: true)
        let options = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir=\(directory.path)/profile",
        ]
        process = try LeashedProcess(
            "/bin/sh",
            ["-c", #"to=$1; from=$2; shift 2; exec "$@" about:blank 3<"$to" 4>"$from""#, "sh", to, from, program]
                + options)
        // A thread of its own reads: the cooperative pool must not be held up.
        Thread.detachNewThread { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                // Until the browser has opened its end there is nothing to read, which `read` would take for the end.
                var request = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
                guard poll(&request, 1, -1) > 0 else { continue }
                let count = read(reader, &buffer, buffer.count)
                guard count > 0, let self else { break }
                self.take(buffer[..<count])
            }
            close(reader)
            self?.tellEnd()
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Ends the browser, and with it the thread that reads.
    func end() async throws {
        try await process.kill()
    }

    /// Opens a page of its own.
    func page() async throws -> BrowserPage {
        struct Target: Decodable { var targetId: String }
        struct Session: Decodable { var sessionId: String }
        let target = try await call(Target.self, "Target.createTarget", ["url": "about:blank"])
        let session = try await call(
            Session.self, "Target.attachToTarget", ["targetId": target.targetId, "flatten": true])
        let page = BrowserPage(browser: self, session: session.sessionId)
        try await page.send("Page.enable")
        return page
    }

    /// Calls a method and reads its result.
    /// - Throws: `LeashedProcess.Failure` when the browser refuses or has ended; `CancellationError` when the task is
    ///   cancelled.
    func call<Result: Decodable>(
        _ type: Result.Type, _ method: String, _ parameters: [String: any Sendable] = [:], session: String? = nil
    ) async throws -> Result {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        var message: [String: Any] = ["id": id, "method": method, "params": parameters]
        if let session { message["sessionId"] = session }
        let reply = try await reply(to: id, JSONSerialization.data(withJSONObject: message))
        let decoded = try JSONDecoder().decode(Reply<Result>.self, from: reply)
        guard let result = decoded.result else {
            throw LeashedProcess.Failure(description: "\(method): \(decoded.error?.message ?? "no result")")
        }
        return result
    }

    private func reply(to id: Int, _ message: Data) async throws -> Data {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Data, any Error>) in
                let fault = state.withLock { state -> (any Error)? in
                    if state.isOver { return Self.ended }
                    // Checked with the lock held: a cancellation is either seen here or finds the waiter.
                    if Task.isCancelled { return CancellationError() }
                    state.waiters[id] = continuation
                    return nil
                }
                if let fault { return continuation.resume(throwing: fault) }
                input.write(message + [0])
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }

    private func take(_ bytes: ArraySlice<UInt8>) {
        struct Head: Decodable { var id: Int? }
        let messages: [Data] = state.withLock { state in
            state.rest += bytes
            var messages = state.rest.split(separator: 0, omittingEmptySubsequences: false)
            state.rest = Array(messages.removeLast())
            return messages.map { Data($0) }
        }
        for message in messages {
            guard let id = (try? JSONDecoder().decode(Head.self, from: message))?.id else { continue }
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: message)
        }
    }

    /// Lets everybody go who waits for an answer.
    private func tellEnd() {
        let waiters = state.withLock { state in
            state.isOver = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(throwing: Self.ended) }
    }
}

/// What the browser answers to a call.
private struct Reply<Result: Decodable>: Decodable {
    struct Fault: Decodable { var message: String }
    var result: Result?
    var error: Fault?
}
