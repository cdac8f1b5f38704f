# A bot by Perl's Mojolicious: URL NAME LADDER.
use strict;
use warnings;
use Mojo::IOLoop;
use Mojo::UserAgent;

my ($url, $name, $ladder) = @ARGV;
my $hello = {type => 'hello', protocol => 'mancala.v1', name => $name, agent => {name => $name, version => '1'}};
my $join = {type => 'join', ladder => $ladder, matches => 1};
my $agent = Mojo::UserAgent->new(inactivity_timeout => 0);

sub play {
    $agent->websocket($url => sub {
        my (undef, $tx) = @_;
        return Mojo::IOLoop->timer(0.3 => \&play) unless $tx->is_websocket;
        $tx->on(finish => sub { Mojo::IOLoop->timer(0.3 => \&play) });
        $tx->on(json => sub {
            my (undef, $message) = @_;
            my $kind = $message->{type};
            if ($kind eq 'welcome') {
                $hello->{resume} = $message->{session};
                $tx->send({json => $join});
            } elsif ($kind eq 'game_start') {
                $join->{type} = 'leave';    # after a cut, no further match
            } elsif ($kind eq 'turn') {
                my %move = map { $_ => $message->{$_} } qw(game ply);
                $tx->send({json => {type => 'move', %move, pit => $message->{legal}[-1]}});
            } elsif ($kind eq 'match_over') {
                $tx->send({json => {type => 'goodbye'}} => sub { exit });
            }
        });
        $tx->send({json => $hello});
    });
}

play();
Mojo::IOLoop->start;
