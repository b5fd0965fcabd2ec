/// A body of JSON that has no other members than its own: one that is optional and misspelt would be passed over.
///
/// All other bodies may have more, as newer apps may send more.
protocol ClosedBody: Decodable {
    /// The names of its members.
    static var members: [String] { get }
}

extension ClosedBody {
    /// Refuses an object that has other members.
    static func requireOnly(_ given: [String]) throws(APIError) {
        guard let unknown = given.first(where: { !members.contains($0) }) else { return }
        throw .invalid(String(unknown.prefix(64)), "is unknown; known fields: \(members.joined(separator: ", "))")
    }
}
