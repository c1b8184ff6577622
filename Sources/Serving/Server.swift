public import Basics
internal import Foundation
public import Hummingbird
internal import HummingbirdCore
public import Logging
internal import NIOCore

/// Runs an HTTP/1.1 server until SIGTERM or SIGINT; requests in progress are answered first.
public struct Server: Sendable {
  public var address: ListenAddress
  /// Connections in total, and of one client; beyond, the one that has waited longest for its client is closed.
  public var maximumConnections = 1_024
  /// Half of all, as a proxy in front of the server is one client.
  public var maximumConnectionsOfClient = 512
  /// Seconds after which a silent connection is closed, or one whose next request has no whole head.
  public var idleSeconds = 30
  /// Seconds from a request's head to the end of its body.
  public var bodySeconds = 30
  /// Seconds from a request's head to the end of its answer.
  public var requestSeconds = 120
  public var logger: Logger

  /// An error for an address that the server cannot listen on.
  public struct AddressError: ReadableError {
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
    let limits = ConnectionLimits(
      most: min(maximumConnections, Self.descriptors - 128), mostOfClient: maximumConnectionsOfClient)
    let times = RequestDeadlines.Times(
      head: .seconds(Int64(idleSeconds)), body: .seconds(Int64(bodySeconds)), request: .seconds(Int64(requestSeconds)))
    let application = Application(
      router: router,
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [RequestDeadlines(limits, times)], idleTimeout: .seconds(Int64(idleSeconds)),
          httpDecoderConfiguration: .init(maxHeaderFieldSize: 32 << 10, maxHeaderListSize: 64 << 10))),
      configuration: .init(
        address: .hostname(address.host, port: address.port),
        availableConnectionsDelegate: MaximumAvailableConnections(limits.most + 64)),
      onServerRunning: { channel in
        onListening(ListenAddress(host: address.host, port: channel.localAddress?.port ?? address.port))
      },
      logger: logger)
    do {
      try Self.wait { try await application.runService() }
    } catch let error as IOError {
      throw AddressError(
        description:
          "cannot listen on \(address): \(String(cString: strerror(error.errnoCode))); choose another with --listen")
    } catch is SocketAddressError {
      throw AddressError(
        description: "cannot listen on \(address): \(address.host) is not an address of this machine")
    }
  }

  /// The files and connections that the process may have open; raised to what the system allows, up to 4,096.
  private static var descriptors: Int {
    var limit = rlimit()
    guard getrlimit(descriptorResource, &limit) == 0 else { return 1_024 }
    let wanted = min(limit.rlim_max, 4_096)
    if limit.rlim_cur < wanted {
      limit.rlim_cur = wanted
      guard setrlimit(descriptorResource, &limit) == 0, getrlimit(descriptorResource, &limit) == 0 else { return 1_024 }
    }
    return Int(clamping: limit.rlim_cur)
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

#if canImport(Glibc)
  private let descriptorResource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
  private let descriptorResource = RLIMIT_NOFILE
#endif
