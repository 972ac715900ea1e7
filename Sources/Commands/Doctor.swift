import ArgumentParser

/// `audio-session doctor`: looks at everything that has to be right for the policy to work.
struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says what is installed, loaded and in force, what stands in its way, and what to do.",
        discussion: """
            It needs nothing to be there, and changes nothing. Its text is what a good report of a mistake contains; home \
            folders are written as ~ in it. The status is 1 when there is a problem.
            """)

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let evidence = Collection().evidence()
        let report = DoctorReport(findings: Examination(evidence: evidence).findings, home: environment("HOME"))
        try Terminal.write(json ? report.json : report.text(.output))
        if report.hasProblems { throw ExitCode.failure }
    }
}
