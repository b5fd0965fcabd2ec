@testable import RedisClient
import Testing

@Suite("Connections that tell each other of a replica")
struct DemotionTests {
    private let refusal = RedisServerError("READONLY You can't write against a read only replica.")

    /// Connections of one client, made before any was refused.
    private func connections(_ count: Int) -> [Demotion] {
        let all = Demotions()
        return (0..<count).map { _ in
            var demotion = Demotion(all)
            #expect(demotion.begin() == false, "a server that has refused nobody is not asked for its role")
            return demotion
        }
    }

    @Test func `a connection that is refused has the others leave, once`() {
        var demotions = connections(2)
        #expect(demotions[1].follow() == false)
        #expect(demotions[0].hear(refusal) == true)
        #expect(demotions[0].hear(refusal) == false)
        #expect(demotions[0].follow() == false, "it is no news any more")
        #expect(demotions[1].follow() == true)
        #expect(demotions[1].follow() == false)
        for index in demotions.indices {
            #expect(demotions[index].fault?.isTransient == true)
            #expect(demotions[index].end() == true)
            #expect(demotions[index].fault == nil)
        }
    }

    @Test func `a connection made anew is left alone when others are refused by the server that it left`() {
        var demotions = connections(3)
        #expect(demotions[0].hear(refusal) == true)
        #expect(demotions[0].end() == true)
        #expect(demotions[0].begin() == true, "the address may lead to the same server")
        #expect(demotions[1].hear(refusal) == true)
        #expect(demotions[0].follow() == false)
        #expect(demotions[2].follow() == true)
    }

    @Test func `a later failover is news to those that were connected anew`() {
        var demotions = connections(2)
        for _ in 0..<3 {
            #expect(demotions[0].hear(refusal) == true)
            #expect(demotions[1].follow() == true)
            for index in demotions.indices {
                #expect(demotions[index].end() == true)
                #expect(demotions[index].begin() == true)
            }
        }
    }

    @Test func `a replica that says so itself is left, and no other server with it`() {
        var demotions = connections(2)
        #expect(demotions[0].meetReplica() == RedisError(.connection, ""))
        #expect(demotions[1].follow() == false)
        #expect(demotions[0].end() == true)
    }

    @Test(arguments: ["OOM command not allowed", "NOREPLICAS Not enough good replicas to write.", "LOADING"])
    func `what passes at the same server is no reason to leave it`(message: String) {
        var demotions = connections(1)
        #expect(demotions[0].hear(RedisServerError(message)) == false)
        #expect(demotions[0].hear(nil) == false)
        #expect(demotions[0].end() == false)
    }
}
