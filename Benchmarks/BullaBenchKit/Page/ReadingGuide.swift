/// How the page is to be read, for those who see one for the first time.
enum ReadingGuide {
    static var markup: Markup {
        PageSection.markup("How to read this", [PageSection.list(entries)])
    }

    private static let entries: [(name: String, text: String)] = [
        (
            "round",
            "Each contender gets fresh copies of the same data and processes of its own. Slices of "
                + "the same work alternate: A B B A for two, A B C C B A for three. So what slows "
                + "the machine down for a while slows all of them down."
        ),
        (
            "ratio",
            "The time of a contender, divided by the time of its base for the same work: the "
                + "median over all rounds. 1.034 means 3.4 % more time; below 1 it is faster."
        ),
        (
            "interval",
            "Between its ends the true ratio lies with 95 % confidence, from a bootstrap that "
                + "draws whole rounds. In the table it is the bar, the dot is the median, the "
                + "solid line is 1 and the dashed line is the target."
        ),
        (
            "verdict",
            "Met: the whole interval lies at or below the target. Missed: all of it lies above. "
                + "Undecided: the target lies inside it, or there were fewer than "
                + "\(Verdict.roundMinimum) rounds. One missed row misses for the whole run."
        ),
        (
            "throughput",
            "What was done by the second: the bar is the median of the rounds, the whisker its "
                + "95 % interval. Ratios are more exact than two bars side by side, since they "
                + "compare what ran at almost the same time."
        ),
        (
            "latency",
            "Every step was timed. The curve at 99 is what 99 of 100 steps did not exceed. It "
                + "ends where one single step is left, so its right end is the longest ever seen."
        ),
        (
            "memory",
            "Resident is what the workers had in memory at most, all together; shared is counted "
                + "in each worker that has it. The page cache is the system's copy of the files."
        ),
    ]
}
