/// Whole numbers as the functions take them (`prelude.lua`).
enum LuaInteger {
    /// The largest of 15 digits: each up to it is exact in Lua, and taken by every command.
    static let exactMax = 999_999_999_999_999
}
