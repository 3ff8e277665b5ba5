"""What a request means: a session and a request in, a reply or a job out. No sockets, no threads, no clocks."""

from bgd.service.job import Deadline, Errand, Job
from bgd.service.session import PROTOCOL, Service, Session

__all__ = ["PROTOCOL", "Deadline", "Errand", "Job", "Service", "Session"]
