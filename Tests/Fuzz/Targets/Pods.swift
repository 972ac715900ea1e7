import CPipeWire
import Glibc
import HostSupport
import PolicyEngine

@testable import PipeWireHost

/// Puts a pod into memory of exactly its size, so that a read beyond the end is found. The pod's own size is always right,
/// because PipeWire's protocol checks it; the content comes from a client.
private func withPod(type: UInt32, _ body: ArraySlice<UInt8>, _ use: (UnsafePointer<spa_pod>) -> Void) {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 8 + body.count, alignment: 8)
    defer { memory.deallocate() }
    memory.storeBytes(of: UInt32(body.count), as: UInt32.self)
    memory.storeBytes(of: type, toByteOffset: 4, as: UInt32.self)
    UnsafeMutableRawBufferPointer(start: memory + 8, count: body.count).copyBytes(from: body)
    use(UnsafePointer(memory.bindMemory(to: spa_pod.self, capacity: 1)))
}

/// The pod's type: mostly object, because any other type is refused at once.
private func type(_ byte: UInt8) -> UInt32 { byte < 200 ? 15 : UInt32(byte) - 200 }

/// Reads a Route or EnumRoute parameter of a card.
func fuzzRoutePod(_ bytes: [UInt8]) {
    withPod(type: type(bytes.first ?? 0), bytes.dropFirst()) { pod in
        var route = cpw_route()
        guard cpw_route_read(pod, &route) else { return }
        let port = DeviceWatch.Port(route, of: PortFacts())
        found("too many devices", port.devices.count > Int(CPW_MAX_ROUTE_DEVICES))
        for text in [port.facts.portName, port.facts.portDescription, port.facts.portType, port.facts.iconName] {
            found("control characters", text?.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } == true)
        }
        _ = PortType(port.facts)
    }
}

/// Reads a Props parameter of a node.
func fuzzVolumePod(_ bytes: [UInt8]) {
    withPod(type: type(bytes.first ?? 0), bytes.dropFirst()) { pod in
        var volumes = cpw_volumes()
        cpw_props_read(pod, &volumes)
        let counts = [volumes.channel_count, volumes.soft_count]
        found("too many channels", counts.contains { $0 > UInt32(CPW_MAX_CHANNELS) })
    }
}
