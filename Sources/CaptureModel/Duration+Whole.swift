extension Duration {
    /// How many whole units there are, towards zero; beyond an `Int` its limit.
    package func whole(_ unit: Duration) -> Int { Int(clamping: attoseconds / unit.attoseconds) }

    /// The same rounded up: how many units have begun.
    package func begun(_ unit: Duration) -> Int {
        let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: unit.attoseconds)
        return Int(clamping: rest > 0 ? whole + 1 : whole)
    }
}
