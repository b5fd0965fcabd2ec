import Glibc

/// The user and group that own a file or folder.
struct FileOwner: Sendable, Equatable {
    /// The user's number.
    let user: uid_t
    /// The group's number.
    let group: gid_t

    /// A user for people: the name, where there is one, and the number.
    static func describe(_ user: uid_t) -> String {
        guard let entry = unsafe getpwuid(user), let name = unsafe entry.pointee.pw_name else { return "\(user)" }
        return unsafe "\(String(cString: name)) (\(user))"
    }
}

/// Gives what is written in a folder to the folder's owner, whoever writes it.
extension Folder {
    /// The owner to whom new files must be given; `nil` if this process owns the folder.
    func foreignOwner() throws(FileFault) -> FileOwner? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last("fstat") }
        return status.st_uid == geteuid() ? nil : FileOwner(user: status.st_uid, group: status.st_gid)
    }

    /// Gives this folder itself to an owner.
    func give(to owner: FileOwner) throws(FileFault) {
        try give(descriptor, as: name, to: owner)
    }

    /// Gives an open file or folder to an owner.
    ///
    /// By descriptor, not by name: somebody may have put another file under the name, to have root give it away.
    /// - Parameter name: The name for probes.
    func give(_ file: Int32, as name: String, to owner: FileOwner) throws(FileFault) {
        do throws(FileFault) {
            try probe(.give(name))
            guard fchown(file, owner.user, owner.group) == 0 else { throw .last("fchown") }
        } catch {
            let (theirs, own) = (FileOwner.describe(owner.user), FileOwner.describe(geteuid()))
            throw FileFault(
                call: error.call, code: error.code,
                advice: "it is the user \(theirs)'s, to whom \(own) cannot give what it writes: run this as \(theirs)")
        }
    }
}
