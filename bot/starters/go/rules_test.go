package main

import (
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// A line of positions.txt has pit, again (0 or 1), the board before and the board after.
func TestSow(t *testing.T) {
	text, err := os.ReadFile("positions.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var numbers []int
		for _, word := range strings.Fields(line) {
			number, _ := strconv.Atoi(word)
			numbers = append(numbers, number)
		}
		size := len(numbers)/2 - 1
		after, again := sow(numbers[2:2+size], numbers[0])
		if again != (numbers[1] == 1) || !reflect.DeepEqual(after, numbers[2+size:]) {
			t.Errorf("%s: got %v, again %v", line, after, again)
		}
	}
}
