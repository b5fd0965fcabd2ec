import Foundation
import Testing

@testable import CaptureGateway

/// Holds the style sheet to WCAG 2.2: 4.5 to 1 for words (1.4.3), 3 to 1 for what is to be made out (1.4.11).
@Suite struct `Colours of the dashboard` {
    private static let sheet = String(decoding: PackageResources.dashboard_css, as: UTF8.self)

    /// Luminances by the names of colours; dark has light's where it names none.
    private static func luminances(isDark: Bool) throws -> [String: Double] {
        let halves = sheet.split(separator: "@media (prefers-color-scheme: dark)", maxSplits: 1)
        try #require(halves.count == 2)
        let light = named(in: halves[0])
        guard isDark else { return light }
        let dark = try #require(halves[1].split(separator: "\n* {").first)
        return light.merging(named(in: dark)) { _, own in own }
    }

    private static func named(in text: Substring) -> [String: Double] {
        var found: [String: Double] = [:]
        for match in text.matches(of: #/--([a-z0-9-]+): #([0-9a-f]{6});/#) {
            found[String(match.1)] = luminance(UInt32(match.2, radix: 16) ?? 0)
        }
        return found
    }

    private static func luminance(_ colour: UInt32) -> Double {
        func share(_ shift: UInt32) -> Double {
            let share = Double((colour >> shift) & 0xff) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * share(16) + 0.7152 * share(8) + 0.0722 * share(0)
    }

    private static func contrast(_ one: String, _ other: String, _ luminances: [String: Double]) throws -> Double {
        let pair = [try #require(luminances[one], "\(one)"), try #require(luminances[other], "\(other)")].sorted()
        return (pair[1] + 0.05) / (pair[0] + 0.05)
    }

    @Test(arguments: [false, true]) func `words can be read on what they stand on`(isDark: Bool) throws {
        let luminances = try Self.luminances(isDark: isDark)
        var pairs: [(words: String, ground: String)] = []
        for rule in Self.sheet.matches(of: #/\{([^{}]*)\}/#) {
            guard let words = rule.1.firstMatch(of: #/[ ;]color: var\(--([a-z0-9-]+)\)/#),
                let ground = rule.1.firstMatch(of: #/background: var\(--([a-z0-9-]+)\)/#)
            else { continue }
            pairs.append((words: String(words.1), ground: String(ground.1)))
        }
        #expect(pairs.count >= 10)
        for words in ["ink", "soft", "accent", "bad", "warn"] {
            for ground in ["card", "ground", "hover"] { pairs.append((words: words, ground: ground)) }
        }
        for pair in pairs {
            let contrast = try Self.contrast(pair.words, pair.ground, luminances)
            #expect(contrast >= 4.5, "\(pair.words) on \(pair.ground)")
        }
    }

    /// WCAG 2.2, 1.4.1.
    @Test func `a link within text is not told by its colour alone`() {
        #expect(Self.sheet.contains("\n:is(p, .hint, .facts dd) a:not(.button) { text-decoration: underline; }"))
    }

    /// WCAG 2.2, 1.4.1: without hues, the parts of a stack are told by their lightness and by a line between them.
    @Test(arguments: [false, true]) func `what stands on each other can be told apart`(isDark: Bool) throws {
        #expect(Self.sheet.contains("\n.chart rect { stroke: var(--card); stroke-width: 2; paint-order: stroke; "))
        let luminances = try Self.luminances(isDark: isDark)
        // Any two results touch where there is nothing of the third.
        var pairs = [
            ("bar-verified", "bar-rejected"), ("bar-rejected", "bar-failed"), ("bar-verified", "bar-failed"),
            ("reason-4", "others"),
        ]
        pairs += (0..<4).map { ("reason-\($0)", "reason-\($0 + 1)") }
        for (one, other) in pairs {
            let contrast = try Self.contrast(one, other, luminances)
            #expect(contrast >= 1.5, "\(one) and \(other)")
        }
    }

    @Test(arguments: [false, true]) func `fields, bars and lines can be made out`(isDark: Bool) throws {
        #expect(Self.sheet.contains("\ninput, select { border-color: var(--edge); }"))
        let luminances = try Self.luminances(isDark: isDark)
        let shapes = luminances.keys.filter { name in
            ["bar-", "line-", "reason-"].contains { name.hasPrefix($0) }
        }
        #expect(shapes.count == 10)
        for shape in shapes + ["others", "edge"] {
            let contrast = try Self.contrast(shape, "card", luminances)
            #expect(contrast >= 3, "\(shape) on a card")
        }
    }
}
