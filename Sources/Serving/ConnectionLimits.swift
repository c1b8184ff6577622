internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

/// The open connections of a server, of which the one that has waited longest for its client gives way to a new one: of the
/// client with too many, or, when there are too many in all, of the client with the most.
///
/// Clients that send slowly can therefore not shut out others: an honest request is read within milliseconds, long before
/// its connection is the oldest.
final class ConnectionLimits: Sendable {
  private struct Connection {
    var channel: any Channel
    var client: String
    /// The time since when the client has to send or to take something; `nil` while a request is answered.
    var waitsSince: NIODeadline?
  }

  /// Connections in total, and of one client.
  let most: Int
  private let mostOfClient: Int
  private let connections = Mutex<[ObjectIdentifier: Connection]>([:])

  init(most: Int, mostOfClient: Int) {
    self.most = most
    self.mostOfClient = mostOfClient
  }

  func open(_ channel: any Channel) {
    let client = Self.client(at: channel.remoteAddress)
    let surplus: (any Channel)? = connections.withLock { connections in
      connections[ObjectIdentifier(channel)] = Connection(channel: channel, client: client, waitsSince: .now())
      guard let candidates = candidates(for: client, among: connections) else { return nil }
      let waiting = candidates.filter { $0.waitsSince != nil }
      let oldest = waiting.min { ($0.waitsSince ?? .distantFuture) < ($1.waitsSince ?? .distantFuture) }
      let surplus = oldest?.channel ?? channel
      connections[ObjectIdentifier(surplus)] = nil
      return surplus
    }
    surplus?.close(promise: nil)
  }

  func close(_ channel: any Channel) { connections.withLock { $0[ObjectIdentifier(channel)] = nil } }

  /// Notes whose turn it is on a connection.
  func setWaiting(_ channel: any Channel, _ isWaiting: Bool) {
    connections.withLock { $0[ObjectIdentifier(channel)]?.waitsSince = isWaiting ? .now() : nil }
  }

  /// Returns the connections of which one has to go; `nil` while there is room.
  private func candidates(
    for client: String, among connections: [ObjectIdentifier: Connection]
  ) -> [Connection]? {
    let own = connections.values.filter { $0.client == client }
    if own.count > mostOfClient { return own }
    if connections.count <= most { return nil }
    let clients = Dictionary(grouping: connections.values, by: \.client)
    let largest = clients.values.map(\.count).max()
    return clients.values.filter { $0.count == largest }.flatMap { $0 }
  }

  /// Returns the client's address; of IPv6 the first half, as one client has all addresses of its network.
  private static func client(at address: SocketAddress?) -> String {
    guard case .v6(let six)? = address else { return address?.ipAddress ?? "" }
    let half = withUnsafeBytes(of: six.address.sin6_addr) { Array($0.prefix(8)) }
    // Addresses of IPv4 and of this machine begin with zeros.
    return half.allSatisfy { $0 == 0 } ? address?.ipAddress ?? "" : "\(half)"
  }
}

/// Closes a connection whose client takes too long to send a request or to take its answer, or sends many requests without
/// waiting for their answers.
final class RequestDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  struct Times: Sendable {
    /// Until a request's head is there.
    var head: TimeAmount
    /// From the head to the end of the body.
    var body: TimeAmount
    /// From the head, or the answer before, to the end of the answer.
    var request: TimeAmount
    /// For the rest of a body after its answer.
    var rest = TimeAmount.seconds(2)
  }

  /// Requests sent ahead; browsers and proxies wait for each answer.
  private static let mostUnanswered = 16

  private let limits: ConnectionLimits
  private let times: Times
  private var turn: Scheduled<Void>?
  private var whole: Scheduled<Void>?
  private var isReading = false
  /// Requests whose answers have not ended; several where a client does not wait for them.
  private var unanswered = 0
  private var isRefused = false

  init(_ limits: ConnectionLimits, _ times: Times) {
    self.limits = limits
    self.times = times
  }

  func channelActive(context: ChannelHandlerContext) {
    limits.open(context.channel)
    turn = closing(context, in: times.head)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    turn?.cancel()
    whole?.cancel()
    limits.close(context.channel)
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isRefused { return }
    switch unwrapInboundIn(data) {
    case .head where unanswered == Self.mostUnanswered:
      isRefused = true
      return context.close(promise: nil)
    case .head:
      if unanswered == 0 { whole = closing(context, in: times.request) }
      unanswered += 1
      isReading = true
      setTurn(context, times.body)
    case .end:
      isReading = false
      if unanswered > 0 {
        turn?.cancel()
        limits.setWaiting(context.channel, !context.channel.isWritable)
      } else {
        setTurn(context, times.head)
      }
    case .body: break
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      unanswered -= 1
      whole?.cancel()
      if unanswered > 0 {
        whole = closing(context, in: times.request)
      } else {
        setTurn(context, isReading ? times.rest : times.head)
      }
      if unanswered == 0 || isReading { limits.setWaiting(context.channel, true) }
    }
    context.write(data, promise: promise)
  }

  /// A client that does not take its answer is waited for.
  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if unanswered > 0, !isReading { limits.setWaiting(context.channel, !context.channel.isWritable) }
    context.fireChannelWritabilityChanged()
  }

  private func setTurn(_ context: ChannelHandlerContext, _ time: TimeAmount) {
    turn?.cancel()
    turn = closing(context, in: time)
  }

  private func closing(_ context: ChannelHandlerContext, in time: TimeAmount) -> Scheduled<Void> {
    let channel = context.channel
    return context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }
}
