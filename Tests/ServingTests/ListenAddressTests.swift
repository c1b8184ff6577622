import Serving
import Testing

@Suite struct ListenAddressTests {
  @Test(arguments: [
    ("127.0.0.1:8080", "127.0.0.1", 8080, true), ("127.9.9.9:1", "127.9.9.9", 1, true),
    ("localhost:0", "localhost", 0, true), ("[::1]:8080", "::1", 8080, true), ("0.0.0.0:80", "0.0.0.0", 80, false),
    ("[::]:80", "::", 80, false), ("example.com:65535", "example.com", 65535, false),
    // A host name that only starts like a loopback address.
    ("127.0.0.1.example.com:80", "127.0.0.1.example.com", 80, false),
  ])
  func hostAndPort(text: String, host: String, port: Int, isLoopback: Bool) throws {
    let address = try #require(ListenAddress(text))
    #expect(address.host == host && address.port == port)
    #expect(address.isLoopback == isLoopback)
    #expect(address.description == text)
  }

  @Test(arguments: [
    "", "8080", ":8080", "localhost", "localhost:", "localhost:65536", "localhost:-1", "::1:80", "[]:80",
  ])
  func anythingElseIsNoAddress(text: String) { #expect(ListenAddress(text) == nil) }
}
