@testable import DBus
import Testing

/// Who comes next of those who have sent something.
@Suite struct MailboxTests {
    private func all(_ mailbox: inout Mailbox<String>) -> [String] {
        var taken: [String] = []
        while let item = mailbox.next() { taken.append(item) }
        return taken
    }

    @Test func eachSenderComesInTurnAndItsMessagesInOrder() {
        var mailbox = Mailbox<String>()
        for number in 1...4 { mailbox.add("a\(number)", from: "a", weight: 1) }
        for number in 1...2 { mailbox.add("b\(number)", from: "b", weight: 1) }
        mailbox.add("c1", from: "c", weight: 1)
        #expect(mailbox.next() == "a1")
        // Who comes back has to wait for those who wait.
        mailbox.add("a5", from: "a", weight: 1)
        mailbox.add("d1", from: "d", weight: 1)
        #expect(all(&mailbox) == ["b1", "c1", "a2", "d1", "b2", "a3", "a4", "a5"])
        #expect(mailbox.isEmpty && mailbox.count == 0)
        #expect(mailbox.next() == nil)
    }

    @Test func whatTheBusSaysOfOneComesAfterAllThatThisOneHasSent() {
        var mailbox = Mailbox<String>()
        for number in 1...3 { mailbox.add("a\(number)", from: "a", weight: 1) }
        for number in 1...3 { mailbox.add("b\(number)", from: "b", weight: 1) }
        mailbox.add(busMessage: "a is gone", about: "a")
        mailbox.add("c1", from: "c", weight: 1)
        let order = all(&mailbox)
        #expect(order == ["a1", "a2", "a3", "a is gone", "b1", "c1", "b2", "b3"])
    }

    @Test func whatComesAfterNewsWaitsForThem() {
        var mailbox = Mailbox<String>()
        mailbox.add(busMessage: "b has the name", about: nil)
        mailbox.add("b1", from: "b", weight: 1)
        #expect(all(&mailbox) == ["b has the name", "b1"])
        // And they come in turn with what was there before them: neither keeps the other waiting.
        for number in 1...3 { mailbox.add("a\(number)", from: "a", weight: 1) }
        for number in 1...3 { mailbox.add(busMessage: "news \(number)", about: ":1.9") }
        #expect(all(&mailbox) == ["news 1", "a1", "news 2", "a2", "news 3", "a3"])
    }

    @Test func whoIsHeldKeepsItsMessagesAndNobodyElseWaits() {
        var mailbox = Mailbox<String>()
        for number in 1...3 { mailbox.add("a\(number)", from: "a", weight: 1) }
        mailbox.add("b1", from: "b", weight: 1)
        #expect(mailbox.next() == "a1")
        mailbox.hold("a")
        mailbox.add("a4", from: "a", weight: 1)
        #expect(all(&mailbox) == ["b1"])
        #expect(mailbox.isEmpty && mailbox.count == 3)
        mailbox.add("c1", from: "c", weight: 1)
        mailbox.release("a")
        #expect(all(&mailbox) == ["c1", "a2", "a3", "a4"])
        // Held again, with nothing: what comes waits all the same, within the limits.
        mailbox.hold("a")
        for number in 0..<Mailbox<String>.mostOfOne { mailbox.add("\(number)", from: "a", weight: 1) }
        #expect(mailbox.isEmpty && !mailbox.admits("a", weight: 1))
        // When the bus says that it has gone, nobody will let it go on.
        mailbox.add(busMessage: "a is gone", about: "a")
        #expect(all(&mailbox).count == Mailbox<String>.mostOfOne + 1)
    }

    @Test func oneSenderHasALimit() {
        var mailbox = Mailbox<Int>()
        for number in 0..<Mailbox<Int>.mostOfOne {
            #expect(mailbox.admits("a", weight: 1))
            mailbox.add(number, from: "a", weight: 1)
        }
        #expect(!mailbox.admits("a", weight: 1) && mailbox.admits("b", weight: 1))
        #expect(mailbox.next() == 0)
        #expect(mailbox.admits("a", weight: 1))
    }

    @Test func oneSenderHasALimitInBytes() {
        var mailbox = Mailbox<Int>()
        mailbox.add(1, from: "a", weight: Mailbox<Int>.heaviestOfOne)
        #expect(!mailbox.admits("a", weight: 1) && mailbox.admits("b", weight: Mailbox<Int>.heaviestOfOne))
        _ = mailbox.next()
        #expect(mailbox.admits("a", weight: Mailbox<Int>.heaviestOfOne))
    }

    @Test func allTogetherHaveALimitThatLeavesOneToEach() {
        var mailbox = Mailbox<Int>()
        for sender in 0..<8 {
            while mailbox.admits("\(sender)", weight: 1024) { mailbox.add(0, from: "\(sender)", weight: 1024) }
        }
        #expect(mailbox.count <= Mailbox<Int>.most + 8)
        #expect(mailbox.admits("late", weight: 1024))
        mailbox.add(0, from: "late", weight: 1024)
        #expect(!mailbox.admits("late", weight: 1024))
        var count = 0
        while mailbox.next() != nil { count += 1 }
        #expect(count > 1024 && mailbox.isEmpty)
    }

    @Test func newsAreNeverRefusedSoReadingEndsWhenTheyAreTooMany() {
        var mailbox = Mailbox<Int>()
        while mailbox.hasRoom { mailbox.add(busMessage: 1, about: nil) }
        _ = mailbox.next()
        #expect(mailbox.hasRoom)
        mailbox.clear()
        #expect(mailbox.isEmpty && mailbox.next() == nil)
    }
}
