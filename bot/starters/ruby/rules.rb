# The rules "kalah". A board is a ring: your pits, your store, the other's pits, the other's store.
module Rules
  # Returns the board after a move, and whether the same player moves again.
  def self.sow(before, pit)
    board = before.dup
    store, ring = board.length / 2 - 1, board.length - 1 # the other's store is not sown
    board[pit] = 0
    (1..before[pit]).each { |seed| board[(pit + seed) % ring] += 1 }
    last = (pit + before[pit]) % ring
    capture(board, last, 2 * store - last, store) if last < store
    mine, others = board[0...store].sum, board[store + 1...ring].sum
    return board, last == store if mine.positive? && others.positive?

    nothing = [0] * store # the game is over
    return [*nothing, board[store] + mine, *nothing, board[ring] + others], false
  end

  def self.capture(board, last, opposite, store)
    return unless board[last] == 1 && board[opposite].positive?

    board[store] += 1 + board[opposite]
    board[last] = board[opposite] = 0
  end

  # Returns the position of a turn as `sow` reads it.
  def self.board(state)
    me = state["current_player"]
    [me, 1 - me].flat_map { |player| [*state["pits"][player], state["stores"][player]] }
  end
end
