// What an author writes with the generated types.
package wire

import "encoding/json"

func answer(frame []byte) (move Move, err error) {
	var turn Turn
	if err = json.Unmarshal(frame, &turn); err == nil {
		move = Move{Game: turn.Game, Ply: turn.Ply, Pit: turn.Legal[0]}
	}
	return move, err
}
