// What an author writes with the generated types.
import type { Move } from "./typescript/Move";
import type { Turn } from "./typescript/Turn";

export const answer = ({ game, ply, legal, state }: Turn): Move => ({
  type: "move",
  game,
  ply,
  pit: legal.find((pit) => (state.pits[state.current_player]?.[pit] ?? 0) > 1) ?? legal[0]!,
});
