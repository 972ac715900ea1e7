/// The interfaces that every object has (D-Bus Specification, "Standard Interfaces"), for introspection.
extension WireInterface {
    /// `org.freedesktop.DBus.Peer`.
    public static let peer = WireInterface(
        "org.freedesktop.DBus.Peer", "",
        methods: [
            Method("Ping", [], access: .anyone, ""),
            Method("GetMachineId", [], returns: [Argument("machine_uuid", "s")], access: .anyone, ""),
        ])
    /// `org.freedesktop.DBus.Introspectable`.
    public static let introspectable = WireInterface(
        "org.freedesktop.DBus.Introspectable", "",
        methods: [Method("Introspect", [], returns: [Argument("xml_data", "s")], access: .anyone, "")])
    /// `org.freedesktop.DBus.Properties`.
    public static let properties = WireInterface(
        "org.freedesktop.DBus.Properties", "",
        methods: [
            Method(
                "Get", [Argument("interface_name", "s"), Argument("property_name", "s")],
                returns: [Argument("value", "v")], access: .anyone, ""),
            Method(
                "Set",
                [Argument("interface_name", "s"), Argument("property_name", "s"), Argument("value", "v")],
                access: .anyone, ""),
            Method(
                "GetAll", [Argument("interface_name", "s")], returns: [Argument("properties", "a{sv}")],
                access: .anyone, ""),
        ],
        signals: [
            Signal(
                "PropertiesChanged",
                [
                    Argument("interface_name", "s"), Argument("changed_properties", "a{sv}"),
                    Argument("invalidated_properties", "as"),
                ], "")
        ])
    /// `org.freedesktop.DBus.ObjectManager`, which the manager has.
    public static let objectManager = WireInterface(
        "org.freedesktop.DBus.ObjectManager", "",
        methods: [
            Method(
                "GetManagedObjects", [],
                returns: [Argument("object_paths_interfaces_and_properties", "a{oa{sa{sv}}}")], access: .anyone, "")
        ],
        signals: [
            Signal(
                "InterfacesAdded",
                [Argument("object_path", "o"), Argument("interfaces_and_properties", "a{sa{sv}}")], ""),
            Signal("InterfacesRemoved", [Argument("object_path", "o"), Argument("interfaces", "as")], ""),
        ])
}
