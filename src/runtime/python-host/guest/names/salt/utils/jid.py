"""Job ids."""

import datetime


def gen_jid(opts=None):
    """A new one, of this moment."""
    return datetime.datetime.now().strftime("%Y%m%d%H%M%S%f")


def is_jid(jid):
    return isinstance(jid, str) and len(jid) in (20, 25) and jid[:20].isdigit()


def jid_to_time(jid):
    """The moment of a job id as `2026, Nov 23 04:30:00.000000`; an empty text of what is none."""
    text = str(jid)
    if len(text) != 20 and (len(text) <= 21 or text[20] != "_"):
        return ""
    try:
        return datetime.datetime.strptime(text[:20], "%Y%m%d%H%M%S%f").strftime("%Y, %b %d %H:%M:%S.%f")
    except ValueError:
        return ""


def format_job_instance(job):
    """A job's function, arguments, target and user, as lists of jobs show them."""
    found = {
        "Function": job.get("fun", "unknown-function"),
        "Arguments": list(job.get("arg", [])),
        "Target": job.get("tgt", "unknown-target"),
        "Target-type": job.get("tgt_type", "list"),
        "User": job.get("user", "root"),
    }
    if "metadata" in job:
        found["Metadata"] = job["metadata"]
    return found


def format_jid_instance(jid, job):
    return dict(format_job_instance(job), StartTime=jid_to_time(jid))


def format_jid_instance_ext(jid, job):
    return dict(format_job_instance(job), JID=jid, StartTime=jid_to_time(jid))
