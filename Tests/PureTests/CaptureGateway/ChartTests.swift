import CaptureModel
import CaptureQueue
import HTML
import Testing

@testable import CaptureGateway

@Suite struct `Charts of the dashboard` {
    /// One minute after the other, each with captures by the number of their step.
    static func latencies(_ minutes: [[Int: Int]]) -> String {
        let tallies = minutes.enumerated().map { minute, counts in
            let start = Timestamp(millisecondsSince1970: 1_800_000_000_000 + Int64(minute) * 60_000)
            var tally = Tally(start: start, duration: .seconds(60))
            for (step, count) in counts { tally.latencies.add(count, step: step) }
            return tally
        }
        return Chart.latencies("Time", tallies).lines.text
    }

    /// The last step but one is from one minute to five: no capture may have taken five.
    @Test func `times of minutes are said as the steps that they are, in the table, at the points and at the top`() {
        let slow = Self.latencies([[12: 8]])
        #expect(slow.contains(#"<td class="number">1 to 5 min</td><td class="number">1 to 5 min</td>"#))
        #expect(slow.contains("top: 1 to 5 min<"))
        let slower = Self.latencies([[12: 8], [12: 9, 13: 1]])
        #expect(slower.contains(#"<td class="number">1 to 5 min</td><td class="number">over 5 min</td>"#))
        #expect(slower.contains("top: over 5 min<") && !slower.contains(">5 min<"))
        #expect(Self.latencies([[0: 4]]).contains("top: 9.5 ms<"))
        #expect(Self.latencies([[:]]).contains("top: –<"))
    }

    /// A line over it would be of times that nothing took.
    @Test func `a line is broken where nothing was measured`() {
        let broken = Self.latencies([[1: 4], [1: 4], [:], [1: 4], [1: 4]])
        let lines = broken.matches(of: /<polyline class="median" points="([^"]*)">/)
        #expect(lines.count == 2)
        #expect(lines.map { String($0.1.prefix { $0 != "," }) } == ["72.0", "504.0"])
        #expect(broken.matches(of: /<rect class="dot median"/).count == 4)
        let alone = Self.latencies([[1: 4], [:], [1: 4]])
        #expect(!alone.contains("<polyline") && alone.matches(of: /<rect class="dot median"/).count == 2)
    }

    @Test func `one slow minute does not press all others to the bottom`() throws {
        let text = Self.latencies([[1: 4], [1: 4], [12: 4]])
        let line = try #require(text.firstMatch(of: /<polyline class="median" points="([^"]*)">/)).1
        let heights = line.split(separator: " ").compactMap { $0.split(separator: ",").last.flatMap { Double($0) } }
        try #require(heights.count == 3)
        // The base is at 128 and the top at 8.
        #expect(heights[2] == 8 && heights[0] == heights[1] && heights[0] < 110)
    }

    @Test func `the median is seen beneath a line of the same times`() {
        let sheet = String(decoding: PackageResources.dashboard_css, as: UTF8.self)
        #expect(sheet.contains("\npolyline.slow { stroke: var(--line-slow); stroke-dasharray: "))
        let same = Self.latencies([[12: 4]])
        #expect(same.contains(#"<rect class="dot median" x="355.5" y="3.5" width="9.0" height="9.0">"#))
        #expect(same.contains(#"<rect class="dot slow" x="358.0" y="6.0" width="4.0" height="4.0">"#))
    }
}
