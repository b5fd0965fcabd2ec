/// Names one installation for good: a record in PostgreSQL with the queue and the bundle directory that belong to it.
///
/// Random (UUID version 4), made once in PostgreSQL. Redis and the bundle directory carry it too, so that a program
/// which was given those of two installations finds out before it has destroyed anything.
public typealias InstallationID = RandomID<InstallationKind>

/// What an ``InstallationID`` is the id of.
public enum InstallationKind {}
