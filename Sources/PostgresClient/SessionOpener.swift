import HostNames

/// Opens a session with the first of a database's servers that accepts one, within one deadline for all of them.
///
/// libpq would look up names itself, without a time limit, and has no time limit for a server that does not answer. So
/// it is given one address at a time. The time is divided: each host has a share, and each of its addresses a share of
/// that, which ends when the server answers; unused time goes to the next ones.
struct SessionOpener {
    let configuration: PostgresConfiguration
    let names: HostNames

    /// - Parameter turn: The host, and then its address, to begin with, counted cyclically.
    /// - Returns: The session, and the turn with which the next session begins with the same server.
    func open(
        by deadline: ContinuousClock.Instant, turn: Int
    ) throws(PostgresError) -> (session: LibPQSession, turn: Int) {
        let parameters = try LibPQParameters(configuration)
        let told = parameters.completed()
        guard let hosts = PostgresHost.all(in: told) else {
            return (try LibPQSession(parameters, answeredBy: deadline, deadline: deadline), turn)
        }
        var faults: [PostgresError] = []
        for (index, host) in hosts.turned(by: turn).enumerated() {
            let hostEnd = Self.share(until: deadline, among: hosts.count - index)
            let found = addresses(of: host, by: hostEnd, &faults).turned(by: turn / hosts.count)
            let isOneOfSeveral = hosts.count > 1 || found.count > 1
            for (place, address) in found.enumerated() {
                let own = parameters.at(address, told: told, isOneOfSeveral: isOneOfSeveral)
                let end = Self.share(until: hostEnd, among: found.count - place)
                do throws(PostgresError) {
                    let session = try LibPQSession(own, answeredBy: end, deadline: deadline)
                    let (rounds, start) = turn.quotientAndRemainder(dividingBy: hosts.count)
                    return (session, hosts.count * (rounds + place) + (start + index) % hosts.count)
                } catch {
                    // A server that had accepted the session has refused a statement: so would the others.
                    guard error.sqlState == nil else { throw error }
                    faults.append(error)
                }
            }
        }
        throw Self.fault(of: faults)
    }

    /// The host once for each of its addresses; empty if they cannot be found.
    private func addresses(
        of host: PostgresHost, by deadline: ContinuousClock.Instant, _ faults: inout [PostgresError]
    ) -> [PostgresHost] {
        guard host.isToLookUp else { return [host] }
        do throws(NameFault) {
            return try names.addresses(of: host.name, by: deadline).map { address in
                PostgresHost(name: host.name, address: address, port: host.port)
            }
        } catch {
            faults.append(PostgresError(.connection, "\(error)"))
            return []
        }
    }

    /// When the first of `count` servers has used up its share of the time left.
    private static func share(
        until deadline: ContinuousClock.Instant, among count: Int
    ) -> ContinuousClock.Instant {
        let now = ContinuousClock.now
        return now + max(Duration.zero, now.duration(to: deadline)) / count
    }

    /// Joins the messages of several faults.
    private static func fault(of faults: [PostgresError]) -> PostgresError {
        if faults.count == 1, let only = faults.first { return only }
        let words = faults.map(\.message).joined(separator: "; ")
        return PostgresError(.connection, "no server lets us in: \(words)")
    }
}
