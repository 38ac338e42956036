#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# hostile.pl - for tests/hostile_names.sh: puts names of tests/data/hostile_names.txt into inputs, and says what must not
# be in an output. It knows nothing of how the program escapes.
#
#   hostile.pl names FILE                      the names, each ended by NUL
#   hostile.pl valid FILE                      the same without those that are not UTF-8
#   hostile.pl words FILE                      the same without those that hold a line end or a slash, for file names
#   hostile.pl put FILE csv|json|bare PATTERN  standard input; each text that matches becomes a name, written as a cell,
#                                              as a part of a JSON string, or bare if it has none of , " ; CR LF
#   hostile.pl metrics                         of the JSON of `history show`, each ended by NUL
#   hostile.pl scan text|color|md|csv|json|xml|html OUTPUT...
use strict;
use warnings;
use Encode ();
use JSON::PP ();

sub names {
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!";
    my @names;
    while (my $line = <$in>) {
        chomp $line;
        next if $line =~ /^# (?!MARK)/ || $line eq '';
        $line =~ s/\\(?:x([0-9a-f]{2})|(\\))/defined $1 ? chr hex $1 : $2/ge;
        push @names, $line;
    }
    die "no names" if @names < 40;
    return @names;
}

sub is_utf8 {
    my ($text) = @_;
    return eval { Encode::decode('UTF-8', $text, Encode::FB_CROAK); 1 };
}

sub put {
    my ($file, $how, $pattern) = @_;
    my @names = names($file);
    @names = grep { !/[,";\r\n]/ } @names if $how eq 'bare';
    if ($how eq 'csv') { s/"/""/g, $_ = "\"$_\"" for @names }
    if ($how eq 'json') {
        # what is not UTF-8 cannot stand in JSON at all
        @names = grep { is_utf8($_) } @names;
        s/([\\"])/\\$1/g, s/([\x00-\x1f])/sprintf '\\u%04x', ord $1/ge for @names;
    }
    local $/;
    binmode STDIN;
    binmode STDOUT;
    my $text = <STDIN>;
    my ($next, %new) = (0);
    $text =~ s/$pattern/$new{$&} \/\/= $names[$next++ % @names]/gme;
    die "nothing matches $pattern" if !$next;
    print $text;
}

my $bad = 0;
sub complain {
    my ($path, $what, $near) = @_;
    $near =~ s/([^\x20-\x7e])/sprintf '\\x%02x', ord $1/ge;
    print STDERR "FAILED: $path: $what: $near\n";
    $bad = 1;
}

sub scan_bytes {
    my ($path, $mode, $text) = @_;
    # our own colours, no others
    $text =~ s/\x1b\[(?:0|1|2|3[1-6]|38;5;(?:8|9|1[0-5]|208))m//g if $mode eq 'color';
    $text =~ s/\r\n/\n/g if $mode eq 'csv';
    complain($path, 'control byte', $1) if $text =~ /(.{0,20}[\x00-\x09\x0b-\x1f\x7f].{0,20})/;
    my $decoded = eval { Encode::decode('UTF-8', my $copy = $text, Encode::FB_CROAK) };
    if (!defined $decoded) {
        my ($near) = $@ =~ /(\\x\S*)/;
        return complain($path, 'not UTF-8', $near // $@);
    }
    complain($path, 'control character', Encode::encode('UTF-8', $1))
        if $decoded =~ /(.{0,20}[\x{80}-\x{9f}\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}].{0,20})/;
    complain($path, 'a line that a name made', $1) if $text =~ /^(INJECTED.*)/m;
}

sub scan_markdown {
    my ($path, $text) = @_;
    my %markup = (
        'HTML' => qr/<(?:script|img)/, 'a link' => qr/(?<!\\)\[MARK[LI]/, 'code' => qr/(?<!\\)`MARKB/,
        'emphasis' => qr/(?<!\\)\*MARKS/, 'emphasis with _' => qr/(?<!\\)_MARKU/, 'a cell' => qr/(?<!\\)\|MARKP/,
        'a heading' => qr/(?:^|[|] |- )# MARKH/m, 'a quote' => qr/> MARKQ/, 'an autolink' => qr{https://MARKW},
        'an entity' => qr/&lt;MARKE/, 'strikethrough' => qr/(?<!\\)~MARKT/, 'a list' => qr/^(?:- MARKD|1\. MARKN)/m,
        'an end of a comment' => qr/-->/,
    );
    for my $what (sort keys %markup) {
        complain($path, "Markdown: $what", $&) if $text =~ $markup{$what};
    }
    my $columns = 0;
    for my $line (split /\n/, $text) {
        if ($line !~ /^\|/) { $columns = 0; next }
        my $n = () = $line =~ /(?<!\\)(?:\\\\)*\|/g;
        complain($path, "Markdown: $n bars in a table of $columns", $line) if $columns && $n != $columns;
        $columns = $n;
    }
}

# Elements of a page, in their order: a name adds none.
my $elements = 'html head meta meta meta meta meta title style body a header h1 nav button main noscript pre p footer div script';

# Names are in the JSON of the page, in which there is no '<', or escaped in the frame around it.
sub scan_html {
    my ($path, $text) = @_;
    my $blocks = 0;
    return if $text eq ''; # the verb had nothing to show
    while ($text =~ s{<script type="application/json" id="[a-z]+-?[0-9]*">(.*?)</script>}{}s) {
        my $json = $1;
        $blocks++;
        complain($path, 'HTML: markup in the data', $1) if $json =~ /(<.{0,20})/s;
        complain($path, 'HTML: data that is not JSON', substr($json, 0, 40)) if !eval { JSON::PP->new->utf8->decode($json); 1 };
    }
    complain($path, 'HTML: no data', substr($text, 0, 40)) if !$blocks;
    $text =~ s{<(script|style)>.*?</\1>}{<$1></$1>}gs;
    $text =~ s{<!--.*?-->}{}gs;
    my $found = join ' ', $text =~ /<([a-zA-Z][^\s>]*)/g;
    complain($path, 'HTML: other elements than those of the frame', $found) if $found ne $elements;
}

sub scan_csv {
    my ($path, $text) = @_;
    my ($width, $row) = (0, 0);
    while ($text =~ /\G((?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,(?:"(?:[^"]|"")*"|[^",\r\n]*))*)\r?\n/gc) {
        my ($line, @cells) = ($1);
        push @cells, $1 while $line =~ /\G(?:^|,)("(?:[^"]|"")*"|[^",]*)/g;
        $width ||= @cells;
        $row++;
        complain($path, "CSV: row $row has " . @cells . " cells, not $width", $line) if @cells != $width;
        for my $cell (@cells) {
            $cell =~ s/^"(.*)"$/$1/s;
            complain($path, 'CSV: a formula', $cell)
                if $cell =~ /^[=+\-@\t\r]/ && $cell !~ /^[+-]?(?:[0-9][0-9.]*(?:e[+-]?[0-9]+)?|inf|nan)$/i;
        }
    }
    complain($path, 'CSV: not a row', substr $text, pos $text // 0, 80) if (pos $text // 0) < length $text;
}

my $what = shift @ARGV // '';
if ($what eq 'names' || $what eq 'words' || $what eq 'valid') {
    my @names = names($ARGV[0]);
    @names = grep { is_utf8($_) } @names if $what eq 'valid';
    @names = grep { !m{[/\n]} && length } @names if $what eq 'words';
    binmode STDOUT;
    print map { "$_\0" } @names;
} elsif ($what eq 'put') {
    put(@ARGV);
} elsif ($what eq 'metrics') {
    local $/;
    my %seen;
    my $show = sub {
        my ($self, $v) = @_;
        if (ref $v eq 'HASH') {
            $seen{$v->{metric}} = 1 if defined $v->{metric} && !ref $v->{metric};
            $self->($self, $_) for values %$v;
        } elsif (ref $v eq 'ARRAY') {
            $self->($self, $_) for @$v;
        }
    };
    $show->($show, JSON::PP->new->utf8->decode(<STDIN>));
    binmode STDOUT;
    print map { Encode::encode('UTF-8', $_) . "\0" } sort keys %seen;
} elsif ($what eq 'scan') {
    my $mode = shift @ARGV;
    for my $path (@ARGV) {
        open my $in, '<:raw', $path or die "$path: $!";
        local $/;
        my $text = <$in> // '';
        scan_bytes($path, $mode, $text);
        scan_markdown($path, $text) if $mode eq 'md';
        scan_csv($path, $text) if $mode eq 'csv';
        scan_html($path, $text) if $mode eq 'html';
        complain($path, 'XML: an open mark', $1) if $mode eq 'xml' && $text =~ /(<(?:script|img).{0,20})/;
    }
} else {
    die "what?";
}
exit $bad;
