# A bot by Tcl's standard library: URL NAME LADDER.
package require websocket
package require json

lassign $argv url name ladder
set resume ""
set join join

proc say {socket text} { websocket::send $socket text $text }

proc hear {socket type text} {
    global name ladder resume join
    switch $type {
        connect {
            set session [expr {$resume eq "" ? "" : ",\"resume\":\"$resume\""}]
            say $socket "{\"type\":\"hello\",\"protocol\":\"mancala.v1\",\"name\":\"$name\",\"agent\":{\"name\":\"$name\",\"version\":\"1\"}$session}"
        }
        text {
            set message [json::json2dict $text]
            switch [dict get $message type] {
                welcome {
                    set resume [dict get $message session]
                    say $socket "{\"type\":\"$join\",\"ladder\":\"$ladder\",\"matches\":1}"
                }
                game_start { set join leave }
                turn {
                    set pit [lindex [dict get $message legal] end]
                    say $socket "{\"type\":\"move\",\"game\":\"[dict get $message game]\",\"ply\":[dict get $message ply],\"pit\":$pit}"
                }
                match_over {
                    say $socket "{\"type\":\"goodbye\"}"
                    after 100 exit
                }
            }
        }
        close - disconnect - error - timeout { after cancel play; after 300 play }
    }
}

proc play {} {
    global url
    if {[catch {websocket::open $url hear} problem]} { puts stderr $problem; after 300 play }
}

play
vwait forever
