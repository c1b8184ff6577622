internal import Foundation
public import Hummingbird
internal import HummingbirdCore
public import Logging
internal import NIOCore

/// Runs an HTTP/1.1 server until SIGTERM or SIGINT; requests in progress are answered first.
public struct Server: Sendable {
  public var address: ListenAddress
  /// Further connections wait in the system's queue.
  public var maximumConnections = 1_024
  /// Seconds after which a silent connection is closed.
  public var idleSeconds = 30
  public var logger: Logger

  /// An error for an address that the server cannot listen on.
  public struct AddressError: Error, CustomStringConvertible {
    public var description: String
  }

  public init(address: ListenAddress, logger: Logger) {
    self.address = address
    self.logger = logger
  }

  /// Serves requests, and blocks the calling thread until the server stops.
  ///
  /// - Parameter onListening: Called with the address and the port in use.
  public func run<Context>(
    _ router: Router<Context>, onListening: @escaping @Sendable (ListenAddress) -> Void
  ) throws where Context.Source == ApplicationRequestContextSource {
    // A peer that disconnects makes its write fail; it must not end the process.
    signal(SIGPIPE, SIG_IGN)
    let address = address
    let application = Application(
      router: router,
      server: .http1(configuration: .init(idleTimeout: .seconds(Int64(idleSeconds)))),
      configuration: .init(
        address: .hostname(address.host, port: address.port),
        availableConnectionsDelegate: MaximumAvailableConnections(maximumConnections)),
      onServerRunning: { channel in
        onListening(ListenAddress(host: address.host, port: channel.localAddress?.port ?? address.port))
      },
      logger: logger)
    do {
      try Self.wait { try await application.runService() }
    } catch let error as IOError {
      throw AddressError(
        description: "\(address): cannot be listened on: \(String(cString: strerror(error.errnoCode)))")
    } catch is SocketAddressError {
      throw AddressError(
        description: "\(address): cannot be listened on: \(address.host) is not an address of this machine")
    }
  }

  private static func wait(_ body: @escaping @Sendable () async throws -> Void) throws {
    let done = DispatchSemaphore(value: 0)
    let outcome = Outcome()
    Task.detached {
      do { try await body() } catch { outcome.error = error }
      done.signal()
    }
    done.wait()
    if let error = outcome.error { throw error }
  }

  /// The error of the server; written before the semaphore is signalled and read after.
  private final class Outcome: @unchecked Sendable {
    var error: (any Error)?
  }
}
