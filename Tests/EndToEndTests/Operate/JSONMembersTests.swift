import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

/// The table of `CAPTURECTL.md`, on which scripts rely, against what the commands print.
@Suite("The members of what capturectl prints as JSON", .timeLimit(.minutes(5)))
struct JSONMembersTests {
    /// What objects have always, and what they may have besides.
    private struct Row {
        var always: Set<String>
        var maybe: Set<String>
    }

    private typealias Answer = (command: String, object: [String: Any])

    /// Of trials that need Apple's stand-in.
    private static let unseen: Set<String> = ["simulate run .trust[]"]

    @Test func `each object has the members that the table has, and no others`() async throws {
        let (rows, answers) = (try Self.rows(), try await Self.answers())
        #expect(rows.count > 40)
        for (name, row) in rows {
            let parts = name.split(separator: " .", maxSplits: 1)
            let found = answers.filter { $0.command == parts[0] }
                .compactMap { Self.part(parts.count > 1 ? parts[1] : nil, of: $0.object) }
            #expect(!found.isEmpty || Self.unseen.contains(name), "\(name)")
            for object in found {
                let members = Set(object.keys)
                #expect(row.always.subtracting(members).isEmpty, "\(name): \(members.sorted())")
                let others = members.subtracting(row.always).subtracting(row.maybe)
                #expect(others.isEmpty, "\(name): \(others.sorted())")
            }
        }
    }

    @Test func `every command that takes --json has its members in the table, or its own document`() async throws {
        let rows = try Self.rows()
        for (words, command) in try await DescribedCommand.root().withWords {
            let options = (command.arguments ?? []).flatMap { $0.names ?? [] }
            guard options.contains(where: { $0.name == "json" }) else { continue }
            let name = words.joined(separator: " ")
            let isElsewhere = words.last == "verify" || words.first == "bench" || name == "captures evidence"
            #expect(isElsewhere || rows[name] != nil, "\(name)")
        }
    }

    /// The rows by their commands, with the part of the object that they are about.
    private static func rows() throws -> [String: Row] {
        let text = try Repository.text("Config/deploy/CAPTURECTL.md")
        let start = try #require(text.firstRange(of: "\n## JSON\n"))
        let end = try #require(text[start.upperBound...].firstRange(of: "\n## "))
        var rows: [String: Row] = [:]
        for line in text[start.upperBound..<end.lowerBound].split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.replacing("` `", with: " ").split(separator: "|")
            let kinds = cells[1].split(separator: "; maybe ")
            var row = Row(always: codes(kinds[0]), maybe: kinds.count > 1 ? codes(kinds[1]) : [])
            if let name = kinds[0].firstMatch(of: /all of `([^`]+)`/).map({ String($0.output.1) }) {
                let other = try #require(rows[name], "\(name)")
                row.always = row.always.subtracting([name]).union(other.always)
                row.maybe.formUnion(other.maybe)
            }
            for name in codes(cells[0]) { rows[name] = row }
        }
        return rows
    }

    private static func codes(_ text: Substring) -> Set<String> {
        Set(text.matches(of: /`([^`]+)`/).map { String($0.output.1) })
    }

    /// A member of an object, or the first of a list: `last_minute`, `workers[]`.
    private static func part(_ path: Substring?, of object: [String: Any]) -> [String: Any]? {
        guard let path else { return object }
        let value = object[String(path.prefix { $0 != "[" })]
        return value as? [String: Any] ?? (value as? [Any])?.first as? [String: Any]
    }

    /// What every command prints in a stack that has something of everything.
    private static func answers() async throws -> [Answer] {
        let stack = try await Stack.start()
        let (gateway, client) = try await stack.gateway()
        let worker = try stack.worker()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let capture = try await phone.upload(try phone.shoot(seed: 1))
        _ = try await phone.settled(capture)
        var answers = [
            try await ask("stats", of: stack), try await ask("watch", ["--count", "1"], of: stack),
        ]
        answers += try await simulated(with: client, stack)
        try await worker.expectStop()
        let second = try await phone.upload(try phone.shoot(seed: 2))
        try await gateway.kill()
        let buried = try await stack.withBackstage { queue, _, _ in try await queue.bury(fault: "of the test") }
        try #require(buried.contains(second))
        let (device, since) = ("\(phone.id)", ["--since", "2020-01-01T00:00:00Z", "--reason", "lost", "--yes"])
        let commands: [(String, [String])] = [
            ("captures list", []), ("captures show", ["\(capture)"]), ("captures show", ["\(second)"]),
            ("dead list", []), ("dead list --group", []), ("dead show", ["\(second)"]),
            ("dead redrive", ["--all", "--dry-run"]), ("dead discard", ["--all", "--dry-run"]),
            ("devices revoke", [device, "--reason", "lost", "--dry-run"]), ("devices compromise", [device] + since),
            ("devices affected", [device]), ("devices list", []), ("devices show", [device]),
            ("invitations create", []), ("invitations list", []), ("pause", []), ("resume", []), ("doctor", []),
            ("migrate", []), ("migrate", ["--down-to", "0", "--dry-run"]),
        ]
        for (command, arguments) in commands { answers.append(try await ask(command, arguments, of: stack)) }
        let invitation = try #require(
            answers.first { $0.command == "invitations create" }?.object["invitation_id"] as? String)
        answers.append(try await ask("invitations revoke", [invitation], of: stack))
        return answers
    }

    /// What the commands print that talk to a gateway.
    private static func simulated(with client: GatewayClient, _ stack: Stack) async throws -> [Answer] {
        let folder = try TemporaryDirectory.make("members")
        defer { try? FileManager.default.removeItem(at: folder) }
        let gateway = ["--gateway", client.configuration.url]
        let trusted = gateway + ["--app-id", Stack.appID, "--ca", stack.directory.path]
        let counts = ["--devices", "1", "--captures", "1", "--photo-bytes", "20000..40000", "--vectors", folder.path]
        let run = try await ask("simulate run", trusted + counts, of: stack)
        let out = folder.appendingPathComponent("bundle").path
        let bundle = try await ask("simulate bundle", trusted + ["--photo-bytes", "40000", "--out", out], of: stack)
        let device = try #require(bundle.object["device_id"] as? String)
        let files = try #require(bundle.object["files"] as? [String: String])
        let parts = ["photo", "depth", "assertion", "metadata"].flatMap { ["--\($0)", "\(out)/\(files[$0] ?? "")"] }
        return [run, bundle, try await ask("submit", gateway + ["--device", device] + parts, of: stack)]
    }

    private static func ask(_ command: String, _ arguments: [String] = [], of stack: Stack) async throws -> Answer {
        let words = command.split(separator: " ").map(String.init) + arguments + ["--json"]
        let run = try await CommandLineRun(words, environment: stack.environment)
        let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        return (command, try #require(object, "\(words): \(run.errors)"))
    }
}
