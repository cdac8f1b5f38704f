//! A mancala bot: change `choose`. `mancala bot` speaks the protocol of the server and comes back;
//! this program reads positions and the time to think, and answers with pits (SPEC.md, 13).
mod rules;

use rules::Board;
use std::io::{self, BufRead, Write};

/// Returns a pit that moves again, or else the last legal one.
fn choose(board: &Board) -> usize {
    let legal = board.legal();
    let again = legal.iter().find(|&&pit| board.sow(pit).1);
    *again
        .or(legal.last())
        .expect("a position with a legal move")
}

/// Answers `go MILLISECONDS #NUMBER`: the first legal pit, then the chosen one.
fn answer(board: &Board, words: &[&str], out: &mut impl Write) -> io::Result<()> {
    let number = words
        .iter()
        .find(|word| word.starts_with('#'))
        .unwrap_or(&"");
    writeln!(out, "{} {number}", board.legal()[0])?; // played if the time runs out
    out.flush()?;
    writeln!(out, "{} {number}", choose(board))?;
    writeln!(out, "done {number}")?;
    out.flush()
}

fn main() -> io::Result<()> {
    let mut out = io::stdout();
    let mut board = None;
    let mut lines = io::stdin().lock().lines();
    if lines.next().is_some() {
        writeln!(out, "ready 2")?; // from now on the lines are those of version 2
        out.flush()?;
    }
    for line in lines {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.first(), &board) {
            (Some(&"position"), _) => board = words.get(1).and_then(|text| Board::parse(text)),
            (Some(&"go"), Some(board)) => answer(board, &words, &mut out)?,
            (Some(&"quit"), _) => break,
            _ => {} // also told: rules, newgame, option and stop
        }
    }
    Ok(())
}
