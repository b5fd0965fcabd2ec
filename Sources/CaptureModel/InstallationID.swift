/// Names one installation for good: a record in PostgreSQL with the queue and the bundle directory that belong to it.
///
/// Random (UUID version 4), made once in PostgreSQL. Redis and the bundle directory carry it too, so that a program
/// that was pointed at parts of two installations finds out before it destroys anything.
package typealias InstallationID = RandomID<InstallationKind>

/// Tells an ``InstallationID`` from the ids of other things.
package enum InstallationKind {}
