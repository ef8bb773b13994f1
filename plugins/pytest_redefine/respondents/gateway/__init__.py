"""One owner of every request: a loop in one thread of one process, which workers reach over a socket."""

from __future__ import annotations

from pytest_redefine.respondents.gateway.client import GatewayClient, GatewayLost
from pytest_redefine.respondents.gateway.dispatcher import Progress
from pytest_redefine.respondents.gateway.owner import Gateway

__all__ = ["Gateway", "GatewayClient", "GatewayLost", "Progress"]
