import ChildProcesses
import Foundation
import SharedFixtures
import StoreModel
import Testing

@Suite("A spawned process", .timeLimit(.minutes(30)))
struct SpawnedProcessTests {
  private func inheritance(output: FileHandle) -> SpawnedProcess.Inheritance {
    var inheritance = SpawnedProcess.Inheritance()
    inheritance.output = .handle(output)
    return inheritance
  }

  @Test("its end is noticed although processes that other threads start at the same moment go on")
  func concurrentStarts() async throws {
    let lasting = LockedValue<[SpawnedProcess]>([])
    let outputs = LockedValue<[String]>([])
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      Thread.detachNewThread {
        DispatchQueue.concurrentPerform(iterations: 200) { number in
          if number.isMultiple(of: 4) {
            guard let process = try? SpawnedProcess("tail", ["-f", "/dev/null"]) else { return }
            lasting.withLock { $0.append(process) }
          } else if let pipe = try? ProcessPipe(),
            let process = try? SpawnedProcess("echo", ["\(number)"], inheritance(output: pipe.writing))
          {
            let output = (try? pipe.reading.readToEnd()) ?? Data()
            process.waitForEnd()
            outputs.withLock { $0.append(String(decoding: output, as: UTF8.self)) }
          }
        }
        done.resume()
      }
    }
    let running = lasting.value.filter(\.isRunning)
    #expect(running.count == 50)
    let expected = (0..<200).filter { !$0.isMultiple(of: 4) }.map { "\($0)\n" }
    #expect(Set(outputs.value) == Set(expected))
    for process in lasting.value { process.send(SIGKILL) }
    for process in lasting.value {
      let end = await process.end
      #expect(end == .signal(SIGKILL))
    }
  }

  @Test("it inherits no descriptor, no blocked signal, and SIGPIPE ends it")
  func inheritance() async throws {
    let open = Glibc.open("/dev/null", O_RDONLY)
    defer { close(open) }
    var blocked = sigset_t()
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGTERM)
    var former = sigset_t()
    pthread_sigmask(SIG_BLOCK, &blocked, &former)
    let pipe = try ProcessPipe()
    // The first line is the descriptors of `ls`, which opens the folder as the fourth.
    let script = "ls /proc/self/fd | tr '\\n' ' '; grep -E 'SigBlk|SigIgn' /proc/self/status; kill -PIPE $$"
    let process = try SpawnedProcess("sh", ["-c", script], inheritance(output: pipe.writing))
    pthread_sigmask(SIG_SETMASK, &former, nil)
    let output = String(decoding: try pipe.reading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(output.hasPrefix("0 1 2 3 SigBlk:\t0000000000000000\nSigIgn:\t"), "\(output)")
    #expect(await process.end == .signal(SIGPIPE))
  }

  @Test("its exit status or signal is known to everyone who waits, and no signal reaches it afterwards")
  func end() async throws {
    let status = await (try SpawnedProcess("sh", ["-c", "exit 7"])).end
    #expect(status == .exit(7))
    #expect(status.number == 7)
    let released = LockedValue<[pid_t]>([])
    let started = LockedValue<[pid_t]>([])
    let process = try SpawnedProcess("sh", ["-c", "kill -KILL $$"]) { identifier in
      started.withLock { $0.append(identifier) }
    } willRelease: { identifier in
      released.withLock { $0.append(identifier) }
    }
    async let first = process.end
    async let second = process.end
    let ends = await [first, second]
    #expect(ends == [.signal(SIGKILL), .signal(SIGKILL)])
    #expect(started.value == [process.identifier])
    #expect(released.value == [process.identifier])
    #expect(!process.isRunning)
    process.send(SIGTERM)
    process.waitForEnd()
  }

  @Test("it runs in a folder, with added variables, and reads a file")
  func surroundings() async throws {
    let folder = try ScratchFolder()
    let input = try folder.write("input", "text")
    let pipe = try ProcessPipe()
    var inheritance = SpawnedProcess.Inheritance(adding: ["ADDED": "value"])
    inheritance.folder = folder.url.path
    inheritance.input = .handle(try FileHandle(forReadingFrom: URL(filePath: input)))
    inheritance.output = .handle(pipe.writing)
    let script = "pwd -P; echo $ADDED ${HOME:+home}; cat; readlink /proc/$$/fd/0"
    let process = try SpawnedProcess("sh", ["-c", script], inheritance)
    let lines = String(decoding: try pipe.reading.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
    #expect(await process.end == .exit(0))
    let place = URL(filePath: folder.url.path).resolvingSymlinksInPath().path
    #expect(lines == ["\(place)", "value home", "text\(place)/input"])
  }

  @Test("a program that is not there is an error with its name, and its pipe ends")
  func missing() throws {
    let pipe = try ProcessPipe()
    let error = #expect(throws: SpawnError.self) {
      try SpawnedProcess("no-such-program", [], inheritance(output: pipe.writing))
    }
    #expect(error?.number == ENOENT)
    #expect(error?.description == "no-such-program cannot be run: No such file or directory")
    let output = try pipe.reading.readToEnd()
    #expect(output?.isEmpty != false)
  }
}
