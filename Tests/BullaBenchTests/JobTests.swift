import BullaBenchKit
import BullaText
import Foundation
import Testing

/// The files of `scripts/jobs`, as far as they can be tested without a cluster; the lint checks
/// that they parse as shell.
@Suite struct `A job` {
    private let scratch: Scratch
    private let small = [
        "--records", "2000", "--fields", "1", "--workloads", "load,point-read", "--operations",
        "80", "--rounds", "1",
    ]

    init() throws {
        scratch = try Scratch(under: "/tmp", isKept: false)
    }

    @Test(
        .enabled(
            if: JobFile.hasTool(["shellcheck", "--version"], saying: "ShellCheck"),
            "there is no shellcheck"), arguments: ["slurm.sbatch", "parallel"])
    func `has nothing that shellcheck warns of`(name: String) throws {
        let (end, text) = try JobFile.run(["shellcheck", JobFile(name).path])
        #expect(end == .exited(0) && text == "", "\(text)")
    }

    @Test func `of Slurm has directives that sbatch knows, and an array from 0`() throws {
        let directives = try JobFile("slurm.sbatch").directives
        let known = [
            "--job-name": "[a-z-]+", "--array": "0-[0-9]+", "--nodes": "1", "--ntasks": "1",
            "--cpus-per-task": "[0-9]+", "--mem": "[0-9]+[KMGT]?",
            "--time": "([0-9]+-)?[0-9]{2}:[0-9]{2}:[0-9]{2}", "--output": "[a-zA-Z0-9%/.-]+",
        ]
        #expect(directives.contains { $0.option == "--array" })
        for (option, value) in directives where option != "--exclusive" {
            let form = try Regex(try #require(known[option], "\(option)"))
            #expect(try form.wholeMatch(in: value ?? "") != nil, "\(option)=\(value ?? "")")
        }
        // After the first command a directive no longer counts.
        let lines = try JobFile("slurm.sbatch").lines
        let last = try #require(lines.lastIndex { $0.hasPrefix("#SBATCH") })
        #expect(lines[...last].allSatisfy { $0.hasPrefix("#") })
    }

    @Test func `of Slurm leaves a merged result, and a page`() throws {
        let path = try JobFile("slurm.sbatch").path
        let variables = [
            "SLURM_SUBMIT_DIR": scratch.path, "BULLA_BENCH": try BenchProgram.path(),
            "BULLA_SCRATCH": scratch.path, "SLURM_ARRAY_JOB_ID": "17",
            "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_CPUS_PER_TASK": "2",
        ]
        for task in 0..<2 {
            let own = variables.merging(["SLURM_ARRAY_TASK_ID": "\(task)"]) { $1 }
            let (end, text) = try JobFile.run([path] + small, own)
            #expect(end == .exited(0), "\(text)")
        }
        let (end, text) = try JobFile.run([path, "merge", "17"], variables)
        #expect(end == .exited(0), "\(text)")
        try expectMerged(scratch.file("results/slurm-17"), shardCount: 2)
    }

    @Test func `of Slurm says that it failed`() throws {
        let (end, _) = try JobFile.run(
            [try JobFile("slurm.sbatch").path, "--records", "1"],
            [
                "SLURM_SUBMIT_DIR": scratch.path, "BULLA_BENCH": try BenchProgram.path(),
                "SLURM_ARRAY_JOB_ID": "17", "SLURM_ARRAY_TASK_COUNT": "2",
                "SLURM_ARRAY_TASK_ID": "0",
            ])
        #expect(end == .exited(1))
    }

    @Test func `of Kubernetes is an indexed Job, with a shard for each index`() throws {
        let text = try BlockText(JobFile("kubernetes.yaml").lines)
        #expect(text.strangeLines == [])
        let pod = "spec/template/spec"
        let shard = pod + "/containers/0"
        let expected = [
            "apiVersion": "batch/v1", "kind": "Job", "spec/completionMode": "Indexed",
            pod + "/restartPolicy": "Never", shard + "/command/0": "sh", shard + "/command/1": "-c",
            shard + "/env/1/name": "SHARDS",
        ]
        for (path, value) in expected { #expect(text.values[path] == value, "\(path)") }
        #expect(text.values["metadata/name"] != nil && text.values[shard + "/image"] != nil)
        let count = try #require(text.values["spec/completions"].flatMap { Int($0) })
        #expect(text.values["spec/parallelism"] == "\(count)")
        #expect(text.values[shard + "/env/1/value"] == "\(count)")
        let names = { (path: String) in
            Set((0..<2).compactMap { text.values["\(path)/\($0)/name"] })
        }
        #expect(names(pod + "/volumes") == names(shard + "/volumeMounts"))
        #expect(names(pod + "/volumes") == ["results", "scratch"])
    }

    @Test func `of Kubernetes runs a shard with the index that it is given`() throws {
        let file = try BlockText(JobFile("kubernetes.yaml").lines)
        let script = try #require(file.list("spec/template/spec/containers/0/args").first)
        let path = scratch.file("bulla-bench")
        let text = "#!/bin/sh\nprintf '%s ' \"$@\"\nexit ${STATUS}\n"
        try Descriptor.create(path).write(Array(text.utf8))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        for (status, expected) in [(0, Int32(0)), (2, 0), (71, 1)] {
            let (end, text) = try JobFile.run(
                ["sh", "-c", script],
                [
                    "PATH": scratch.path + ":/usr/bin:/bin", "RUN": "a", "SHARDS": "8",
                    "RESULTS": "/r", "SCRATCH": "/s", "JOB_COMPLETION_INDEX": "5",
                    "STATUS": "\(status)",
                ])
            #expect(end == .exited(expected), "\(text)")
            let start = "overhead --run a --shard 5/8 --directory /s --json /r/shard-5.json "
            #expect(text.hasPrefix(start), "\(text)")
        }
    }

    @Test(
        .enabled(
            if: JobFile.hasTool(["python3", "-c", "import yaml; print('yes')"], saying: "yes"),
            "there is no python3 with yaml"))
    func `of Kubernetes is read by others as it is here`() throws {
        let file = try JobFile("kubernetes.yaml")
        let print = """
            import sys, yaml
            def tell(value, path):
                if isinstance(value, dict) and value:
                    for name, inner in value.items(): tell(inner, path + [name])
                elif isinstance(value, list) and value:
                    for place, inner in enumerate(value): tell(inner, path + [str(place)])
                elif value != {}: print('/'.join(path) + '=' + str(value).split('\\n')[0])
            tell(yaml.safe_load(open(sys.argv[1])), [])
            """
        let (end, text) = try JobFile.run(["python3", "-c", print, file.path])
        #expect(end == .exited(0), "\(text)")
        let here = BlockText(file.lines).values.filter { $0.value != "{}" }.map {
            "\($0)=\($1.split(separator: "\n").first ?? "")"
        }
        #expect(Set(here) == Set(text.split(separator: "\n").map(String.init)))
    }

    @Test(
        .enabled(
            if: JobFile.hasTool(["parallel", "--version"], saying: "GNU parallel"),
            "there is no GNU parallel"), arguments: [false, true])
    func `of GNU parallel merges all shards`(usesHosts: Bool) throws {
        var words = [try JobFile("parallel").path, "--results", scratch.file("results")] + small
        if usesHosts {
            let hosts = scratch.file("hosts")
            try Descriptor.create(hosts).write(Array("# this machine\n:\n".utf8))
            words += ["--hosts", hosts, "--shards", "2"]
        }
        let (end, text) = try JobFile.run(
            words + ["--directory", scratch.path], ["BULLA_BENCH": try BenchProgram.path()])
        #expect(end == .exited(0), "\(text)")
        try expectMerged(scratch.file("results"), shardCount: usesHosts ? 2 : 8)
    }

    private func expectMerged(_ folder: String, shardCount: Int) throws {
        let merged = try BenchProgram.result(folder + "/merged.json")
        #expect(merged.failure == nil && merged.skipped == [])
        #expect(merged.inputs.map(\.recordCount) == [2_000])
        #expect(merged.rows.map(\.workload) == ["load", "point-read"])
        #expect(merged.rows.last?.figures.map(\.work) == [4 * 80, 4 * 80])
        #expect(merged.rows.first?.regime.workers == shardCount)
        #expect(FileManager.default.fileExists(atPath: folder + "/merged.html"))
    }
}
