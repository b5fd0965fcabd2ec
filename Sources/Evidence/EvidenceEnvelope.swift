/// A gateway's answer with the document in it.
struct EvidenceEnvelope: Decodable {
    let data: EvidenceDocument
}
