import Foundation
import ProgramSupport
import PurchaseKit
import SampleApp
import StoreModel
import WebSupport

/// A phone: its settings, and the process of its app, which it starts, ends and watches.
actor Phone {
  let network: PhoneNetwork
  let folder: PhoneFolder
  nonisolated let signal = PageSignal()
  nonisolated let steps: StepHistory

  private(set) var settings: PhoneSettings
  private(set) var state: AppState
  var message: PhoneMessage?
  private var process: ChildProcess?
  private var watching: Task<Void, Never>?
  /// Whether the app's process is being killed. Until it has ended, no other process is started.
  private(set) var isEnding = false
  /// The file name of the backup that is being made; nil if there is none.
  var backupUnderWay: String?
  /// What is lost if the app is deleted, while the owner is asked about that; nil if the owner is not asked.
  var deletionQuestion: CreditLoss?
  /// The number of sign-ins that the store has refused. The page empties the password field after each.
  var refusedSignIns = 0
  let clock: any MachineClock

  /// - Parameter environment: the phone's environment variables. `OPENSTOREKIT_RESTRICTED` and `OPENSTOREKIT_OFFLINE`
  ///   change the settings.
  /// - Throws: `DurableSQLiteError` or ``CommandFailure`` if the settings cannot be read, or a variable is invalid.
  init(
    network: PhoneNetwork, folder: PhoneFolder, environment: [String: String] = [:],
    clock: any MachineClock = SystemClock()
  ) throws {
    self.network = network
    self.folder = folder
    self.clock = clock
    steps = StepHistory(clock: clock)
    var settings = try PhoneSettings.load(
      folder.settings, credits: network.credits, hasServer: network.server != nil)
    var hasChanged = try settings.adopt(environment)
    if let storeKit = network.storeKit, storeKit != settings.storeKit {
      settings.storeKit = storeKit
      hasChanged = true
    }
    if hasChanged { try settings.save(folder.settings) }
    self.settings = settings
    state = settings.isInstalled ? .stopped(reason: nil) : .notInstalled
  }

  /// Changes the settings. They are durable when this returns.
  func change(_ change: (inout PhoneSettings) -> Void) throws {
    var changed = settings
    change(&changed)
    try changed.save(folder.settings)
    settings = changed
    signal.notify()
  }

  /// Removes the message and the question of an earlier command. Called when the owner gives the next command, because they
  /// are about a state that may end with it.
  func beginCommand() {
    deletionQuestion = nil
    show(nil)
  }

  /// Replaces the message beside the settings; nil removes it. The owner can also remove it.
  func show(_ message: PhoneMessage?) {
    self.message = message
    signal.notify()
  }

  // MARK: The app's process

  /// Starts the app. If it is running, it returns to the foreground.
  func launch() throws {
    guard state != .notInstalled else { throw PhoneRefusal.notInstalled }
    guard !state.isAlive else { return try send(.appear) }
    guard !isEnding else { throw PhoneRefusal.ending }
    beginCommand()
    let process = try ChildProcess(
      network.arguments(of: settings, folder), environment: network.environment(of: settings, folder))
    self.process = process
    become(.starting)
    watching = Task { await self.watch(process) }
  }

  /// Starts the app when the phone starts, if the app is installed. A failure is shown as a message.
  func openAtStart() {
    guard settings.isInstalled else { return }
    do {
      try launch()
    } catch {
      show(.bad("The app could not be started: \(error)"))
    }
  }

  /// Kills the app with SIGKILL, as a force-quit does. Returns when its process has ended.
  func forceQuit() async throws {
    guard state.isAlive else { return }
    beginCommand()
    try await end(.stopped(reason: "You force-quit it.")) {}
    steps.add(StepReport(.forceQuit))
    signal.notify()
  }

  /// Kills the app's process, if there is one, and runs `act` when it has ended. Meanwhile no other process is started.
  func end(_ state: AppState, then act: () throws -> Void) async throws {
    guard !isEnding else { throw PhoneRefusal.ending }
    isEnding = true
    defer { isEnding = false }
    become(state)
    await process?.kill()
    await watching?.value
    do {
      try act()
    } catch {
      become(.stopped(reason: nil))
      throw error
    }
  }

  /// Ends the app, and kills it if it takes too long.
  func shutDown() async {
    await process?.end(graceSeconds: ShutdownSeconds.appByPhone)
    await watching?.value
  }

  private func watch(_ process: ChildProcess) async {
    while let line = await process.nextLine() {
      do {
        handle(try AppMessages.read(AppEvent.self, from: line))
      } catch {
        show(.bad("The app sent an unknown message: \(error)"))
      }
    }
    let status = await process.status
    guard self.process === process else { return }
    self.process = nil
    watching = nil
    backupUnderWay = nil
    if state.isAlive { become(.stopped(reason: "It ended by itself, with status \(status).")) }
  }

  /// Sets the state of the app, and notifies the pages.
  func become(_ state: AppState) {
    self.state = state
    if !state.isAlive { steps.show(nil) }
    signal.notify()
  }

  /// Sends a command to the app.
  ///
  /// - Throws: ``PhoneRefusal/notRunning``.
  func send(_ command: AppCommand) throws {
    guard let process, state.isAlive else { throw PhoneRefusal.notRunning }
    do {
      try process.write(AppMessages.write(command))
    } catch {
      throw PhoneRefusal.notRunning
    }
  }
}
