extension Duration {
    /// How many whole units there are, towards zero, clamped to `Int`.
    package func whole(_ unit: Duration) -> Int { Int(clamping: attoseconds / unit.attoseconds) }

    /// How many units have begun: the quotient rounded up.
    package func begun(_ unit: Duration) -> Int {
        let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: unit.attoseconds)
        return Int(clamping: rest > 0 ? whole + 1 : whole)
    }
}
