import CaptureModel

/// The members that one command's lines may have, `id` among them.
struct LineMembers {
    /// The members that the command reads.
    let own: Set<String>
    /// The member whose SHA-256 may be given in place of `client_data_hash`.
    let hashed: VerificationFields.Name
    /// The members that only the other command reads: attestations and assertions take lines of one form.
    private let shared: Set<String>
    /// The member that the other command hashes for `client_data_hash`.
    private let otherHashed: VerificationFields.Name?

    static let attestation = LineMembers(
        own: attestationOnly.union(["require_receipt", "verify_receipt"]).union(both), hashed: .challenge,
        shared: assertionOnly, otherHashed: .clientData)
    static let assertion = LineMembers(
        own: assertionOnly.union(both), hashed: .clientData, shared: attestationOnly, otherHashed: .challenge)
    static let receipt = LineMembers(
        own: [
            "id", "receipt", "app_id", "public_key", "client_data_hash", "challenge", "type", "environment", "token",
            "at", "fresh", "root",
        ],
        hashed: .challenge, shared: [], otherHashed: nil)

    private static let both: Set<String> = ["id", "app_id", "client_data_hash"]
    private static let attestationOnly: Set<String> = [
        "key_id", "attestation", "challenge", "environment", "at", "root",
    ]
    private static let assertionOnly: Set<String> = ["public_key", "assertion", "client_data", "previous_counter"]
    private static let all = [attestation, assertion, receipt].reduce(into: Set<String>()) { $0.formUnion($1.own) }

    /// Checks that each member is one of this command's, or may be ignored.
    ///
    /// Otherwise a misspelt member, or one of another command, would go unchecked.
    /// - Returns: The members that are ignored, which must be readable all the same.
    func passedOver(of object: [String: JSONValue]) throws(VerificationFault) -> [String: JSONValue] {
        let others = object.filter { !own.contains($0.key) }
        // A null asks nothing, whichever command has the member.
        let asked = others.filter { $0.value != .null || !Self.all.contains($0.key) }
        if let name = asked.keys.filter({ !shared.contains($0) }).min() {
            let rule = Self.all.contains(name) ? "this command has no such member" : "there is no such member"
            throw VerificationFault(code: .fieldInvalid, detail: "\(name): \(rule)")
        }
        // Beside this command's own member it is the other command's; alone it was meant for this one.
        if let otherHashed, asked[otherHashed.rawValue] != nil,
            [hashed, .clientDataHash].allSatisfy({ (object[$0.rawValue] ?? .null) == .null })
        {
            throw VerificationFault(
                code: .fieldInvalid,
                detail: "\(otherHashed.rawValue): this command takes \(hashed.rawValue) or client_data_hash")
        }
        return asked
    }
}
