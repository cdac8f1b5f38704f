# A mancala bot: change choose; the rest speaks the protocol mancala.v1, as SPEC.md describes it.
require "uri"
require_relative "rules"
require_relative "websocket"

# Returns a pit that moves again, or else the last legal one.
def choose(turn)
  board = Rules.board(turn["state"])
  turn["legal"].find { |pit| Rules.sow(board, pit).last } || turn["legal"].last
end

REFUSALS = %w[unknown_ladder forbidden quarantined].freeze # of a ladder that takes a bot no more

class Bot
  def initialize(name, ladder, most)
    @file = "#{name}.session" # lets a bot that was killed take its seats back
    @hello = { type: "hello", protocol: "mancala.v1", name: name, token: ENV["MANCALA_TOKEN"],
               resume: (File.read(@file) if File.exist?(@file)),
               agent: { name: "my-bot", version: "my-version" } }
    @ladder, @matches, @most = { type: "join", ladder: ladder }, {}, most
    @games, @playing = {}, {} # those under way; @refused, once the ladder takes this bot no more
  end

  def play(uri)
    socket = WebSocket.new(uri)
    socket.say(@hello.compact)
    while (message = socket.hear)
      answer(socket, message)
      leave(socket) if @playing.empty? && (@refused || @matches.size >= @most)
    end
  rescue SystemCallError, IOError, OpenSSL::SSL::SSLError => e
    warn e.message
  end

  def leave(socket)
    socket.say({ type: "goodbye" })
    File.delete(@file)
    exit !@refused
  end

  def result(over, seat, opponent)
    won = { seat => "won", nil => "drawn" }.fetch(over["winner"], "lost")
    won = "void" if over["reason"] == "aborted"
    own, other = over["stores"].rotate(seat)
    detail = over.dig("evidence", "detail")
    "#{won} #{own}:#{other} against #{opponent} (#{over["reason"]}) #{detail}"
  end

  def answer(socket, m)
    case m["type"]
    when "welcome"
      File.write(@file, @hello[:resume] = m["session"], perm: 0o600)
      @playing = m["matches"].to_a.to_h { |match| [match, true] }
      socket.say(@ladder)
    when "game_start"
      @games[m["game"]] = m["seat"], m.dig("opponent", "name")
      @playing[m["match"]] = true
      @matches[m["match"]] = true
      socket.say(@ladder = @ladder.merge(type: "leave")) if @matches.size == @most
    when "turn"
      move = { type: "move", game: m["game"], ply: m["ply"] }
      socket.say(move.merge(pit: m["legal"].first, provisional: true)) # if the time runs out
      socket.say(move.merge(pit: choose(m)))
    when "match_over" then @playing.delete(m["match"])
    when "game_over" then puts result(m, *@games.delete(m["game"]))
    when "error", "goodbye"
      warn m["message"] if m["message"]
      @refused ||= REFUSALS.include?(m["code"])
      return @hello.delete(:resume) if m["code"] == "bad_resume" # the next connection begins anew
      exit 1 if m["fatal"] || m["reason"] == "replaced" # another connection has our session
      sleep m["reconnect_after"].to_f
    end
  end
end

url, name, ladder, most = ARGV
abort "usage: ruby bot.rb URL NAME LADDER MATCHES" unless most.to_i.positive?
bot = Bot.new(name, ladder, most.to_i)
loop do
  bot.play(URI(url).tap { |uri| uri.path = "/" if uri.path.empty? })
  sleep 1
end
