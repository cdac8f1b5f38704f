"""Events: who plays whom, who is ahead, and why; pure, for the server and for headless runs.

`plan` says which rounds there are and which come next, by the `terms` and the results alone.
`schedule` has the formats that are fixed in advance, `swiss` (which asks `dutch`, with a
report by `trf`) and `knockout` those that are paired round by round, `standings` the tables and
their tie-breaks. `lifecycle` is the table of an event's states, `entry` says who takes part, and
`pairings` what is stored of a round.
"""
