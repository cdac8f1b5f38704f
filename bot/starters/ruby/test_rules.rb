require "minitest/autorun"
require_relative "rules"

class TestRules < Minitest::Test
  # A line of positions.txt has pit, again (0 or 1), the board before and the board after.
  def test_sow
    File.foreach("positions.txt") do |line|
      pit, again, *boards = line.split.map(&:to_i)
      before, after = boards.each_slice(boards.length / 2).to_a
      assert_equal [after, again == 1], Rules.sow(before, pit), line
    end
  end
end
