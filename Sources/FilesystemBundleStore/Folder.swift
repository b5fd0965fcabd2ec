import Glibc

/// An open folder: everything below is named relative to it, and no symbolic link is followed.
///
/// Every call blocks.
struct Folder: ~Copyable {
    /// The folder's name, for faults and probes.
    let name: String
    /// The folder's descriptor, for the system calls of this type only; closed with it.
    let descriptor: Int32
    /// Called before each step.
    let probe: FileProbe

    /// Opens the root of a store; symbolic links in the operator's own path are followed.
    init(root path: String, probe: @escaping FileProbe) throws(FileFault) {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open") }
        self.init(name: "", descriptor: descriptor, probe: probe)
    }

    /// Makes the root of a store, unless it is there; its parent must exist.
    static func makeRoot(_ path: String, probe: @escaping FileProbe) throws(FileFault) {
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .last("mkdir") }
        try Folder(root: path + "/..", probe: probe).sync()
    }

    private init(name: String, descriptor: Int32, probe: @escaping FileProbe) {
        self.name = name
        self.descriptor = descriptor
        self.probe = probe
    }

    deinit { _ = close(descriptor) }

    /// Opens a folder in this one.
    func folder(_ name: String) throws(FileFault) -> Folder {
        let descriptor = unsafe openat(self.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("openat") }
        return Folder(name: path(name), descriptor: descriptor, probe: probe)
    }

    /// Makes a folder that only the owner may enter, unless it is there.
    /// - Parameter owner: The owner to give it to; `nil` leaves it to this process. Only root gives away a folder that
    ///   is there already: its maker may have been killed before doing so.
    func makeFolder(_ name: String, for owner: FileOwner? = nil) throws(FileFault) {
        try probe(.makeFolder(path(name)))
        guard unsafe mkdirat(descriptor, name, 0o700) == 0 else {
            let fault = FileFault.last("mkdirat")
            guard fault.isThere else { throw fault }
            if let owner { try giveFolder(name, to: owner) }
            return
        }
        guard let owner else { return }
        do throws(FileFault) {
            let made = try folder(name)
            try made.give(to: owner)
        } catch {
            _ = unsafe unlinkat(descriptor, name, AT_REMOVEDIR)
            throw error
        }
    }

    /// Gives an existing folder to an owner, if it is another user's; only root may.
    private func giveFolder(_ name: String, to owner: FileOwner) throws(FileFault) {
        guard geteuid() == 0 else { return }
        var status = stat()
        guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw .last("fstatat") }
        guard status.st_uid != owner.user else { return }
        let made = try folder(name)
        try made.give(to: owner)
    }

    /// Writes the names in this folder to the disk.
    func sync() throws(FileFault) {
        try probe(.syncFolder(name))
        guard fsync(descriptor) == 0 else { throw .last("fsync") }
    }

    /// Removes an empty folder; harmless when it is gone.
    func removeFolder(_ name: String) throws(FileFault) {
        try probe(.removeFolder(path(name)))
        guard unsafe unlinkat(descriptor, name, AT_REMOVEDIR) == 0 || errno == ENOENT else { throw .last("unlinkat") }
    }

    /// Every name in this folder but the two that are always there.
    func names() throws(FileFault) -> [String] {
        // A descriptor of its own, as the stream moves its position and closes it.
        let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw .last("openat") }
        guard let stream = unsafe fdopendir(copy) else {
            let fault = FileFault.last("fdopendir")
            _ = close(copy)
            throw fault
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw .last("readdir") }
        return names
    }

    /// When a folder in this one was last changed, since 1970; `nil` if it is gone or no folder.
    func changed(_ name: String) throws(FileFault) -> Duration? {
        var status = stat()
        guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            let fault = FileFault.last("fstatat")
            if fault.isMissing { return nil }
            throw fault
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return nil }
        return Self.changed(status)
    }

    /// The time of the last change, since 1970.
    static func changed(_ status: stat) -> Duration {
        Duration.seconds(status.st_mtim.tv_sec) + Duration.nanoseconds(status.st_mtim.tv_nsec)
    }

    /// The path of a name in this folder, for faults and probes.
    func path(_ name: String) -> String { self.name.isEmpty ? name : "\(self.name)/\(name)" }
}
