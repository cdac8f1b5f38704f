// A mancala bot: change choose; the rest speaks the protocol mancala.v1, as SPEC.md describes it.
package main

import (
	"log"
	"os"
	"strconv"
	"time"

	"github.com/gorilla/websocket"
)

// choose returns a pit that moves again, or else the last legal one.
func choose(turn message) (pit int) {
	for _, pit = range turn.Legal {
		if _, again := sow(ring(turn.State), pit); again {
			break
		}
	}
	return pit
}

func main() {
	most := 0 // matches to play
	if len(os.Args) == 5 {
		most, _ = strconv.Atoi(os.Args[4])
	}
	if most < 1 {
		log.Fatal("usage: ./my-bot URL NAME LADDER MATCHES")
	}
	hello, file := fields{"type": "hello", "protocol": "mancala.v1", "name": os.Args[2]}, os.Args[2]+".session"
	hello["agent"] = fields{"name": "my-bot", "version": "my-version"} // each version has a rating of its own
	if session, err := os.ReadFile(file); err == nil {                 // left by a bot that was killed
		hello["resume"] = string(session)
	}
	ladder, seen, games := fields{"type": "join", "ladder": os.Args[3]}, map[string]bool{}, map[string]message{}
	playing, refused := map[string]bool{}, false // the matches under way; whether the ladder takes this bot no more
	if token := os.Getenv("MANCALA_TOKEN"); token != "" {
		hello["token"] = token
	}
	for ; ; time.Sleep(time.Second) {
		socket, _, err := websocket.DefaultDialer.Dial(os.Args[1], nil)
		send := func(message fields) { err = socket.WriteJSON(message) }
		for m := (message{}); err == nil; err = socket.ReadJSON(&m) {
			switch m.Type {
			case "": // connected
				send(hello)
			case "welcome":
				hello["resume"] = m.Session // takes back the seats after a lost connection
				os.WriteFile(file, []byte(m.Session), 0o600)
				playing = map[string]bool{}
				for _, match := range m.Matches {
					playing[match] = true
				}
				send(ladder)
			case "game_start":
				games[m.Game], playing[m.Match] = m, true
				if seen[m.Match] = true; len(seen) == most {
					ladder["type"] = "leave" // this match is still played
					send(ladder)
				}
			case "turn":
				move := fields{"type": "move", "game": m.Game, "ply": m.Ply, "pit": m.Legal[0], "provisional": true}
				send(move)
				move["pit"], move["provisional"] = choose(m), false
				send(move)
			case "game_over":
				log.Print(result(games[m.Game], m))
				delete(games, m.Game)
			case "match_over":
				delete(playing, m.Match)
			case "goodbye":
				time.Sleep(time.Duration(m.Reconnect_After * float64(time.Second)))
			case "error":
				log.Print(m.Message)
				refused = refused || refusals[m.Code]
			}
			if m.Code == "bad_resume" {
				delete(hello, "resume") // the next connection begins anew
			} else if m.Fatal || m.Reason == "replaced" { // another connection has our session
				os.Exit(1)
			}
			if len(playing) == 0 && (refused || len(seen) >= most) {
				send(fields{"type": "goodbye"})
				os.Remove(file)
				os.Exit(map[bool]int{true: 1, false: 0}[refused])
			}
			m = message{}
		}
		log.Print(err)
	}
}
