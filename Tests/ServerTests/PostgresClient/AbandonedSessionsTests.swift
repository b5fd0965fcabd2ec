import Testing

@testable import PostgresClient

@Suite("Sessions that were given up")
struct AbandonedSessionsTests {
    private func given(up processes: Int32...) -> AbandonedSessions {
        let sessions = AbandonedSessions(limit: 2)
        for process in processes { sessions.add(process) }
        return sessions
    }

    @Test func `given-up sessions are forgotten when the server says that they are gone`() throws {
        let sessions = given(up: 1, 2, 3)
        #expect(throws: PostgresError(.connection, "")) { try sessions.note(.success([2, 3]), of: [1, 2, 3]) }
        #expect(sessions.known == [2, 3])
        try sessions.note(.success([3]), of: [2, 3])
        #expect(sessions.known == [3])
    }

    @Test(arguments: ["57014", "55P03", "53200"])
    func `given-up sessions are taken to be there while the server is in trouble`(state: String) throws {
        let sessions = given(up: 1, 2)
        let refusal = PostgresError(.server(state), "refused")
        #expect(throws: PostgresError(.connection, "")) { try sessions.note(.failure(refusal), of: [1, 2]) }
        #expect(sessions.known == [1, 2])
        let few = given(up: 1)
        try few.note(.failure(refusal), of: [1])
        #expect(few.known == [1])
    }

    @Test
    func `given-up sessions keep nobody out where the server never tells of them, and are remembered until it does`()
        throws
    {
        let sessions = given(up: 1, 2)
        try sessions.note(.failure(PostgresError(.server("42501"), "refused")), of: [1, 2])
        #expect(sessions.known == [1, 2])
        #expect(throws: PostgresError(.connection, "")) { try sessions.note(.success([1, 2]), of: [1, 2]) }
    }

    @Test func `given-up sessions that nobody answers for are no reason to take the session`() {
        let sessions = given(up: 1)
        let silence = PostgresError(.timeout, "no answer in time")
        #expect(throws: PostgresError(.connection, "")) { try sessions.note(.failure(silence), of: [1]) }
        #expect(sessions.known == [1])
    }
}
