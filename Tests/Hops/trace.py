"""Runs inside gdb, attached to a sound server with a debug build of the module, for Tests/bin/hops.

The environment names a file with what to stop at (HOPS_POINTS) and one for what is seen (HOPS_SEEN). At each stop on the main thread
a line of JSON is written: the kind, what the registers or the event say, and the module's functions on the stack. After SIGURG it
notes which functions are called at all, each once, until the next SIGURG.
"""

import bisect
import json
import os
import struct

import gdb

POINTS = json.load(open(os.environ["HOPS_POINTS"]))
SEEN = open(os.environ["HOPS_SEEN"], "w", buffering=1)
SERVER = gdb.selected_inferior()
MAPPED = [line.split()[0] for line in open(f"/proc/{SERVER.pid}/maps") if line.rstrip().endswith(POINTS["module"])]
LOW, HIGH = int(MAPPED[0].split("-")[0], 16), int(MAPPED[-1].split("-")[1], 16)
STARTS = [address for address, _ in POINTS["symbols"]]


def tell(**what):
    SEEN.write(json.dumps(what) + "\n")


def value(text):
    return int(gdb.parse_and_eval(text))


def number(address, form="<q"):
    return struct.unpack(form, SERVER.read_memory(address, struct.calcsize(form)).tobytes())[0]


def text(address):
    return gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string()


def call(function, *arguments):
    """Calls a function in the server, while its other threads stand still."""
    gdb.execute("set scheduler-locking on")
    result = value(f"((long(*)({','.join(['long'] * len(arguments))})){function})({','.join(map(str, arguments))})")
    gdb.execute("set scheduler-locking off")
    return result


def event_name(pointer):
    """The case of an event, by Swift's metadata: the enum's own function tells its number, the descriptor the names."""
    place = LOW + POINTS["event"]["Mn"] + 16
    fields = place + number(place, "<i")
    name = fields + 16 + number(fields + 10, "<H") * (call(number(LOW + POINTS["event"]["WV"] + 88), pointer, 0) & 0xFFFFFFFF) + 8
    return text(name + number(name, "<i"))


def function_of(pc):
    """the block of the function at an address, as the debugging information has it; None if it has no line."""
    block = gdb.block_for_pc(pc)
    while block is not None and block.function is None:
        block = block.superblock
    return block if block is not None and block.function.line > 0 else None


def arguments(pc, frame):
    """The pointers among a function's arguments."""
    block, found = function_of(pc), []
    for one in block or []:
        if one.is_argument:
            try:
                found.append(number(int(frame.read_var(one, block).address)))
            except (gdb.error, TypeError):
                pass
    return found


def stack():
    """The module's functions on the stack, the innermost first: symbol, file, place on the stack. And the outermost one's address,
    and its arguments or those of the next one, for what the server calls may be a thunk."""
    frames, outer, frame, is_caller = [], [], gdb.newest_frame(), 0
    while frame is not None:
        pc, older = frame.pc(), frame.older()
        if LOW <= pc < HIGH:
            start, name = POINTS["symbols"][bisect.bisect_right(STARTS, pc - is_caller - LOW) - 1]
            function = frame.function()
            if frame.type() == gdb.INLINE_FRAME and function is not None:
                name = function.linkage_name
            file = function.symtab.filename if function is not None and function.line > 0 else ""
            frames.append([name, file, int(older.read_register("rsp")) if older is not None else 0])
            outer = [(LOW + start, pc - is_caller, frame), *outer[:1]]
        is_caller, frame = 1, older
    return frames, [outer[0][0], *(word for _, pc, frame in outer for word in arguments(pc, frame))] if outer else []


def set_points():
    points = {LOW + address: (kind, name) for kind, name, address in POINTS["own"]}
    points |= {value(f"(long)&{name}"): (kind, name) for kind, name in POINTS["others"]}
    # The module gives its code back to the system, and with it all breakpoints.
    points[value("(long)&madvise")] = ("release", "madvise")
    if POINTS["server"] == "pulseaudio":
        # Its loop has the function only in a table, as each loop has.
        loop = call("pa_mainloop_new")
        points[number(call("pa_mainloop_get_api", loop) + 10 * 8)] = ("wake", "defer_enable")
        call("pa_mainloop_free", loop)
    for address in points:
        gdb.Breakpoint(f"*{address}", internal=True)
    return points


def see(kind, name, points):
    first, second = value("(long)$rdi"), value("(long)$rsi")
    if not LOW <= gdb.newest_frame().pc() < HIGH and not LOW <= number(value("(long)$rsp")) < HIGH:
        return
    if kind == "release":
        gdb.execute("set $rdx = 0")
    if kind == "release" or name == "defer_enable" and second & 0xFFFFFFFF == 0:
        return
    detail = {}
    if kind in ("engine", "given"):
        detail["event"] = event_name(first)
    elif kind == "bus":
        member = call("sd_bus_message_get_member", second if name == "sd_bus_send" else first)
        detail["member"] = text(member) if member else "answer"
    elif kind == "wake":
        # Whom the source of the loop calls back, and with what. The source may come after its loop.
        source = second if second >> 16 else first
        detail["words"] = [source, *struct.unpack("<12q", SERVER.read_memory(source, 96).tobytes())]
    frames, root = stack()
    for frame in frames:
        # A closure that outlives the function that has made it: from now on that one is of interest too.
        address, parent = POINTS["parents"].get(frame[0], (0, None))
        if parent and LOW + address not in points and all(parent != other[0] for other in frames):
            points[LOW + address] = ("made", parent)
            gdb.Breakpoint(f"*{LOW + address}", internal=True)
    tell(kind=kind, name=name, target=first, frames=frames, root=root, **detail)


class Every:
    """Notes the first call of each function, by an instruction that stops."""

    def __init__(self, points):
        self.points, self.names, self.kept = points, {LOW + address: name for address, name in POINTS["every"]}, {}

    def toggle(self):
        if self.kept:
            for address, (byte, _) in self.kept.items():
                SERVER.write_memory(address, byte)
            self.kept = {}
        else:
            for address in self.names.keys() - self.points.keys():
                block = function_of(address)
                if block is not None and "/Sources/" in (file := block.function.symtab.filename):
                    self.kept[address] = (SERVER.read_memory(address, 1).tobytes(), file)
                    SERVER.write_memory(address, b"\xcc")
        tell(kind="mark")

    def stopped(self, pc):
        """Whether a stop is one of these, which is then undone."""
        if not (self.kept and pc in self.points) and pc - 1 not in self.names:
            return False
        if pc not in self.points:
            gdb.execute(f"set $pc = {pc - 1}")
            byte, file = self.kept.pop(pc - 1, (None, None))
            if byte:
                SERVER.write_memory(pc - 1, byte)
                if gdb.selected_thread().num == 1:
                    tell(kind="run", name=self.names[pc - 1], file=file)
        elif pc in self.names and (block := function_of(pc)):
            tell(kind="run", name=self.names[pc], file=block.function.symtab.filename)
        return True


def main():
    for setting in ("pagination off", "confirm off", "breakpoint always-inserted on"):
        gdb.execute(f"set {setting}")
    gdb.execute("handle all nostop noprint pass", to_string=True)
    gdb.execute("handle SIGURG SIGTRAP stop print nopass", to_string=True)
    stops = []
    gdb.events.stop.connect(stops.append)
    points = set_points()
    every = Every(points)
    tell(kind="ready")
    while SERVER.pid:
        stops.clear()
        gdb.execute("continue", to_string=True)
        if not stops:
            return
        pc = gdb.newest_frame().pc()
        if getattr(stops[-1], "stop_signal", "") == "SIGURG":
            every.toggle()
        elif not every.stopped(pc) and pc in points and gdb.selected_thread().num == 1:
            see(*points[pc], points)


try:
    main()
except Exception as failure:
    tell(kind="failure", text=repr(failure))
    raise
