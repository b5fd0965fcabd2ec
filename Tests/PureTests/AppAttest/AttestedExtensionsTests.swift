import AppAttest
import DeviceSimulator
import TestSupport
import Testing

/// Builds of few and small numbers, so that many are alike, each written in one of the ways that mean it.
private struct Builds {
    var generator: SeededGenerator

    mutating func numbers() -> [UInt64] {
        var numbers: [UInt64] = []
        for _ in 0..<3 { numbers.append(.random(in: 0...2, using: &generator)) }
        return numbers
    }

    /// With leading zeros or without, with numbers that Apple ignores, or without zeros at the end.
    mutating func text(of numbers: [UInt64]) -> String {
        var texts: [String] = []
        for number in numbers { texts.append((Bool.random(using: &generator) ? "0" : "") + String(number)) }
        if Bool.random(using: &generator) {
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                texts.append(String(Int.random(in: 0...9, using: &generator)))
            }
        } else {
            while texts.count > 1, numbers[texts.count - 1] == 0 { texts.removeLast() }
        }
        return texts.joined(separator: ".")
    }

    mutating func texts() -> [String] {
        var texts: [String] = []
        for _ in 0..<Int.random(in: 1...4, using: &generator) { texts.append(text(of: numbers())) }
        return texts
    }

    mutating func categories() -> [Int] {
        var categories: [Int] = []
        for _ in 0..<Int.random(in: 1...4, using: &generator) { categories.append(category()) }
        return categories
    }

    mutating func category() -> Int { Int.random(in: 0...11, using: &generator) }
}

@Suite struct `Builds as Apple compares them` {
    @Test(arguments: [
        ("1", "2"), ("1.9", "1.10"), ("1.0.1", "1.0.2"), ("9.9.9", "10"), ("0", "0.0.1"), ("1.02", "1.3"),
        ("1.2.3.9", "1.2.4"), ("57", "18446744073709551615"),
    ])
    func `the earlier one has the lower number`(earlier: String, later: String) throws {
        let (earlier, later) = (try #require(DottedVersion(earlier)), try #require(DottedVersion(later)))
        #expect(earlier.isEarlierBuild(than: later) && !later.isEarlierBuild(than: earlier))
    }

    @Test(arguments: [
        ("1", "1.0.0.5"), ("1.2.3.4", "1.2.3.3"), ("1.02", "1.2"), ("124.0.6367.88", "124.0.6367"), ("0", "0.0.0.0"),
    ])
    func `numbers after the third say nothing, as missing ones do`(one: String, other: String) throws {
        let (one, other) = (try #require(DottedVersion(one)), try #require(DottedVersion(other)))
        #expect(!one.isEarlierBuild(than: other) && !other.isEarlierBuild(than: one))
    }

    @Test func `builds stand in the order of their three numbers, however they are written`() throws {
        let seed = testSeed("they stand in the order of their three numbers, however they are written")
        var builds = Builds(generator: SeededGenerator(seed: seed))
        for _ in 0..<3000 {
            let (one, other) = (builds.numbers(), builds.numbers())
            let (text, otherText) = (builds.text(of: one), builds.text(of: other))
            let (build, otherBuild) = (try #require(DottedVersion(text)), try #require(DottedVersion(otherText)))
            #expect(
                build.isEarlierBuild(than: otherBuild) == one.lexicographicallyPrecedes(other),
                "seed \(seed): \(text) and \(otherText)")
        }
    }
}

@Suite struct `What a key was attested with` {
    @Test(arguments: [
        // People go from TestFlight to the App Store and back.
        (4, 2, false), (2, 4, false), (4, 4, false), (2, 2, false), (4, 3, true), (2, 3, true), (4, 5, true),
        (2, 6, true), (4, 0, true),
        // Nothing is known that makes these lower.
        (4, 1, false), (4, 7, false), (4, 10, false), (2, 255, false), (4, -1, false), (1, 3, false), (10, 3, false),
        // A device that was attested with less is held to no more.
        (3, 3, false), (3, 5, false), (3, 4, false), (5, 3, false), (0, 3, false),
    ])
    func `a category is lower where Apple has signed the attested build, and only the team this one`(
        attested: Int, asserted: Int, isLower: Bool
    ) {
        let extensions = AttestedExtensions(bundleVersions: [], validationCategories: [attested])
        #expect(extensions.isAbove(validationCategory: asserted) == isLower)
    }

    @Test func `what is not there, or is no version, is compared with nothing`() {
        let none = AttestedExtensions(bundleVersions: ["1314b2", "", "one"], validationCategories: [])
        #expect(none.isEmpty && none.bundleVersion == nil)
        #expect(!none.isAbove(bundleVersion: DottedVersion("0")) && !none.isAbove(validationCategory: 3))
        let mixed = AttestedExtensions(bundleVersions: ["1314b2", "1314"], validationCategories: [4])
        #expect(!mixed.isEmpty && mixed.bundleVersion == nil, "it may stand for an earlier build")
        let some = AttestedExtensions(bundleVersions: ["1314"], validationCategories: [4])
        #expect(!some.isEmpty && some.bundleVersion == DottedVersion("1314"))
        #expect(!some.isAbove(bundleVersion: nil) && !some.isAbove(validationCategory: nil))
        #expect(some.isAbove(bundleVersion: DottedVersion("1313.9")))
    }

    @Test func `another attestation makes nothing lower, and what was attested is not`() throws {
        let seed = testSeed("another attestation makes nothing lower, and what was attested is not")
        var builds = Builds(generator: SeededGenerator(seed: seed))
        for _ in 0..<3000 {
            let (versions, categories) = (builds.texts(), builds.categories())
            let before = AttestedExtensions(bundleVersions: versions, validationCategories: categories)
            let (version, category) = (builds.text(of: builds.numbers()), builds.category())
            let after = AttestedExtensions(
                bundleVersions: (versions + [version]).shuffled(using: &builds.generator),
                validationCategories: (categories + [category]).shuffled(using: &builds.generator))
            let (text, way) = (builds.text(of: builds.numbers()), builds.category())
            let asserted = try #require(DottedVersion(text))
            let place = "seed \(seed): \(versions) + \(version), \(categories) + \(category); \(asserted), \(way)"
            #expect(before.isAbove(bundleVersion: asserted) || !after.isAbove(bundleVersion: asserted), "\(place)")
            #expect(before.isAbove(validationCategory: way) || !after.isAbove(validationCategory: way), "\(place)")
            #expect(versions.allSatisfy { !before.isAbove(bundleVersion: DottedVersion($0)) }, "\(place)")
            #expect(categories.allSatisfy { !before.isAbove(validationCategory: $0) }, "\(place)")
        }
    }
}
