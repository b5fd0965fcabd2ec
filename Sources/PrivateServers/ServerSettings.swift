import Foundation

/// Reads the settings of a server's own file, as arguments for a private server.
package enum ServerSettings {
    /// The settings of a `redis.conf`, as ``PrivateRedis/start(_:tcp:environment:)`` takes them.
    package static func redis(file: String) throws -> [String] {
        try lines(of: file).flatMap { line in
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            // On the command line each word of a setting is an argument of its own, and an empty one is left out.
            return ["--\(words[0])"] + (words.count > 1 ? words[1].split(separator: " ").map(unquoted) : [])
        }
    }

    /// The settings of a `postgresql.conf`, as ``PrivatePostgres/start(_:)`` takes them.
    package static func postgres(file: String) throws -> [String] {
        try lines(of: file).map { line in
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            return parts.count > 1 ? "\(parts[0])=\(unquoted(parts[1][...]))" : parts[0]
        }
    }

    private static func lines(of file: String) throws -> [String] {
        try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    private static func unquoted(_ word: Substring) -> String {
        for mark in ["\"", "'"] where word.count > 1 && word.hasPrefix(mark) && word.hasSuffix(mark) {
            return String(word.dropFirst().dropLast())
        }
        return String(word)
    }
}
