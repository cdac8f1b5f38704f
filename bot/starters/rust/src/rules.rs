//! The rules "kalah".

/// A position: a ring of your pits, your store, the other's pits, and the other's store.
#[derive(Clone, Debug, PartialEq)]
pub struct Board(pub Vec<u32>);

impl Board {
    /// Reads a board such as `<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>`: the pits of a row, both stores, both rows.
    pub fn parse(text: &str) -> Option<Board> {
        let inner = text.strip_prefix('<')?.strip_suffix('>')?;
        let numbers: Result<Vec<u32>, _> = inner.split(',').map(str::parse).collect();
        let numbers = numbers.ok()?;
        let pits = *numbers.first()? as usize;
        if pits == 0 || numbers.len() != 2 * pits + 3 {
            return None;
        }
        let (mine, theirs) = numbers[3..].split_at(pits);
        Some(Board(
            [mine, &numbers[1..2], theirs, &numbers[2..3]].concat(),
        ))
    }

    fn pits(&self) -> usize {
        self.0.len() / 2 - 1
    }

    /// Returns the pits that may be sown.
    pub fn legal(&self) -> Vec<usize> {
        (0..self.pits()).filter(|&pit| self.0[pit] > 0).collect()
    }

    /// Returns the board after a move, and whether the same player moves again.
    pub fn sow(&self, pit: usize) -> (Board, bool) {
        let mut board = self.0.clone();
        let (store, ring) = (self.pits(), board.len() - 1); // the other's store is not sown
        let seeds = std::mem::take(&mut board[pit]) as usize;
        for seed in 1..=seeds {
            board[(pit + seed) % ring] += 1;
        }
        let last = (pit + seeds) % ring;
        if last < store && board[last] == 1 && board[2 * store - last] > 0 {
            board[store] += 1 + std::mem::take(&mut board[2 * store - last]);
            board[last] = 0;
        }
        let mine: u32 = board[..store].iter().sum();
        let theirs: u32 = board[store + 1..ring].iter().sum();
        if mine > 0 && theirs > 0 {
            return (Board(board), last == store);
        }
        board[store] += mine; // the game is over
        board[ring] += theirs;
        board[..store].fill(0);
        board[store + 1..ring].fill(0);
        (Board(board), false)
    }
}

#[cfg(test)]
mod tests {
    use super::Board;

    /// A line of positions.txt has pit, again (0 or 1), the board before and the board after.
    #[test]
    fn sow_keeps_to_the_rules() {
        for line in include_str!("../positions.txt").lines() {
            let numbers: Vec<u32> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            let (before, after) = numbers[2..].split_at(numbers.len() / 2 - 1);
            let expected = (Board(after.to_vec()), numbers[1] == 1);
            assert_eq!(
                Board(before.to_vec()).sow(numbers[0] as usize),
                expected,
                "{line}"
            );
        }
    }
}
