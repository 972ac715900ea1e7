/// Whatever the machine's environment says, an input comes to the same.
func environment(_ name: String) -> String? { nil }
