package main

// sow returns the board after a pit is sown, and whether the same player moves again, by the rules
// "kalah". A board is a ring: your pits, your store, the other's pits, the other's store.
func sow(board []int, pit int) (after []int, again bool) {
	after = append(after, board...)
	store, ring := len(board)/2-1, len(board)-1 // the other's store is not sown
	last := pit
	for after[pit] = 0; last < pit+board[pit]; {
		last++
		after[last%ring]++
	}
	last %= ring
	if opposite := 2*store - last; last < store && after[last] == 1 && after[opposite] > 0 {
		after[store] += 1 + after[opposite]
		after[last], after[opposite] = 0, 0
	}
	mine, others := after[:store], after[store+1:ring]
	if sum(mine) == 0 || sum(others) == 0 { // the game is over
		after[store], after[ring] = after[store]+sum(mine), after[ring]+sum(others)
		for i := range mine {
			mine[i], others[i] = 0, 0
		}
		return after, false
	}
	return after, last == store
}

type state struct { // a position on the wire
	Pits           [2][]int
	Stores         [2]int
	Current_Player int
}

// ring returns a position as sow reads it.
func ring(position state) (board []int) {
	me := position.Current_Player
	for _, player := range []int{me, 1 - me} {
		board = append(append(board, position.Pits[player]...), position.Stores[player])
	}
	return board
}

func sum(pits []int) (seeds int) {
	for _, each := range pits {
		seeds += each
	}
	return seeds
}
