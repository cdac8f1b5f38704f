// The messages of the protocol mancala.v1, as far as the bot reads them.
package main

import "fmt"

type fields map[string]any

// message has what is read here of all messages; State.Pits[p] are those of player p.
type message struct {
	Type, Session, Match, Game, Code, Message, Reason string
	Ply, Seat                                         int
	Winner                                            *int
	Legal, Stores                                     []int
	Matches                                           []string
	Fatal                                             bool
	Reconnect_After                                   float64
	State                                             state
	Opponent                                          struct{ Name string }
	Evidence                                          struct{ Detail string }
}

// refusals are the errors with which a ladder does not take a bot, or no more.
var refusals = map[string]bool{"unknown_ladder": true, "forbidden": true, "quarantined": true}

// result says how a game ended for its bot.
func result(start, over message) string {
	won := "drawn"
	if over.Reason == "aborted" {
		won = "void"
	} else if over.Winner != nil {
		won = map[bool]string{true: "won", false: "lost"}[*over.Winner == start.Seat]
	}
	own, other := over.Stores[start.Seat], over.Stores[1-start.Seat]
	return fmt.Sprintf("%s %d:%d against %s (%s) %s", won, own, other, start.Opponent.Name, over.Reason, over.Evidence.Detail)
}
