"""A second opinion about recurrence rules: python-dateutil on naive civil times, zones from zoneinfo.

Reads one JSON list of cases, writes one JSON list of answers. On times with a zone dateutil gives times that
no clock shows and leaves out hours, so it is only asked about civil times; what those become in a zone,
and rules of hours and minutes, are worked out here, step by step, without any cleverness.
"""

import calendar
import datetime as dt
import itertools
import json
import sys
import zoneinfo

import icalendar
import recurring_ical_events
from dateutil.rrule import rrulestr

UTC = dt.timezone.utc

# More starts than a test compares, as the order of starts is not quite that of their instants.
MOST = 150


def naive(text):
    return dt.datetime.fromisoformat(text)


def instant(civil, zone):
    """fold=0 in a gap means the distance from UTC before it, and in a fold the first."""
    return int(civil.replace(tzinfo=zone, fold=0).timestamp())


def civil(case):
    """A rule of days or longer: every start up to a horizon, with its instant."""
    zone = zoneinfo.ZoneInfo(case["zone"])
    start, horizon = naive(case["start"]), naive(case["horizon"])
    rule = case["rule"]
    parts = dict(part.split("=") for part in rule.split(";"))
    until = parts.pop("UNTIL", None)
    last = horizon
    bound = None
    if until is not None:
        if until.endswith("Z"):
            bound = int(dt.datetime.strptime(until, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp())
        elif "T" in until:
            last = min(last, dt.datetime.strptime(until, "%Y%m%dT%H%M%S"))
        else:
            day = dt.datetime.strptime(until, "%Y%m%d")
            last = min(last, day.replace(hour=23, minute=59, second=59))
    parts["UNTIL"] = last.strftime("%Y%m%dT%H%M%S")
    count = parts.pop("COUNT", None)
    text = ";".join(f"{name}={value}" for name, value in parts.items())
    try:
        starts = list(itertools.islice(rrulestr(text, dtstart=start), MOST))
    except ValueError as error:
        if "empty set" not in str(error):
            raise
        starts = []
    if count is not None:
        starts = starts[: int(count)]
    found = [[one.isoformat(), instant(one, zone)] for one in starts]
    if bound is not None:
        found = [one for one in found if one[1] <= bound]
    return found


WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


def elapsed(case):
    """A rule of hours or minutes: each period that passes, each minute in it, each second in that."""
    zone = zoneinfo.ZoneInfo(case["zone"])
    parts = dict(part.split("=") for part in case["rule"].split(";"))
    lists = {
        name: sorted(int(n) for n in parts[name].split(","))
        for name in parts
        if name.startswith("BY") and name != "BYDAY"
    }
    start = naive(case["start"])
    first = instant(start, zone)
    shown = dt.datetime.fromtimestamp(first, zone)
    period = 3600 if parts["FREQ"] == "HOURLY" else 60
    minute = shown.minute if period == 3600 else 0
    origin = first - minute * 60 - shown.second
    step = period * int(parts.get("INTERVAL", 1))
    found, at, end = [], origin, instant(naive(case["horizon"]), zone)
    count = int(parts["COUNT"]) if "COUNT" in parts else None
    while at <= end and len(found) < MOST:
        if period == 3600 and "BYMINUTE" in lists:
            minutes = range(at, at + 3600, 60)
        else:
            minutes = [at + minute * 60]
        chosen = []
        for one in minutes:
            local = dt.datetime.fromtimestamp(one, zone)

            def fits(name, *values):
                return name not in lists or any(value in lists[name] for value in values)

            if not (fits("BYMINUTE", local.minute) and fits("BYHOUR", local.hour) and fits("BYMONTH", local.month)):
                continue
            year_days = (dt.date(local.year + 1, 1, 1) - dt.date(local.year, 1, 1)).days
            month_days = calendar.monthrange(local.year, local.month)[1]
            day = local.timetuple().tm_yday
            if (
                fits("BYMONTHDAY", local.day, local.day - month_days - 1)
                and fits("BYYEARDAY", day, day - year_days - 1)
                and ("BYDAY" not in parts or WEEKDAYS[local.weekday()] in parts["BYDAY"].split(","))
            ):
                chosen += [one + second for second in lists.get("BYSECOND", [shown.second])]
        if "BYSETPOS" in lists:
            places = {n - 1 if n > 0 else n + len(chosen) for n in lists["BYSETPOS"]}
            chosen = [chosen[n] for n in sorted(places) if 0 <= n < len(chosen)]
        found += [one for one in chosen if first <= one <= end]
        at += step
    if count is not None:
        found = found[:count]
    answers = []
    for one in found:
        local = dt.datetime.fromtimestamp(one, zone)
        answers.append([local.replace(tzinfo=None, fold=0).isoformat(), local.fold, one])
    return answers


def events(case):
    """A whole event with its exceptions: the instants at which it begins, between two days."""
    text = icalendar.Calendar.from_ical(case["text"])
    found = recurring_ical_events.of(text).between(naive(case["from"]), naive(case["to"]))
    return sorted(int(event["DTSTART"].dt.timestamp()) for event in found)


print(json.dumps([globals()[case["kind"]](case) for case in json.load(sys.stdin)]))
