// A mancala bot: change choose; the rest speaks the protocol mancala.v1, as SPEC.md describes it.
package main

import (
	"log"
	"os"
	"strconv"
	"time"

	"github.com/gorilla/websocket"
)

type fields map[string]any
type message struct { // what is read here of all messages; State.Pits[p] are those of player p
	Type, Session, Match, Game, Code, Message, Reason string
	Ply                                               int
	Legal, Stores                                     []int
	Fatal                                             bool
	Reconnect_After                                   float64
	State                                             state
}

// choose returns a pit that moves again, or else the last legal one.
func choose(turn message) (pit int) {
	for _, pit = range turn.Legal {
		if _, again := sow(ring(turn.State), pit); again {
			break
		}
	}
	return pit
}

func main() { // arguments: URL NAME LADDER MATCHES
	hello, file := fields{"type": "hello", "protocol": "mancala.v1", "name": os.Args[2]}, os.Args[2]+".session"
	hello["agent"] = fields{"name": "my-bot", "version": "my-version"} // each version has a rating of its own
	if session, err := os.ReadFile(file); err == nil {                 // left by a bot that was killed
		hello["resume"] = string(session)
	}
	ladder, seen := fields{"type": "join", "ladder": os.Args[3]}, map[string]bool{}
	if token := os.Getenv("MANCALA_TOKEN"); token != "" {
		hello["token"] = token
	}
	for most, _ := strconv.Atoi(os.Args[4]); most > 0; time.Sleep(time.Second) {
		socket, _, err := websocket.DefaultDialer.Dial(os.Args[1], nil)
		send := func(message fields) { err = socket.WriteJSON(message) }
		for m := (message{}); err == nil; err = socket.ReadJSON(&m) {
			switch m.Type {
			case "": // connected
				send(hello)
			case "welcome":
				hello["resume"] = m.Session // takes back the seats after a lost connection
				os.WriteFile(file, []byte(m.Session), 0o600)
				send(ladder)
			case "game_start":
				if seen[m.Match] = true; len(seen) == most {
					ladder["type"] = "leave" // this match is still played
					send(ladder)
				}
			case "turn":
				move := fields{"type": "move", "game": m.Game, "ply": m.Ply, "pit": m.Legal[0], "provisional": true}
				send(move)
				move["pit"], move["provisional"] = choose(m), false
				send(move)
			case "match_over":
				if len(seen) >= most {
					send(fields{"type": "goodbye"})
					os.Remove(file)
					most = 0
				}
			case "goodbye":
				time.Sleep(time.Duration(m.Reconnect_After * float64(time.Second)))
			case "error", "game_over":
				log.Print(m.Game, m.Stores, m.Reason, m.Code, " ", m.Message)
			}
			if m.Code == "bad_resume" {
				delete(hello, "resume")
			} else if m.Fatal || m.Reason == "replaced" { // another connection has our session
				os.Exit(1)
			}
			m = message{}
		}
		log.Print(err)
	}
}
