import CaptureModel
import CaptureSettings
import Foundation
import TestSupport
import Testing

/// What lies in `Config/deploy`, for tests that hold it to what the programs take, show and need.
enum DeployedFiles {
    static let folder = "Config/deploy/"
    static let units = ["gateway", "worker@", "migrate"].map { "systemd/capture-\($0).service" }
    static let pods = ["gateway", "worker", "migrate"].map { "kubernetes/\($0).yaml" }

    /// The files in which each way to deploy has its settings.
    static let ways = [
        ["compose.env.example", "compose.yaml"],
        ["systemd/capture.env.example", "systemd/capture-worker@.service"],
        ["kubernetes/secrets.env.example", "kubernetes/settings.yaml"],
    ]
    /// Those of them in which a program is reached from outside of where it runs.
    static let containers = [ways[0], ways[2]]

    static func text(_ file: String) throws -> String { try Repository.text(folder + file) }

    /// Whatever is for deploying programs; alert rules, dashboard and examples have tests of their own.
    static func all() throws -> [String] {
        let root = Repository.directory.appendingPathComponent(folder)
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted().filter { path in
            ["compose.", "container/", "kubernetes/", "systemd/"].contains { path.hasPrefix($0) }
        }
        #expect(Set(files).isSuperset(of: units + pods + ways.joined()))
        return files
    }

    static func numbers(_ file: String, _ pattern: Regex<(Substring, Substring)>) throws -> [Int] {
        try text(file).matches(of: pattern).compactMap { Int($0.output.1) }
    }

    static func words(_ text: String, _ pattern: Regex<(Substring, Substring)>) -> Set<String> {
        Set(text.matches(of: pattern).map { String($0.output.1) })
    }

    /// What the programs make of the files, with the lines that are commented out as if they were not.
    static func settings(
        _ files: [String], adding: [String: String] = [:], as program: ProgramName = .gateway
    ) async throws -> Settings {
        let line = /(?:^|[ #=])(CAPTURE_[A-Z0-9_]+)(?:=|: )(.+)$/.anchorsMatchLineEndings()
        var environment: [String: String] = [:]
        for file in files {
            let lines = try text(file).matches(of: line)
            try #require(!lines.isEmpty, "\(file) has no settings")
            for match in lines {
                let value = match.output.2.trimmingCharacters(in: CharacterSet(charactersIn: "\"'"))
                environment[String(match.output.1)] =
                    value.replacing(/\$\{[^}]+\}/, with: "secret").replacing("%i", with: "9464")
            }
        }
        environment.merge(adding) { $1 }
        // A path on the machine of the deployment.
        environment["CAPTURE_CONFIG"] = nil
        return try await Settings(arguments: [], environment: environment, program: program)
    }

    /// The services of Compose, with the lines of each.
    static func services() throws -> [String: [String]] {
        let text = try text("compose.yaml")
        let start = try #require(text.range(of: "\nservices:\n")).upperBound
        var services: [String: [String]] = [:]
        var name = ""
        for line in text[start...].split(separator: "\n").map(String.init) {
            guard line.hasPrefix("  ") else { break }
            if let match = line.wholeMatch(of: /[ ]{2}([a-z]+):/) {
                name = String(match.output.1)
            } else {
                services[name, default: []].append(line)
            }
        }
        try #require(services.count > 4)
        return services
    }
}
