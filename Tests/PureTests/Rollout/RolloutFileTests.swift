import AppAttest
import CaptureModel
import Foundation
import TestSupport
import Testing

@testable import Rollout

private let app = AppID("TEAM123456.com.example.capture")!

private func bytes(_ lines: String...) -> [UInt8] {
    Array((["apps:", "  \(app):"] + lines.map { "    \($0)" }).joined(separator: "\n").utf8)
}

@Suite struct `The file of a rollout` {
    @Test func `everything that it says is heeded`() throws {
        let file = bytes(
            "mode: enforce", "percentage: 12.5", #"osVersionMinimum: "26.2""#, "bundleVersionMinimum: 1314",
            "validationCategories: [2, 4]", "notBelowAttested: [validationCategory, bundleVersion]")
        let policy = try RolloutPolicy(yaml: file, known: [app])
        let rollout = try #require(policy.apps[app])
        #expect(policy.digest == .hash(file))
        #expect(rollout.mode == .enforce && rollout.bucketsWithin == 1250 && rollout.percentage == "12.5")
        #expect(rollout.osVersionMinimum == DottedVersion("26.2"))
        #expect(
            rollout.extensions
                == ExtensionPolicy(
                    validationCategories: [2, 4], bundleVersionMinimum: DottedVersion("1314"),
                    notBelowAttested: [.bundleVersion, .validationCategory]))
    }

    @Test func `what is not said is not asked, of every device`() throws {
        let policy = try RolloutPolicy(yaml: bytes("mode: monitor"), known: [app])
        #expect(policy.apps == [app: AppRollout(mode: .monitor)] && policy.apps[app]?.bucketsWithin == 10_000)
        #expect(try RolloutPolicy(yaml: Array("apps: {}".utf8), known: [app]).apps.isEmpty)
    }

    @Test(arguments: [
        ("0", 0), ("100", 10_000), ("100.00", 10_000), ("0.01", 1), ("0.1", 10), ("33.33", 3333), ("5.05", 505),
    ])
    func `a percentage is read to a hundredth`(text: String, buckets: Int) throws {
        let rollout = try RolloutPolicy(yaml: bytes("mode: enforce", "percentage: \(text)"), known: [app]).apps[app]
        #expect(rollout?.bucketsWithin == buckets)
    }

    @Test func `a percentage is written as it is read`() throws {
        for buckets in 0...RolloutBucket.count {
            let rollout = AppRollout(mode: .monitor, bucketsWithin: buckets)
            let lines = bytes("mode: monitor", "percentage: \(rollout.percentage)")
            guard try RolloutPolicy(yaml: lines, known: [app]).apps[app] != rollout else { continue }
            Issue.record("\(buckets) is written as \(rollout.percentage)")
        }
    }

    @Test(arguments: [
        ("apps: [", "cannot be read as YAML: line "), ("", "apps is missing"), ("- a", "takes a mapping"),
        ("aps: {}", "aps: there is no such member"), ("apps: {}\nmore: 1", "more: there is no such member"),
        ("apps:\n  TEAM123456.com.example.captur: {mode: off}", "is not among app.ids"),
        ("apps:\n  TEAM123456.com.example.capture: {mode: off}\n  TEAM123456.com.example.capture: {mode: off}", "YAML"),
        ("apps:\n  TEAM123456.com.example.capture: {}", "mode: takes off | monitor | enforce"),
        ("apps:\n  TEAM123456.com.example.capture: {mode: warn}", "mode: takes"),
        ("apps:\n  TEAM123456.com.example.capture: {mode: off, percent: 1}", "percent: there is no such member"),
        ("apps:\n  TEAM123456.com.example.capture: {mode: off, percentage: 101}", "percentage: takes 0 to 100"),
        ("apps:\n  TEAM123456.com.example.capture: {mode: off, percentage: 1.234}", "percentage: takes"),
        ("apps:\n  TEAM123456.com.example.capture: {mode: off, percentage: -1}", "percentage: takes"),
        ("apps:\n  TEAM123456.com.example.capture: {mode: off, percentage: 1e1}", "percentage: takes"),
        ("apps:\n  TEAM123456.com.example.capture: {mode: off, percentage: .5}", "percentage: takes"),
        ("apps:\n  TEAM123456.com.example.capture: {mode: off, osVersionMinimum: iOS 26}", "osVersionMinimum: takes"),
        (
            "apps:\n  TEAM123456.com.example.capture: {mode: off, bundleVersionMinimum: []}",
            "bundleVersionMinimum: takes"
        ),
        (
            "apps:\n  TEAM123456.com.example.capture: {mode: off, validationCategories: []}",
            "validationCategories: takes"
        ),
        ("apps:\n  TEAM123456.com.example.capture: {mode: off, validationCategories: [256]}", "takes a list"),
        ("apps:\n  TEAM123456.com.example.capture: {mode: off, validationCategories: 4}", "takes a list"),
        ("apps:\n  TEAM123456.com.example.capture: {mode: off, notBelowAttested: []}", "notBelowAttested: takes"),
        ("apps:\n  TEAM123456.com.example.capture: {mode: off, notBelowAttested: true}", "takes a list"),
        ("apps:\n  TEAM123456.com.example.capture: {mode: off, notBelowAttested: [osVersion]}", "takes a list"),
    ])
    func `what nobody would heed makes it no policy, and is named`(text: String, words: String) {
        let fault = #expect(throws: RolloutFault.self) { try RolloutPolicy(yaml: Array(text.utf8), known: [app]) }
        #expect(fault?.description.contains(words) == true, "\(fault?.description ?? "")")
    }

    @Test func `neither bytes without an end nor other encodings are read`() {
        let long = [UInt8](repeating: UInt8(ascii: "#"), count: RolloutPolicy.bytesMax + 1)
        #expect(throws: RolloutFault("has more than 65536 bytes")) { try RolloutPolicy(yaml: long, known: [app]) }
        #expect(throws: RolloutFault("is not UTF-8")) { try RolloutPolicy(yaml: [0xFF, 0xFE], known: [app]) }
    }

    @Test func `the example in the repository is one`() throws {
        let example = try #require(AppID("ABCDE12345.com.example.app"))
        let text = try Repository.text("Config/rollout.yaml")
        let rollout = try #require(try RolloutPolicy(yaml: Array(text.utf8), known: [example]).apps[example])
        #expect(rollout.mode == .monitor && rollout.bucketsWithin == 1250)
    }
}

/// A policy that ends after its mode is one for every device.
@Suite(.timeLimit(.minutes(1))) struct `A file that is being written at the start` {
    /// Opens a file, and writes it anew in each pause.
    private func percentage(_ texts: [String], then rest: (Int) -> String?) async throws -> String? {
        let folder = try TemporaryDirectory.make("rollout")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "rollout.yaml").path
        func write(_ text: String) {
            #expect(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
        }
        var pauses = 0
        write(texts[0])
        let file = try await RolloutFile(
            path: path, known: [app], interval: .seconds(3600), now: ManualTime().source, logger: .quiet
        ) {
            pauses += 1
            if pauses < texts.count { write(texts[pauses]) } else if let text = rest(pauses) { write(text) }
        }
        return file.inForce.policy.apps[app]?.percentage
    }

    private func text(_ lines: String...) -> String {
        (["apps:", "  \(app):"] + lines.map { "    \($0)" }).joined(separator: "\n")
    }

    @Test func `a file that is being written at the start is taken when it is whole`() async throws {
        let beginnings = ["app", text("mode: enforce"), text("mode: enforce", "percentage: 1")]
        let found = try await percentage(beginnings + [text("mode: enforce", "percentage: 12.5")]) { _ in nil }
        #expect(found == "12.5")
    }

    @Test func `a file that is being written at the start is not waited for without an end`() async throws {
        await #expect(throws: RolloutFault("is being written all the time")) {
            try await percentage([text("mode: enforce")]) { text("mode: enforce", "percentage: \($0)") }
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct `A pipe where the file should be` {
    private static let fault = RolloutFault("is no file")

    /// A folder of the test's own, with the path of a file in it.
    private func withPath(_ body: (URL) async throws -> Void) async throws {
        let folder = try TemporaryDirectory.make("rollout")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "rollout.yaml"))
    }

    private func file(_ path: URL) async throws(RolloutFault) -> RolloutFile {
        try await RolloutFile(
            path: path.path, known: [app], interval: .milliseconds(1), now: ManualTime().source, logger: .quiet)
    }

    @Test func `a pipe where the file should be is refused at the start, and so is a folder`() async throws {
        try await withPath { path in
            try #require(mkfifo(path.path, 0o600) == 0)
            await #expect(throws: Self.fault) { try await file(path) }
            await #expect(throws: Self.fault) { try await file(path.deletingLastPathComponent()) }
        }
    }

    @Test
    func `a pipe where the file should be is a fault while the policy in force stays, and keeps nobody from stopping`()
        async throws
    {
        try await withPath { path in
            try Data(bytes("mode: monitor")).write(to: path)
            let file = try await file(path)
            let policy = file.inForce.policy
            let run = Task { try await file.run() }
            defer { run.cancel() }
            try FileManager.default.removeItem(at: path)
            try #require(mkfifo(path.path, 0o600) == 0)
            try await eventually { file.inForce.standing.fault == Self.fault }
            #expect(file.inForce.policy == policy)
            run.cancel()
            try await run.value
        }
    }
}

@Suite struct `Looking at the file again` {
    private let monitor = bytes("mode: monitor")
    private let enforce = bytes("mode: enforce")

    private func watch() -> RolloutWatch {
        RolloutWatch(inForce: .hash(monitor), known: [app])
    }

    private func policy(_ bytes: [UInt8]) throws -> RolloutPolicy { try RolloutPolicy(yaml: bytes, known: [app]) }

    @Test func `another policy is in force once two looks have found it`() throws {
        var watch = watch()
        #expect(watch.look(.success(monitor)) == .nothing)
        #expect(watch.look(.success(enforce)) == .nothing)
        #expect(watch.look(.success(enforce)) == .install(try policy(enforce)))
        #expect(watch.look(.success(enforce)) == .nothing)
        #expect(watch.look(.success(monitor)) == .nothing)
        #expect(watch.look(.success(monitor)) == .install(try policy(monitor)))
    }

    @Test func `a file that is being written is not half a policy`() throws {
        var watch = watch()
        for end in 1..<enforce.count { #expect(watch.look(.success(Array(enforce[..<end]))) == .nothing) }
        #expect(watch.look(.success(enforce)) == .nothing)
        #expect(watch.look(.success(enforce)) == .install(try policy(enforce)))
    }

    @Test(arguments: [true, false])
    func `a file that is no policy is complained about once, and the one in force stays`(isThere: Bool) throws {
        var watch = watch()
        let bad: Result<[UInt8], RolloutFault> =
            isThere ? .success(Array("apps: 1".utf8)) : .failure(RolloutFault("cannot be read"))
        #expect(watch.look(bad) == .nothing)
        guard case .keep = watch.look(bad) else {
            Issue.record("nothing is said")
            return
        }
        for _ in 0..<5 { #expect(watch.look(bad) == .nothing) }
        #expect(watch.look(.success(monitor)) == .nothing)
        #expect(watch.look(.success(monitor)) == .recover)
        #expect(watch.look(.success(monitor)) == .nothing)
        // The same fault is said again when it comes back later.
        #expect(watch.look(bad) == .nothing)
        guard case .keep = watch.look(bad) else {
            Issue.record("nothing is said the second time")
            return
        }
        #expect(watch.look(.success(enforce)) == .nothing)
        #expect(watch.look(.success(enforce)) == .install(try policy(enforce)))
    }
}
