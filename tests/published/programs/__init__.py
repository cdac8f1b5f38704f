"""One file for each program of others: what it shows in a game, as `replay` of it says.

``replay(moves, folder)`` plays a game's sowings, pairs of player and pit, in the program that is
installed in ``folder``, until it refuses one or ends the game. It returns what the program shows
before the first sowing and after each: the row of each player in the direction of its sowing,
the stores, the player to move (None when the game is over) and the sign of the first player's
result (None where there is none).
"""
