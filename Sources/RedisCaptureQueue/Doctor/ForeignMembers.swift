import NIOCore

/// Members of one of the queue's keys that are no ids, as somebody has written them by hand.
struct ForeignMembers {
    private var count = 0
    private var example: ByteBuffer?

    /// Adds some.
    mutating func add(_ members: [ByteBuffer]) {
        count += members.count
        example = example ?? members.first
    }

    /// The finding that a key has such members; `nil` without any.
    func finding(_ fault: QueueFault, in key: String, partition: Int) -> QueueFinding? {
        example.map {
            QueueFinding(fault, "\(key): \(count), such as \(Self.shown($0))", partition: partition, hint: key)
        }
    }

    /// The beginning of a member as a Swift literal: somebody may have written any bytes, and a finding goes into the
    /// audit.
    private static func shown(_ member: ByteBuffer) -> String {
        let beginning = String(decoding: member.readableBytesView.prefix(256), as: UTF8.self)
        return String(reflecting: String(String.UnicodeScalarView(beginning.unicodeScalars.prefix(64))))
    }

    /// Tells apart, in the order of a reply, which members are ids and which are not.
    /// - Parameter read: Reads an id from a text in either case.
    static func split<ID: CustomStringConvertible>(
        _ members: [ByteBuffer], reading read: (String) -> ID?
    ) -> (ids: [ID], foreign: [ByteBuffer]) {
        var (ids, foreign): ([ID], [ByteBuffer]) = ([], [])
        for member in members {
            let name = String(buffer: member)
            // In upper case it is another member than the id's own.
            if let id = read(name), id.description == name { ids.append(id) } else { foreign.append(member) }
        }
        return (ids, foreign)
    }
}
