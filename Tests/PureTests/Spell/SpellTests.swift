import Spell
import Testing

@Suite("A spell")
struct SpellTests {
    private let start = ContinuousClock.now

    @Test func `begins and ends once each, however often either is noted`() {
        var spell = Spell()
        #expect(!spell.isOn && !spell.end())
        #expect([spell.begin(), spell.begin()] == [true, false])
        #expect(spell.isOn)
        #expect([spell.end(), spell.end()] == [true, false])
        #expect(!spell.isOn && spell.begin())
    }

    @Test func `is over only when it has not been noted for a while`() {
        var spell = Spell(calm: .seconds(10))
        #expect(spell.begin(at: start) && !spell.end(at: start + .seconds(9)))
        #expect(!spell.begin(at: start + .seconds(9)) && !spell.end(at: start + .seconds(18)), "it was noted again")
        #expect(spell.isOn && spell.end(at: start + .seconds(19)))
    }

    @Test func `asks for the time only when there is something to end`() {
        var (spell, asked) = (Spell(), 0)
        func time() -> ContinuousClock.Instant {
            asked += 1
            return start
        }
        #expect(!spell.end(at: time()) && asked == 0)
        #expect(spell.begin(at: start) && spell.end(at: time()) && asked == 1)
    }
}
