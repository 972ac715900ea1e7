"""The situations: what happens to a program, and what its user expects then. Each is one play or a part of one."""

from sound import SILENCE, decibels, last_heard, skipped

#: What a user may lose of the music over an interruption: what is in the program's buffers when it stops, and how exactly a
#: position is heard. In seconds.
MOST_SKIPPED = 0.8
#: How soon a program is silent when a call has begun, in seconds.
SOON = 1
#: What a program that was silenced before its user paused it has in its buffers, in seconds.
BUFFERED = 0.3
#: How loud a telephone's call is at least.
HEARD = 0.3
#: By how much a navigator lowers others, and how exactly, in dB.
LOWERED, EXACTLY = -20, 2
#: Where it is at least after its user has moved it forwards, in seconds of the music.
SOUGHT = 6
#: How long a program may take for what another situation judges, in seconds; and after which time a program that gets nothing
#: played has noticed.
MOST_PATIENT, STARVED = 4, 4


def come_into_call(play):
    """A call begins while the program plays."""
    play.start()
    play.before = play.sink.now() - 1
    play.begin("phone")
    expect_paused(play)


def expect_paused(play):
    if not play.sink.comes(play.is_silent, MOST_PATIENT):
        play.complain("is heard")
    if not play.sink.comes(lambda: not play.wrong_displays("Paused"), MOST_PATIENT):
        play.complain("in the call " + play.wrong_displays("Paused"))


def call_begins(play, _):
    come_into_call(play)
    expect_soon_silent(play)


def expect_soon_silent(play):
    if not play.wrong and (late := last_heard(play.sink.read(play.begun), play.full, play.silence) - play.begun) > SOON:
        play.complain(f"silent after {late:.1f} s")
    play.expect_silence(play.sink, max(play.begun + SOON, play.sink.now()))


def call_ends(play, _):
    play.end_role()
    expect_back(play, play.before)


def expect_back(play, before):
    """The program is heard again at its full level, where it had stopped, and says so."""
    if not play.heard.comes(play.is_full, play.LIMIT):
        return play.complain("is silent" if play.is_silent() else "is not at its level")
    play.heard.wait_for(1.5)
    expect_place(play, before)
    play.expect_display("Playing")


def expect_place(play, before):
    if play.program.PLAYS_MUSIC:
        lost = skipped(play.heard.read(before), play.full)
        if lost is not None and abs(lost) > MOST_SKIPPED + play.program.THROWS_AWAY:
            play.complain(f"{'lost' if lost > 0 else 'repeats'} {abs(lost):.1f} s")


def pause_in_call(play, way):
    come_into_call(play)
    play.press(way, "pause")
    play.sink.wait_for(1)
    play.end_role()
    play.expect_silence(play.sink, play.sink.now(), most=BUFFERED)
    play.expect_display("Paused")
    # What its user has paused, its user resumes.
    if not play.wrong:
        play.press(way, "play")
        if not play.sink.comes(play.is_full, play.LIMIT):
            play.complain("then play: is silent")


def seek_in_call(play, way):
    come_into_call(play)
    since = play.sink.now()
    play.press(way, "seek")
    play.expect_silence(play.sink, since)
    play.expect_display("Paused")
    play.end_role()
    if not play.sink.comes(play.is_full, play.LIMIT):
        play.complain("is silent after the call")
    elif play.sink.last()[-1].position < SOUGHT:
        play.complain("is not where it was sent")
    play.expect_display("Playing")


def play_in_call(play, way):
    come_into_call(play)
    play.press_play(way)
    if not play.sink.comes(play.is_full, play.LIMIT):
        play.complain("is silent" if play.is_silent() else "is not at its level")
    play.expect_display("Playing")
    expect_call(play, max(play.begun, play.sink.now() - 1))
    play.end_role()
    since = play.sink.now()
    play.sink.wait_for(2)
    if not play.wrong and has_gap([row.music / play.full for row in play.sink.read(since)]):
        play.complain("has a gap when the call ends")


def navigator(play, _):
    play.start()
    play.begin("navigation")
    if not play.sink.comes(lambda: lowered_by(play) < LOWERED + EXACTLY, play.LIMIT) or lowered_by(play) < LOWERED - EXACTLY:
        play.complain(f"lowered by {-lowered_by(play):.0f} dB")
    play.expect_display("Playing")
    play.end_role()
    if not play.sink.comes(play.is_full, play.LIMIT):
        play.complain("is not at its level again")


def lowered_by(play):
    return decibels(play.level(play.sink) / play.full)


def lose_headset(play, kind):
    play.add_card(kind)
    play.start()
    # So far that a program that begins anew is heard to do so.
    play.heard.wait_for(2)
    play.before, play.since, play.stopped_at = play.heard.now() - 1, play.speaker.now(), play.heard.last()[-1].position
    play.timeline.mark("pulls the headset")
    play.card.pull()


def headset_pulled(play, kind):
    lose_headset(play, kind)
    if not play.heard.comes(play.is_silent, play.LIMIT):
        play.complain("is heard in the headset")
    play.expect_silence(play.speaker, play.since, "on the speaker")
    play.expect_display("Paused")


def headset_back(play, _):
    play.timeline.mark("puts the headset back")
    play.card.put_back()
    expect_back(play, play.before)


def play_elsewhere(play, way):
    lose_headset(play, "usb")
    play.heard.comes(play.is_silent, MOST_PATIENT)
    # What a starved program does by itself comes first.
    play.speaker.wait_for(STARVED)
    play.press_play(way)
    if not play.speaker.comes(lambda: play.is_steady(play.speaker), play.LIMIT):
        play.complain("is silent")
    elif play.program.PLAYS_MUSIC:
        first, *_, last = [row for row in play.speaker.read(play.since) if row.music > SILENCE]
        lost = last.position - (last.moment - first.moment) - play.stopped_at
        if abs(lost) > MOST_SKIPPED + play.program.THROWS_AWAY:
            play.complain(f"{'lost' if lost > 0 else 'repeats'} {abs(lost):.1f} s")
    play.expect_display("Playing")


def expect_call(play, since):
    """Nothing is done to the call."""
    if has_gap([row.call for row in play.sink.read(since)[1:-1]]):
        play.complain("the call has a gap")


def has_gap(levels):
    """Whether it is silent for two tenths of a second; a shorter gap is the machine's."""
    return any(max(levels[index:index + 4]) < 0.7 for index in range(len(levels) - 3))


def closed_in_call(play, _):
    come_into_call(play)
    mine, since = play.program.processes(), play.sink.now()
    sessions = {stream["session"] for stream in play.left("streams", "process", mine)}
    play.timeline.mark("closes the program")
    play.program.close()
    for what, key, numbers in (("streams", "process", mine), ("sessions", "id", sessions)):
        if not play.sink.comes(lambda: not play.left(what, key, numbers), play.LIMIT):
            play.complain(f"its {what} are left")
    play.sink.wait_for(1)
    expect_call(play, since)
    play.end_role()


def telephone_starts(play, _):
    play.start()
    since = play.sink.now()
    play.timeline.mark("starts the telephone")
    play.caller.start()
    # So long that a microphone which it has opened would be taken for a call.
    play.sink.wait_for(2)
    if has_gap([row.music / play.full for row in play.sink.read(since)[1:-1]]):
        play.complain("the music has a gap")
    play.expect_display("Playing")


def telephone_calls(play, _):
    play.before, since = play.sink.now() - 1, play.sink.now()
    play.timeline.mark("it calls")
    play.caller.press("dial")
    play.desktop.wait("the call", lambda: all(row.call > HEARD for row in play.sink.last()))
    play.begun = next(row.moment for row in play.sink.read(since) if row.call > HEARD)
    expect_paused(play)
    expect_soon_silent(play)
    treatments = {stream["treatment"] for stream in play.left("streams", "process", play.caller.processes())}
    if treatments != {"untouched"}:
        play.complain(f"the call is {', '.join(treatments) or 'not listed'}")
    if not play.sink.comes(lambda: all(row.call > HEARD for row in play.sink.last()), play.LIMIT):
        play.complain("the call is silent")


def telephone_hangs_up(play, _):
    play.timeline.mark("it hangs up")
    play.caller.press("hang_up")
    expect_back(play, play.before)
    left = play.left("streams", "process", play.caller.processes())
    if any(stream["direction"] == "capture" or not play.caller.PLAYS_OTHERS for stream in left):
        play.complain("the call's streams are left")


class Situation:
    """A column of the table.

    - after: the situation of whose play it is the end.
    - button: what its user presses; it is played once for each way to do that. A part is played if the program can do that.
    - with_: a word for the play.
    - calls: whether it is for telephones."""

    def __init__(self, name, play, after=None, button=None, with_=None, calls=False):
        self.name, self.play, self.after, self.button, self.with_, self.calls = name, play, after, button, with_, calls


SITUATIONS = [
    Situation("call", call_begins),
    Situation("back", call_ends, after="call"),
    Situation("pause", pause_in_call, button="pause"),
    Situation("play", play_in_call, button="play"),
    Situation("seek", seek_in_call, button="seek"),
    Situation("navigator", navigator),
    Situation("pulled", headset_pulled, with_="laptop"),
    Situation("plugged", headset_back, after="pulled"),
    Situation("gone", headset_pulled, with_="usb"),
    Situation("returned", headset_back, after="gone"),
    Situation("elsewhere", play_elsewhere, button="play"),
    Situation("closed", closed_in_call),
    Situation("telephone", telephone_starts, calls=True),
    Situation("dials", telephone_calls, after="telephone", button="dial", calls=True),
    Situation("hangs-up", telephone_hangs_up, after="telephone", button="hang_up", calls=True),
]
