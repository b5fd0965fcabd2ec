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
    }

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
        // Opened for both directions, so that neither side waits for the other one to open its end.
        let (writer, reader) = (open(to, O_RDWR | O_CLOEXEC), open(from, O_RDWR | O_CLOEXEC))
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
                let count = read(reader, &buffer, buffer.count)
                guard count > 0, let self, !self.take(buffer[..<count]) else { break }
            }
            close(reader)
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Ends the browser, and with it the thread that reads.
    func end() async throws {
        try await process.kill()
        // What wakes the reader for the last time: an empty message.
        let reader = directory.appendingPathComponent("from").path
        let end = open(reader, O_RDWR | O_CLOEXEC)
        _ = write(end, "end\0", 4)
        close(end)
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
    func call<Result: Decodable>(
        _ type: Result.Type, _ method: String, _ parameters: [String: any Sendable] = [:], session: String? = nil
    ) async throws -> Result {
        let reply = try await withCheckedThrowingContinuation { continuation in
            let message: Data? = state.withLock { state in
                state.lastID += 1
                state.waiters[state.lastID] = continuation
                var message: [String: Any] = ["id": state.lastID, "method": method, "params": parameters]
                if let session { message["sessionId"] = session }
                return try? JSONSerialization.data(withJSONObject: message)
            }
            input.write((message ?? Data()) + [0])
        }
        let decoded = try JSONDecoder().decode(Reply<Result>.self, from: reply)
        guard let result = decoded.result else {
            throw LeashedProcess.Failure(description: "\(method): \(decoded.error?.message ?? "no result")")
        }
        return result
    }

    /// Takes bytes in; whether the browser has ended.
    private func take(_ bytes: ArraySlice<UInt8>) -> Bool {
        struct Head: Decodable { var id: Int? }
        let messages: [Data] = state.withLock { state in
            state.rest += bytes
            var messages = state.rest.split(separator: 0, omittingEmptySubsequences: false)
            state.rest = Array(messages.removeLast())
            return messages.map { Data($0) }
        }
        for message in messages {
            if message == Data("end".utf8) {
                let waiters = state.withLock { Array($0.waiters.values) }
                for waiter in waiters { waiter.resume(throwing: LeashedProcess.Failure(description: "ended")) }
                return true
            }
            guard let id = (try? JSONDecoder().decode(Head.self, from: message))?.id else { continue }
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: message)
        }
        return false
    }
}

/// What the browser answers to a call.
private struct Reply<Result: Decodable>: Decodable {
    struct Fault: Decodable { var message: String }
    var result: Result?
    var error: Fault?
}

/// One page of a browser, as a person has it.
struct BrowserPage: Sendable {
    let browser: Chromium
    let session: String

    private struct Nothing: Decodable {}

    /// Calls a method that says nothing of interest.
    func send(_ method: String, _ parameters: [String: any Sendable] = [:]) async throws {
        _ = try await browser.call(Nothing.self, method, parameters, session: session)
    }

    /// Goes to an address and waits until the page is there.
    func go(to address: String) async throws {
        try await send("Page.navigate", ["url": address])
        try await until("document.readyState === 'complete' && location.href.startsWith('http')")
    }

    /// The text of what an expression of the page gives.
    func text(_ expression: String) async throws -> String {
        struct Evaluation: Decodable {
            struct Value: Decodable { var value: String? }
            struct Exception: Decodable { var text: String }
            var result: Value
            var exceptionDetails: Exception?
        }
        let evaluation = try await browser.call(
            Evaluation.self, "Runtime.evaluate",
            ["expression": "String(\(expression))", "returnByValue": true, "userGesture": true], session: session)
        if let exception = evaluation.exceptionDetails {
            throw LeashedProcess.Failure(description: "\(expression): \(exception.text)")
        }
        return evaluation.result.value ?? ""
    }

    /// Waits until an expression is true; a page that is being replaced is asked again.
    func until(_ expression: String) async throws {
        var last = ""
        let isSo = try await eventually(within: .seconds(90)) {
            do { last = try await text(expression) } catch { last = "\(error)" }
            return last == "true"
        }
        if isSo { return }
        let page = (try? await text("document.body.innerText")) ?? ""
        throw LeashedProcess.Failure(
            description: "waited in vain for \(expression) (\(last)) on:\n\(page.prefix(1500))")
    }

    /// Clicks what a selector finds, and waits for the page that comes then, whose scripts run when all of it is there.
    func click(_ selector: String, then condition: String) async throws {
        _ = try await text("document.querySelector('\(selector)').click()")
        try await until("document.readyState === 'complete' && (\(condition))")
    }

    /// Fills in a field.
    func fill(_ selector: String, _ value: String) async throws {
        _ = try await text("document.querySelector('\(selector)').value = '\(value)'")
    }

    /// Takes a picture of what is seen, as PNG.
    func screenshot() async throws -> Data {
        struct Picture: Decodable { var data: Data }
        return try await browser.call(Picture.self, "Page.captureScreenshot", ["format": "png"], session: session).data
    }

    /// Sets the size of the window, and light or dark.
    func look(width: Int, height: Int, isDark: Bool = false) async throws {
        try await send(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600])
        try await send(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]]])
    }
}
