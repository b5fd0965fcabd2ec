/// Why a measurement is void.
struct BenchFailed: Error, CustomStringConvertible {
    let description: String

    /// Says what went wrong.
    init(_ description: String) {
        self.description = description
    }
}
