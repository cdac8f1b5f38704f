require "json"
require "openssl"
require "securerandom"
require "socket"

# The client's side of a websocket (RFC 6455), for messages of up to 64 KiB.
class WebSocket
  def initialize(uri)
    @io = TCPSocket.new(uri.host, uri.port)
    @io.setsockopt(:TCP, :NODELAY, 1) # else a second message waits 40 ms for the first one's receipt
    @io = secured(uri.host) if uri.scheme == "wss"
    @io.write("GET #{uri.request_uri} HTTP/1.1\r\nHost: #{uri.host}:#{uri.port}\r\n" \
              "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" \
              "Sec-WebSocket-Key: #{SecureRandom.base64(16)}\r\n\r\n")
    status = @io.gets.to_s.chomp
    raise IOError, "no websocket: #{status}" unless status.include?(" 101")
    nil until @io.gets.to_s.chomp.empty?
  end

  def say(message) = frame(1, JSON.generate(message))

  def hear # the next message; nil at the end of the connection
    text = +""
    loop do
      head, length = read(2).unpack("CC")
      length = read(2).unpack1("n") if length == 126
      data = read(length)
      case head & 15
      when 0, 1 then text << data
      when 8 then return
      when 9 then frame(10, data)
      end
      return JSON.parse(text.force_encoding("UTF-8")) if head & 15 < 2 && head > 127
    end
  end

  private

  def secured(host)
    tls = OpenSSL::SSL::SSLSocket.new(@io, OpenSSL::SSL::SSLContext.new.tap(&:set_params))
    tls.hostname = host
    tls.connect.tap { tls.post_connection_check(host) }
  end

  def read(count)
    @io.read(count).tap { |data| raise EOFError, "connection lost" if data.to_s.bytesize < count }
  end

  def frame(opcode, data)
    size = data.bytesize < 126 ? [128 | data.bytesize].pack("C") : [254, data.bytesize].pack("Cn")
    mask = SecureRandom.bytes(4)
    masked = data.bytes.zip(mask.bytes.cycle).map { |byte, key| byte ^ key }
    @io.write([128 | opcode].pack("C") + size + mask + masked.pack("C*"))
  end
end
